"""Lists, dicts, sets and deques whose length or keys only a run knows.

* **Containers** (`sites.py`, `staged/containers.py` and the files beside it;
  `default_factories.py`; what is done with them: `runtime/collection_calls`). A
  list, dict or set whose length or keys the trace knows is plain Python, and its items are
  values of the graph. Where the length hangs on what only a run knows, the container is *a
  reference to a real one*, of `ContainerType`, and each method is one operation
  (`ops/containers.py`): `list.append`, `list.getitem`, `dict.setitem`. Aliases, identity,
  changes of a caller's list, exceptions and their order are then Python's with no analysis:
  what changes a container is an ordered operation.
  * *What is known of them* (`tracer/known_items.py`): the items of a list, and those of a dict by
    their keys, as long as the trace knows how many there are. Python's own method says what is
    there after a change; loads of known items, `len` and the truth are no operations.
  * *Which ones*: the trace begins again, first with code that shows where containers are made
    and read (`Decisions.watch_containers`, the rewrite `watch_containers`), then with the
    *site* of this one (a code object and an instruction, or the path of one from outside) among
    `Decisions.containers`: all that this site makes is real from birth. What asks for it:
    `Contents.set` (paths or iterations leave different lengths), a staged index or key
    (`__index__`, `__hash__`), several containers in one variable. An attempt that must be made
    again goes on for 50 operations, to learn of other sites and kinds as well
    (`Containers.learned`).
  * *What they hold*: items are real objects, each of its own type. The spec of an element joins
    without promoting (`join_elements`), as variables do, so that `xs[i]` is the very item that
    was put in; only arrays that differ in lengths are one kind. A kind that is new to a site
    begins the trace again with the wider element. A `Reader` takes an item apart into the flat
    values of its spec, and refuses what the trace did not know of.
  * *Comparisons* (`comparing.py`): where Python asks for the truth of a staged value, perhaps
    in `(x, 1) < (y, 2)`, the trace begins again with code that shows comparisons, and tuples,
    lists, dicts and dataclasses of known length are compared item by item.
  * *The user's own comparisons* (`special_methods.py`): where a run sorts, searches or hashes
    objects, Python's own code calls their `__lt__`, `__eq__` and `__hash__` as they are. Each
    is traced once, in vain, and refused where it has an effect, of which the trace would not
    know. `total_ordering` and `asdict` are converted (their own source:
    `autograph/config.py`).
  * *From outside* (`data.py`): a parameter (or an implicit input) of container type, under a guard
    that every item is of a known kind. A container of more than 32 items begins so, and the classes
    of the objects that it holds are references from the start, where `Look` finds nothing but
    known kinds. What is refused then is tried item by item (`Decisions.with_items_known`).
  * Two containers can be the same one only where their sites meet; a `for` over a list asks for
    the length each time round where its body may change it.
"""

from autograph.loading import later

later(__name__, "default_factories", "special_methods")
