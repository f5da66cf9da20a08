"""Arrays of the items of a list, and the list of the items of an array, where a run knows the length.

That is ``np.array``, ``np.stack`` and their like, and ``x.tolist()``.

>>> from runtime.tracer.spec import Leaf
>>> from runtime.types import parse_type
>>> print(type_of_joined(Leaf(parse_type("f64[3]")), "stack", {"axis": 1}))
f64[3,None]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.staged.containers import new_list
from runtime.staged.operands import refuse
from runtime.tracer.builder import Staged, emit
from runtime.tracer.spec import Leaf, Spec, Tuple, Variant
from runtime.types import ArrayType, ContainerType, NumberType, ScalarType, Type, type_of


def is_list(items: Any) -> bool:
    """A list of which only a run knows the length."""
    return isinstance(items, Staged) and isinstance(items.type, ContainerType)


def joined(function: str, items: Any, **attributes: Any) -> Any:
    """``np.function(items)``, which makes one array of the items of such a list."""
    kind = type_of_joined(items.element, function, attributes)
    return emit("list.to_array", [items], function=function, arguments=attributes, type=kind)


def list_of(array: Any) -> Any:
    """``array.tolist()`` as lists that a run makes, one site for each dimension."""
    containers = array.builder.containers
    element: Spec = Leaf(type_of(array.dtype.type(0).item()))
    for dimension in range(array.ndim - 1, 0, -1):
        site = (containers.here(), "tolist", dimension)
        containers.admit(frozenset({site}), element)
        element = Leaf(containers.type_at("list", site))
    return new_list(containers, "list.tolist", (array,), element)


def type_of_joined(element: Spec | None, function: str, arguments: dict[str, Any]) -> Type:
    """The type of ``np.function(items)``. What the kinds of items leave open is promoted, as in an array."""
    if element is None:
        return ArrayType(np.dtype(arguments.get("dtype", "float64")), (None,))
    try:
        short, long = [getattr(np, function)(_sample(element, n) * n, **arguments) for n in (2, 3)]
    except (ValueError, TypeError) as error:
        raise refuse(
            f"np.{function}() of a list of {element}: {error}", "make the items alike first"
        ) from None
    if short.dtype == object:
        raise refuse(f"np.{function}() of a list of {element}", "put numbers or arrays into the list")
    shape = tuple([n if n == m else None for n, m in zip(short.shape, long.shape, strict=True)])
    return ArrayType(short.dtype, shape)


def _sample(element: Spec, length: int) -> list[Any]:
    """An item of each kind, unknown lengths being ``length``."""
    if isinstance(element, Variant):
        return [item for kind in element.alternatives for item in _sample(kind, length)]
    if isinstance(element, Tuple):
        return [tuple([_sample(item, length)[0] for item in element.items])]
    kind = element.type if isinstance(element, Leaf) else None
    if isinstance(kind, NumberType):
        return [kind.dtype.type(1).item()]
    if isinstance(kind, ScalarType):
        return [kind.dtype.type(1)]
    if isinstance(kind, ArrayType):
        return [np.ones([length if n is None else n for n in kind.shape], kind.dtype)]
    if isinstance(kind, ContainerType) and kind.element is not None:
        return [_sample(kind.element, length) * length]
    return [None]
