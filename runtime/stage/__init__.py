"""What converted code asks while a trace is under way, and the trace with all that the rooms know.

* `stage/attempt.py`: the class of a trace, put together of what each room knows of one.
* `runtime_stage.py`: the stage, which answers the operators of converted code.
* `loop_statements.py`: `while` and `for` over anything that gives items.
* `functional.py`: `rt.cond` and `rt.while_loop`, the same as functions.
* **with** (`with_statements.py`). The block runs in the user's frame, as long as nothing in it
  raises that the exit would see. Where something may, the trace begins again with the blocks of all
  `with` statements as closures, each of which is the body of a `try` whose handler runs the exit.
"""

from autograph.loading import later

later(__name__, "with_statements")
