"""Calls: what a call, an operator or a text in converted code means in a trace.

* `callees.py` goes by the table of callees (`runtime/allowed.py`), `method_calls.py` for methods;
  `iterables/generators.py` has what a callee calls converted.
  Python's source of classes that users derive from is converted.
* Builtins (`builtin_calls.py`, `builtins_in_trace.py`), functions that keep their results
  (`caches.py`), arrays as variables (`variables.py`).
* What other rooms enter into the table of handlers (`tracer/call_handlers.py`) is found there.
* **Reads, operators, methods** of lists, dicts, sets, deques and tuples: `watching.py` (`in`, too),
  `container_calls.py`, `stars.py` (`*items`, displays). Loops over those of a run:
  `container_loops.py`.
* **Folds and sorts**: `sum`, `min`, `max`, `any`, `all`, `sorted` (`folds.py`,
  `iterables/comprehensions.py`).
* **Iterators**: `iter`, `next`, `map`, `filter` (`iterator_calls.py`), itertools
  (`itertools_calls.py`), `tqdm` (`progress_bars.py`).
* **Texts** of anything that holds staged values are operations (`texts.py`; formats by
  `str.format`, too). The `repr` of a staged value that Python's own code asks for in the name of
  the program is refused. What the user's own `__str__` and their like say is left to the run; one
  that changes something is refused.
* **Code that is not converted**: what is not in the table of callees is refused (`foreign_calls.py`),
  and what fails because an argument is staged (`foreign_calls.py`). An operation that may raise in
  a run, inside a `try` of such code, is refused (`tracer/callers.py`).
* **Calls made at run time** (`run_time_calls.py`; who listens to logs and warnings:
  `run_time_calls.py`): `print`, warnings, logging, clocks and random numbers are ordered `call`
  operations on the real objects; their result types are in the table, or those of a trial on a copy
  of the generator. A function that asks who calls it is called from a frame at the user's line.
"""

from autograph.loading import later

later(__name__, "builtin_calls", "caches", "callees", "container_loops", "foreign_calls")
later(__name__, "method_calls", "run_time_calls", "stars", "texts", "watching")
