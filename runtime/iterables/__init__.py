"""What is iterated over in a trace: items, iterators, generators, comprehensions.

* **Generators** (`generators.py`, `comprehensions.py`;
  `calls/itertools_calls.py` has itertools and `enumerate` as generators,
  `handlers/generator_contexts.py` the managers of `contextlib.contextmanager`). A loop over a
  generator turns it inside out: its code is converted once more with `yield v` as a call of the
  consumer (`passes/push_yields.py`), and runs as an ordinary function, staged loops and all, with
  the loop's body as the consumer. What the body changes is state of the generator's statements,
  too (`Trace.consuming`). A generator that yields inside a `try` or `with` is refused, for it
  would see what the body raises. `sum`, `max`, `list`, ... over a generator are such loops.
  Pulled item by item (`next`), a generator runs as Python in the block that made it. A coroutine
  is run to its end where the trace returns.
* **Iterators** (`control_flow/iterators.py`, `control_flow/builtin_iterables.py`, `advancing.py`,
  `calls/iterator_calls.py`) are used up once, and may be advanced only in the block
  that made them. How far those of arrays and lists are (`ItemIterator`) the trace knows; where
  only a run knows that of an `iter` or `enumerate`, the trace begins again with its site in
  `Decisions.advancing`, and it is an `AdvancingIterator`, whose place is state as the contents of
  a list are. An iterator from outside is refused.
* **Objects that are iterated over** (`user_iterables.py`). What iterates (a loop, `list(...)`,
  `*items`, `in`) asks for the items of a user's object by its `__iter__`, `__next__` or
  `__getitem__`, converted; an object with `__next__` is a generator in Python that calls it.
  One of a library's class that is not converted is refused, but for a Series of numbers
  (`control_flow/indexed.py`).
  A StopIteration that leaves the code of a generator becomes a RuntimeError where it is raised
  (`handlers/raised.py`). One that leaves a function which `map` or its like calls is refused
  (`generators.py`).
"""

from autograph.loading import later

later(__name__, "advancing", "comprehensions", "generators", "user_iterables")
