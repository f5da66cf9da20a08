"""Calls: what a call in converted code means in a trace.

* `calls.py` goes by the table of callees (`runtime/allowed.py`), `method_calls.py` for methods;
  `iterables/callbacks.py` has what a callee calls converted.
  Python's source of classes that users derive from is converted.
* Builtins (`builtin_calls.py`, `builtins_in_trace.py`), functions that keep their results
  (`caches.py`), arrays as variables (`variables.py`).
* What other rooms enter into the table of handlers (`tracer/call_handlers.py`) is found there.
"""

from autograph.loading import later

later(__name__, "builtin_calls", "caches", "calls", "foreign_calls")
later(__name__, "method_calls")
