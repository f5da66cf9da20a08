"""The statements that the stage offers, of all that they may be about.

* `loop_statements.py`: `while` and `for` over anything that gives items.
* `functional.py`: `rt.cond` and `rt.while_loop`, the same as functions.
* **with** (`contexts.py`, `with_statements.py`). The block runs in the user's frame, as long as
  nothing in it raises that the exit would see. Where something may, the trace begins again with
  the blocks of all `with` statements as closures, each of which is the body of a `try` whose
  handler runs the exit.
"""

from autograph.loading import later

later(__name__, "contexts", "with_statements")
