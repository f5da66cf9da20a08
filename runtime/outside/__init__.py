"""The world outside a trace: what it read, under which guards, and the objects that it met or made.

* **Imports** (`importing.py`; `known.py` is what the trace knows then, `watched.py` the classes
  among it, `outside.py` all together). A plain value is a guard on its path (`guards/`), an
  array an input read along it at each call; what stands for an object or a container in the
  trace is remembered. Objects among the keys of a dict are read as constants are (`known.py`).
* **Environment** (`outside.py`). A converted user function that came from outside runs with
  substituted globals (a dict subclass: CPython reads the globals of a function through
  `__getitem__` when they are not exactly a dict, and writes them into the dict's own storage)
  and substituted cells. So reads and writes of globals and cells are seen with no marks in the
  converted source.
* **Definitions and aliases** (`definitions.py`, `watched.py`; what functions and classes say of
  themselves, `guards/descriptions.py`). A function says, when it is entered, that it keeps its
  code and that the classes that hold it still do. Lists, dicts and objects that were several are
  several again, one guard for each class. Sets, deques and special dicts from outside are ones of
  the run. What is found at two places is one: the place that was met first decides what stands for
  it. A container of the run whose items only a run knows may hold one that the trace knows item by
  item: then that is one of the run, too, and a guard says that no call finds such a thing where
  none was (`lies_inside`).

What no mark of the tracer sees has a rule of its own: contents of subclasses of
containers (`opaque.py`: compared at each call), `import`, `eval`, `exec`, `vars`
and `dir` (`calls/builtins_in_trace.py`), copies of objects (`objects/copies.py`), `lru_cache`
(`calls/caches.py`; what such a function reads may not change, `calls/caches.py`),
code that looks at the class of a staged number (`calls/foreign_calls.py`); so is an operator
between a staged number and an object of a library that answers plain numbers
(`staged/foreign_operands.py`: what a plain number gives decides). What has none is refused.
"""

from autograph.loading import later

later(__name__, "opaque")
