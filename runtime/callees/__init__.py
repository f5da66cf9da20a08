"""Calls of what is not converted: builtins, library functions, what acts on the world.

* **Code of libraries** runs as it is, with functions that Python calls for it (a key, what
  `map` applies) converted (`callbacks.py`); but methods of a library class of which the user
  has overridden some are converted (`overridden.py`). An operation that may raise in a run,
  inside a `try` of such code, is refused (`python_tries.py`).
* **Text** (`texts.py`, `own_texts.py`: an own `__str__` that changes something is a call; any
  other one is left to the run). `str`, `repr`, `format`, `join` and f-strings of anything that
  holds staged values are operations; the `repr` of a staged value that Python's own code asks
  for in the name of the program is refused.
* **Calls made at run time** (`run_time_calls.py`): warnings, logging, clocks and random numbers
  are ordered `call` operations on the real objects; their result types are in a table, or those
  of a trial on a copy of the generator. A function that asks who calls it is called from a
  frame at the user's line.
* **What is refused**: calls of code that is neither converted nor known to be free of effects
  (`purity.py`), for their result would be frozen.
"""

from autograph.loading import later

later(__name__, "acting_code", "called_back", "method_calls", "overridden", "own_texts")
later(__name__, "percent_texts", "run_time_calls", "user_streams")
