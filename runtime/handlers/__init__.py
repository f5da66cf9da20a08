"""Staged `try`: what runs when an operation raises.

* **try** (`exceptions.py`, `regions.py`, `raised.py`). Before an operation that may raise, a
  `landing` operation hands the current values of variables to the handler's parameters: the
  trace knows them, for it has just run the code up to there. The body is traced once; what the
  landings hand over is of the specs that all of them together need, which are known at its end.
  Static places are among them that hold something else than before the body. A landing also
  says what is known of the exception: of one that the program makes its reference; of what an
  operation raises by itself that its class is one of Python's own (`raised.py` says which
  operations may run code of the user's); else nothing. Several are a `Choice`, narrowed by each
  `except`. An attribute of an exception of which a trace knows nothing (a recursion raised it) is
  refused. In a list, exceptions of the user's classes are references, those of Python's own
  classes items of the type `exception`.
* **with** is a statement about managers of all kinds: `stage/with_statements.py`.
"""

from autograph.loading import later

later(__name__, "exceptions", "generator_contexts", "raised")
