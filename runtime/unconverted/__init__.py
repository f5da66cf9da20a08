"""Code that is not converted: why a call of it is refused, and what each run calls.

* What is not in the table of callees (`runtime/allowed.py`) is refused (`refusing.py`). An operation
  that may raise in a run, inside a `try` of such code, is refused (`tracer/callers.py`).
* **Calls made at run time** (`run_time_calls.py`; who listens to logs and warnings:
  `listeners.py`): `print`, warnings, logging, clocks and random numbers are ordered `call` operations on
  the real objects; their result types are in the table, or those of a trial on a copy of the
  generator. A function that asks who calls it is called from a frame at the user's line.
"""

from autograph.loading import later

later(__name__, "listeners", "refusing", "run_time_calls")
