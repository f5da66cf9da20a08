"""Python's objects in machine code: lists, tuples, dicts, sets, texts, instances of the user's classes.

* **lists in machine code** (`lists.py`): what a list or a tuple holds is read from
  CPython's memory (`layouts.py` says where, and is held against real objects; where it does not
  fit, Python's C API is called), and taken apart by its pattern (`ops/item_patterns.py`,
  `boxes.py`): a number, a tuple of numbers, None or a number. An item of another kind goes to the
  kernel. What is read is *lent*: its reference stays the list's until an operation comes that
  might take it out (`native/frame.py`). `append`, `pop` and stores change the list in place; other
  operations that are one function of Python's own call that (`builtins_called.py`), unless items are
  numbers: `folds.py` adds them up, compares and finds them, `heaps.py` and `sorting.py` order
  them, tuples and texts too (`ordering.py`).
* **objects in machine code** (`instances.py`): an attribute is read and replaced
  where the object keeps it: in a slot, or among the values that stand beside it until somebody
  asks for its `__dict__`. Where that is, one instance that is made for the question tells
  (`ops/attribute_places.py`). What the kernel does still: an attribute that is not there, classes
  whose instances are made in a way of their own.
* **dicts, sets and texts in machine code** (`dicts.py`, `texts.py`, `formatting.py`): calls of Python's
  C API on objects, with no function of Python's or ours around it. A text that nobody else has
  grows in place.
* **guards on objects** (`object_graphs.py`): that objects from outside, and all that they refer to,
  hold attributes of known kinds, is checked by a walk in machine code.
* **guards on items** (`scanning.py`): the patterns of lists and dicts from outside are checked at
  each call by a loop of machine code, which is compiled once for each pattern.
"""

from autograph.loading import later

later(__name__, "building", "builtins_called", "dicts", "folds", "formatting", "heaps")
later(__name__, "instances", "lists", "object_graphs", "scanning", "sorting", "texts")
