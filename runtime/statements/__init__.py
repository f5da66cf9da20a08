"""The statements that the stage offers, of all that they may be about.

* `loop_statements.py`: `while` and `for` over anything that gives items.
* `functional.py`: `rt.cond` and `rt.while_loop`, the same as functions.
* **with** (`with_statements.py`, `contexts.py`). The block runs in the user's frame, so it is
  traced where it stands; when it is left, what it appended becomes the body of a `try` whose
  handler runs the exit and raises again, and all that the block computed is an output of that
  `try`.
"""

from autograph.loading import later

later(__name__, "contexts", "with_statements")
