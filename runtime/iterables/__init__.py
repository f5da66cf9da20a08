"""What is iterated over in a trace: items, iterators, generators, comprehensions."""
