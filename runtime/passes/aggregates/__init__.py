"""Objects, lists and dicts of a graph that nobody else sees: what `replace_aggregates` asks about them.

* `shapes.py`: what there is in a new object, list or dict.
* `accesses.py`: what one operation does to what is known of an aggregate.
* `webs.py`: which values may be one aggregate, and who else sees it.
* `flow.py`: what there is in each at each point of a graph.
* `parts.py`: the flat values of what is put in.
* `local.py`: which of them a graph can do without.
"""
