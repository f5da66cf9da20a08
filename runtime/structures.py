"""Structures of registered classes, taken apart and put together again by optree.

A class that is registered with ``optree.register_pytree_node`` (for all, or in the namespace "runtime"), an
OrderedDict, a defaultdict and a deque are for `cond` and `while_loop` structures of their parts, as they are
in JAX: branches and loop bodies may make new ones. Lists and dicts are taken apart by the tracer itself,
which needs to know identity.

>>> import collections
>>> parts, shape = pack(collections.OrderedDict(b=1, a=[2, 3]))
>>> parts, list(unpack(parts, shape).items())
((1, [2, 3]), [('b', 1), ('a', [2, 3])])
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from autograph.operators import call
from runtime.tensor import Tensor
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice

#: where classes may be registered, besides optree's global namespace
NAMESPACE = "runtime"

_PLAIN = (int, float, complex, str, bytes, type(None), Staged, Choice, Tensor)


@dataclass(frozen=True)
class Node:
    """What is known of one level of a structure besides its parts."""

    cls: type
    metadata: Any
    parts: tuple[Any, ...]  # a Node for each part that is taken apart, else None
    make: Callable[[Any], Any]

    def same(self, other: Any) -> bool:
        """Is a structure of this shape like one of the other?"""
        return (
            isinstance(other, Node)
            and (self.cls is other.cls and bool(self.metadata == other.metadata))
            and len(self.parts) == len(other.parts)
            and all(a.same(b) if a else b is None for a, b in zip(self.parts, other.parts, strict=True))
        )

    def __str__(self) -> str:
        inner = ", ".join(str(part) if part else "*" for part in self.parts)
        return f"{self.cls.__name__}({inner})"


def pack(value: Any) -> tuple[Any, Node | None]:
    """The parts of a structure as tuples in tuples, and its shape; what is none stays, with None."""
    if isinstance(value, _PLAIN) or not _is_taken_apart(type(value)):
        return value, None
    import optree  # not at the top: few programs need it

    if type(value) is tuple:
        packed = [pack(item) for item in value]
        if not any(shape for _, shape in packed):
            return value, None
        return tuple([part for part, _ in packed]), Node(tuple, None, tuple([s for _, s in packed]), tuple)
    registered = optree.register_pytree_node.get(type(value), namespace=NAMESPACE)
    if type(value).__module__ == "collections" or registered is None:
        parts, metadata, _, make = optree.tree_flatten_one_level(
            value, none_is_leaf=True, namespace=NAMESPACE
        )
    else:  # the user's own functions, which run converted
        parts, metadata = call(registered.flatten_func, value)[:2]
        make = partial(call, registered.unflatten_func)
    packed = [pack(part) for part in parts]
    shapes = tuple([shape for _, shape in packed])
    node = Node(type(value), metadata, shapes, lambda items: make(metadata, items))
    return tuple([part for part, _ in packed]), node


def unpack(parts: Any, shape: Node | None) -> Any:
    """The inverse of `pack`."""
    if shape is None:
        return parts
    return shape.make(tuple([unpack(part, inner) for part, inner in zip(parts, shape.parts, strict=True)]))


def _is_taken_apart(cls: type) -> bool:
    """Tuples, and the classes that optree knows and the tracer does not."""
    if cls is tuple:
        return True
    if cls in (list, dict) or hasattr(cls, "_make"):
        return False
    module = cls.__module__
    if module == "collections" and cls.__name__ in ("OrderedDict", "defaultdict", "deque"):
        return True
    if "optree" not in sys.modules:  # nobody can have registered anything
        return False
    import optree

    return optree.register_pytree_node.get(cls, namespace=NAMESPACE) is not None
