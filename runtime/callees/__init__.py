"""Calls of what is not converted: builtins, library functions, what acts on the world.

* **The table** (`allowed.py`) says of each callee how its call is done, what it changes and what it
  calls; what is not in it is refused (`refusing.py`). `calls.py` goes by it, `method_calls.py` for
  methods; `callbacks.py` has what a callee calls converted; `converted_calls.py` converts Python's
  source of classes that users derive from. An operation that may raise in a run, inside a `try` of
  such code, is refused (`python_tries.py`).
* **Text** (`texts.py`, `own_texts.py`: an own `__str__` that changes something is a call; any
  other one is left to the run). `str`, `repr`, `format`, `join` and f-strings of anything that
  holds staged values are operations; the `repr` of a staged value that Python's own code asks
  for in the name of the program is refused.
* **Calls made at run time** (`run_time_calls.py`): warnings, logging, clocks and random numbers
  are ordered `call` operations on the real objects; their result types are in the table, or those
  of a trial on a copy of the generator. A function that asks who calls it is called from a
  frame at the user's line.
"""

from autograph.loading import later

later(__name__, "acting_code", "converted_calls", "method_calls", "own_texts", "percent_texts")
later(__name__, "run_time_calls", "user_streams")
