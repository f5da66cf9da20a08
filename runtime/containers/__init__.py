"""Lists, dicts, sets and deques whose length or keys only a run knows.

* **Containers** (`sites.py`, `staged/containers.py` and the files beside it; what is done with
  them: `runtime/calls`). A list, dict, set or deque of a trace is *a reference to a
  real one*, of `ContainerType`, and each method is one operation (`ops/containers.py`):
  `list.append`, `list.getitem`, `dict.setitem`. Aliases, identity, changes of a caller's list,
  exceptions and their order are then Python's with no analysis: what changes a container is an
  ordered operation.
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
  * *The user's own comparisons* (`special_methods.py`): where a run sorts, searches or hashes
    objects, Python's own code calls their `__lt__`, `__eq__` and `__hash__` as they are. Each
    is traced once, in vain, and refused where it has an effect.
  * *From outside*: a list or dict of at most 32 items is an input, and what it held when the call
    began are facts of the heap (`ShadowHeap.learn_entry`), each item under a guard of its own. The
    input goes where nobody needs more (`Known.drop_unused`). A longer one, a list of lists of
    numbers, or a short one that kept changing its length, is *data* (`data.py`): an input under
    one guard that every item is of a known kind. The classes of the objects in it are references
    from the start. What is refused then is tried item by item (`Decisions.with_items_known`).
    Sets, deques and special dicts from outside are data, whatever their length.
  * Two containers can be the same one only where their sites meet; a `for` over a list asks for
    the length each time round where its body may change it.
"""

from autograph.loading import later

later(__name__, "special_methods")
