"""Objects in a trace: classes, modules and their attributes, instances and containers that it makes.

* **Attributes** (`seen_attributes.py`, `attributes.py` for reads, `attribute_stores.py`). Compiled
  code asks what to read an attribute from and what to store it to: `ag__.read_from(o).a`. For an
  object that the trace knows that is a view of it. No class or module is changed. What else reads
  them: `getattr` and its like, `attrgetter`, `dataclasses.replace` are callees with handlers; code
  that `dataclass` wrote, and texts that a library makes, get the view in the object's place; other
  Python code of a library that is given such an object is converted as the user's own
  (`calls/method_calls.py`); what is not in the table of callees is refused as ever. Our own code
  reads what the program would read from `trace.seen(owner)`, for all other reads are of the object
  as it is outside. `seen_attributes.py`: what `super()` finds, which reads past the object.
* **Special methods** (`operators.py`). No class is changed. Converted code calls an operator of
  ours for each of Python's (`ag__.plus(a, b)`, `ag__.get_item(o, k)`), and this follows Python's
  rules with the methods of the user's classes converted; so do `abs(o)`, `int(o)`, `hash(o)` and
  their like. Who iterates asks `iterables/user_iterables.py`; a truth, a length and a text have
  handlers. Comparisons of objects in lists, and their hashes in dicts and sets, are done by a run,
  whose methods may only read (`objects/compared_by_runs.py`). Our own questions (is a staged
  value among the items?) ask no method of the user's (`autograph/plain_items.py`), and where
  compiled code of a base class calls one for good (`OrderedDict.__init__` its `__setitem__`), the
  class is refused (`calls/foreign_calls.py`); so is a class of tuples whose methods act, and a
  class with a metaclass of the user's. An object from outside whose class is of C, or of a library
  that is not converted, is *foreign*: what would ask it while tracing is refused in
  `outside.special_method`, in `user_iterables.iterated` and, for callees of C, in
  `calls/foreign_calls.py`. `python -m pytest -p tests.unconverted_methods` finds a special
  method that runs as it is.
* **Objects made inside** (`references.py`). An instance that a trace makes is a *reference* to an
  object of the run from birth: the operation `object.make` makes it of what it holds when the
  constructor has ended, or when somebody else may see it. Converted code holds a stand-in, an
  empty instance of the class; reads and stores of attributes are the operations
  `object.getattr` and `object.setattr`, or facts of the shadow heap (`runtime/heap`), so that
  aliases are Python's. What an attribute holds is a spec that grows from one attempt to the next,
  as that of a container's items does. A function
  made inside is a fact alone: a run has None in its place (`Opaque` in `tracer/elements.py`).
* **Objects from outside** (`attributes.py`, `outside/importing.py`) are attributes along a path:
  inputs, constants under guards, facts once they are stored. Where one is to be an item or the
  attribute of a reference, the trace begins again with its *class* among `Decisions.containers`.
  Then all instances of it are references, and those from outside come in under a guard that all
  they refer to holds kinds that the trace knows.
* **A class that the function makes itself** (`making_classes.py`) is one and the same in all
  attempts, for what its instances hold is known by the class.
* **What is more than its attributes** cannot be made inside: an instance of a class derived from
  `list`, `str` or their like, or whose class computes its attributes; a group of exceptions.
* **`__dict__`, `vars` and `dir`** of an object or a class are refused: attributes are seen one by
  one.
* **What leaves a call** (`real_objects.py`, `functions/results.py`; `ops/item_patterns.py` for the
  order of a set's items, which hangs on how CPython's table came about). A set, a deque, an
  exception or a partial that a function returns or stores is made by each run of its parts;
  iterators, functions and classes made inside are refused. Lists, dicts and objects that are
  returned are made empty and then filled, for they may hold each other.
* **Attributes of classes and functions** (`class_state.py`). What stands for them in a trace, and
  what a trace stores, is kept beside the class, by its name, and never in it: other threads go on
  with what the class holds. Reads and stores come by a view of the class; what an instance, or
  `super()`, inherits is looked up there, too. Classes that the function makes itself are known from
  birth, functions made inside from their first store on. What a class holds
  comes in as what a global holds does; for what cannot be read stands an `Unreadable`
  (`staged/objects.py`), which refuses its reader. Methods and descriptors of a class from
  outside are no such values: no trace changes them. Exceptions from outside are refused
  (`outside/opaque.py`). Stores to what the trace does not know (what Python keeps of an
  object, objects of C and of libraries) are right where the object is made, and refused elsewhere
  (`attribute_stores.py`). Descriptors of the user's own: `user_classes.py`.
* **The class of a value** (`staged/needed_now.py`) is that of the program's value, whatever stands
  for it. Calls of classes that make no instance, such as `Color(2)` and `Stack[float]()`:
  `making_classes.py`.
* **Containers** (`objects/containers.py`, `staged/containers.py` and the files beside it; what is
  done with them: `runtime/calls`). A list, dict, set or deque of a trace is *a reference to a real
  one*, of `ContainerType`, and each method is one operation (`ops/containers.py`): `list.append`,
  `list.getitem`, `dict.setitem`. Aliases, identity, changes of a caller's list, exceptions and
  their order are then Python's with no analysis: what changes a container is an ordered operation.
  * *What is known of them* (`tracer/known_items.py`): the items of a list, those of a dict by
    their keys, the members of a set of constants, as long as the trace knows how many there are.
    Python's own method says what is there after a change; loads of known items, `len` and the
    truth are no operations, and a loop over few known items is unrolled. A callee that reads its
    arguments gets plain ones (`calls/callees.py`).
  * *What they hold*: items are real objects, each of its own type. The spec of an element joins
    without promoting (`join_elements`), as variables do, so that `xs[i]` is the very item that
    was put in; only arrays that differ in lengths are one kind. A kind that is new to a site
    begins the trace again with the wider element; the attempt goes on for 50 operations, to learn
    of others (`Containers.learned`).
  * *Comparisons* (`comparing.py`): tuples, lists, dicts and dataclasses of known length are
    compared item by item: `(x, 1) < (y, 2)`.
  * *The user's own comparisons* (`compared_by_runs.py`): where a run sorts, searches or hashes
    objects, Python's own code calls their `__lt__`, `__eq__` and `__hash__` as they are. Each
    is traced once, in vain, and refused where it has an effect.
  * *From outside*: a list or dict of at most 32 items is an input, and what it held when the call
    began are facts of the heap (`ShadowHeap.learn_entry`), each item under a guard of its own. The
    input goes where nobody needs more (`Known.drop_unused`). A longer one, a list of lists of
    numbers, or a short one that kept changing its length, is *data* (`container_data.py`): an
    input under one guard that every item is of a known kind. The classes of the objects in it are
    references from the start. What is refused then is tried item by item
    (`Decisions.with_items_known`). Sets, deques and special dicts from outside are data, whatever
    their length.
  * Two containers can be the same one only where their sites meet; a `for` over a list asks for
    the length each time round where its body may change it.
"""

from autograph.loading import later

later(__name__, "acting", "attribute_stores", "attributes", "compared_by_runs", "copies")
later(__name__, "making_classes", "operators", "real_objects", "seen_attributes")
