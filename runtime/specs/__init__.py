"""Specs: what is known of a value before a run, and how a run takes such a value apart.

A spec is pure data: it knows neither a trace nor an engine. What a variable holds where paths join
(`runtime/tracer`), the items of a list or dict (`runtime/objects`) and the text of a graph
(`runtime/formats`) are described by the same specs.

* `spec.py`: a leaf with a type, a constant Python object, a structure, or a *variant*, one of
  several with a tag; which type is the widest among numbers; the flat values of a graph that hold
  one.
* `readers.py`: an item of a real container taken apart as its spec says, and whether it is one.
"""

from autograph.loading import later

later(__name__, "readers")
