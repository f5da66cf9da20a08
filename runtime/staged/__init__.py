"""Staged values: what converted code holds in place of arrays and numbers while a trace is under way.

* **Staged values** (`staged/`, `builder.Staged`). A staged value has attributes of our own
  (`value`, `type`, `builder`, ...), which code under trace must not find: it may ask in a `try`
  whether something has a `value`. Descriptors hide them from code whose globals are no plain
  dict (`tracer/builder.py`); the classes are wrapped as they are made, a test looks at
  all. No cost was measurable (80 random programs, 9.1 to 9.3 s CPU both).
* **Ranges** (`control_flow/builtin_iterables.py`). A `range` with a staged bound is its bounds,
  with what ranges have; where one leaves the trace, the run makes it. The truth of a range, and of
  a view of a dict, is that of its length: the stage claims it.
"""

from autograph.loading import later

later(__name__, "array_operators", "arrays", "containers", "exceptions", "foreign_operands")
later(__name__, "indexing", "kinds", "list_arrays", "needed_now", "objects", "operands", "records", "strings")
