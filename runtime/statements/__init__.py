"""The statements that the stage offers, of all that they may be about.

* `loop_statements.py`: `while` and `for` over anything that gives items.
* `functional.py`: `rt.cond` and `rt.while_loop`, the same as functions.
"""
