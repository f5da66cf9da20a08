"""Objects of a graph that nobody else sees: what `replace_aggregates` asks about them.

* `webs.py`: which values may be one object, and who else sees it.
* `parts.py`: the flat values of what is put in.
* `local.py`: which of them a graph can do without, and what changes where.
"""
