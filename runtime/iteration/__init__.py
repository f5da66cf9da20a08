"""What a loop can run over, before anything is said of loops: items by their index, and iterators.

* `indexed.py`: things with a length and an item for each index; `builtin_iterables.py`: a range of
  which only a run knows a bound.
* `iterators.py`: an iterator that the trace advances, in the block that made it, and what stands
  for one from outside; `builtin_iterables.py`: those over things with an index, as far as the trace
  knows how far they are.

What else gives items (generators, objects of the user's, itertools) is in `runtime/iterables`.
"""
