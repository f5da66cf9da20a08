"""One trace: its graph under construction, what values are described by, variables that are shared.

* **Specs** (`spec.py`). What a branch or an iteration leaves in a variable is described by its
  spec: a leaf with a type, a constant Python object, a structure, or a *variant* (one of several,
  with a tag): `None` or an array, unbound or a number, `'a'` or `'b'`, this function or that.
  `join` gives the spec that holds either of two; `adapt` and `rebuild` (`flattening.py`) go
  between values and flat graph values. A value of a variant is a `Choice`; whatever is done with
  it is done with the value that it holds, by an `if` on the tag (`choices.dispatch`). Where a
  test has told what it is, only that is traced (`spec.py`).
* **Static places** (`static_places.py`). An attribute of an object from outside, a global, a cell,
  how far an iterator is. A store is an ordered operation in the graph, done on the real object
  at that point of each run (so also before an exception), and a fact of the heap for later reads.
* **Variables that functions share** (`cells.py`). A call may change a global, or a variable around
  the callee, of which the statement that makes the call knows nothing: they are static places.
* **Parts** (`parts.py`). What a room below knows of the same trace, a room above asks for by
  the protocols that are written there: type checkers hold the calls to them, and the classes.
* **Decisions and restarts** (`decisions.py`). Python numbers among the arguments are staged
  first; where a plain number is needed (a shape, an axis, an index into a list) the trace is
  begun again with them as constants. A `while` loop in a trace that becomes too large
  (`decisions.py`) is staged. A captured number that changed twice becomes an input, a captured
  list or dict that did a real container.
"""

from autograph.loading import later

later(__name__, "callers", "generated", "known_items")
