"""What is said of a function: `explain()`, and `check="first"`, which runs it beside plain Python.

* **check** (`checking.py`, `world.py`, `observation.py`). Everything that the function reaches
  is remembered, the plain function runs, everything is put back in place, the compiled one
  runs. What is printed or logged is held back and shown once.
* **explain** (`explain.py`, `statements.py`, `recording.py`). The graph knows which line each
  operation comes from; which lines ran as Python is found by tracing once more with a line hook
  (it doubles the time of a trace, so it is not always on). The arguments are not kept alive for
  that: arrays are remembered by dtype and shape, objects weakly.
"""

from autograph.loading import later

later(__name__, "checking")
