"""What is seen of a run, for `explain()` and for `check="first"` (both in `functions`).

* **Statements and lines** (`statements.py`, `recording.py`). The graph knows which line each
  operation comes from; which lines ran as Python is found by tracing once more with a line hook
  (it doubles the time of a trace, so it is not always on). The arguments are not kept alive for
  that: arrays are remembered by dtype and shape, objects weakly.
* **Observation** (`world.py`, `observation.py`). Everything that a function reaches
  is remembered, and put back in place. What is printed or logged is held back and shown once.
"""
