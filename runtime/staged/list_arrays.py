"""Arrays of the items of a list, and lists of anything that gives items, where a run knows the length.

That is ``np.array``, ``np.stack`` and their like, ``x.tolist()``, ``list(...)`` and ``text.join(...)``.

>>> from runtime.tracer.spec import Leaf
>>> from runtime.types import parse_type
>>> print(*types_of_joined(Leaf(parse_type("f64[3]")), "stack", {"axis": 1}))
f64[3,None]
>>> print(*types_of_joined(Variant((Leaf(parse_type("int")), Leaf(parse_type("f32")))), "array", {}))
i64[None] f32[None] f64[None]
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from autograph.operators import for_stmt
from runtime.control_flow.indexed import Indexed
from runtime.specs.spec import Leaf, Spec, Tuple, Variant
from runtime.staged.containers import View, items_of, new_list
from runtime.staged.objects import StagedObject
from runtime.tracer.builder import Staged, emit, refuse
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.types import STR, ArrayType, ContainerType, NumberType, ScalarType, type_of


def is_list(items: Any) -> bool:
    """A list of which only a run knows the length."""
    return isinstance(items, Staged) and isinstance(items.type, ContainerType)


def joined(function: str, items: Any, **attributes: Any) -> Any:
    """``np.function(items)``, which makes one array of the items of such a list.

    Where they are of several kinds, its dtype hangs on which of them the list holds.
    """
    types = types_of_joined(items.element, function, attributes)
    made = emit("list.to_array", [items], function=function, arguments=attributes, types=types)
    return made if len(types) == 1 else Choice(made[0], made[1:])


def list_of(array: Any) -> Any:
    """``array.tolist()`` as lists that a run makes, one site for each dimension."""
    containers = array.builder.containers
    element: Spec = Leaf(type_of(array.dtype.type(0).item()))
    for dimension in range(array.ndim - 1, 0, -1):
        site = (containers.here(), "tolist", dimension)
        containers.admit(frozenset({site}), element)
        element = Leaf(containers.type_at("list", site))
    return new_list(containers, "list.tolist", (array,), element)


def types_of_joined(element: Spec | None, function: str, arguments: dict[str, Any]) -> tuple[ArrayType, ...]:
    """The types that ``np.function(items)`` may have: that of each kind of items, and of several together."""
    if element is None:
        return (ArrayType(np.dtype(arguments.get("dtype", "float64")), (None,)),)
    make = getattr(np, function)
    try:
        short, long = [make(_samples(element, n) * n, **arguments) for n in (2, 3)]
        dtypes = list(dict.fromkeys([make([item] * 2, **arguments).dtype for item in _samples(element, 2)]))
    except (ValueError, TypeError) as error:
        raise refuse(
            f"np.{function}() of a list of {element}: {error}", "make the items alike first"
        ) from None
    if short.dtype == object:
        raise refuse(f"np.{function}() of a list of {element}", "put numbers or arrays into the list")
    shape = tuple([n if n == m else None for n, m in zip(short.shape, long.shape, strict=True)])
    for dtype in dtypes:  # grows meanwhile
        dtypes += {np.promote_types(dtype, other) for other in dtypes} - {*dtypes}
    return tuple([ArrayType(dtype, shape) for dtype in dtypes])


def _samples(element: Spec, length: int) -> list[Any]:
    """An item of each kind, unknown lengths being ``length``."""
    if isinstance(element, Variant):
        return [item for kind in element.alternatives for item in _samples(kind, length)]
    if isinstance(element, Tuple):
        return list(itertools.product(*[_samples(item, length) for item in element.items]))
    kind = element.type if isinstance(element, Leaf) else None
    if isinstance(kind, NumberType):
        return [kind.dtype.type(1).item()]
    if isinstance(kind, ScalarType):
        return [kind.dtype.type(1)]
    if isinstance(kind, ArrayType):
        return [np.ones([length if n is None else n for n in kind.shape], kind.dtype)]
    if isinstance(kind, ContainerType) and kind.element is not None:
        return [[item] * length for item in _samples(kind.element, length)]
    return [None]


def as_list(trace: Trace, items: Any, role: str = "items") -> Any:
    """The items as a list that a run knows; NotImplemented for what is none of ours. (See `new_list`.)"""
    containers = trace.containers
    if is_list(items):
        return items.items_now() if items.type.is_mapping or items.type.name == "set" else items
    if isinstance(items, Staged) and isinstance(items.type, ArrayType) and items.type.ndim:
        return new_list(containers, "list.of", (items,), items_of(containers, items)[1], role=role)
    if isinstance(items, Staged) and items.type == STR:
        return items.letters()  # type: ignore[attr-defined]
    if isinstance(items, View) and items.was_just_made():
        return new_list(containers, "list.of", (items.items,), items.items.element, role=role)
    if isinstance(items, Indexed):
        made = new_list(containers, "list.new", ([],), None, role=role)
        for_stmt(items, None, lambda item: made.append(item))
        return made
    if isinstance(items, list | tuple):
        return containers.make(list(items), (containers.here(), "list", role))
    return NotImplemented


def join(trace: Trace, separator: Any, items: Any) -> Any:
    """``separator.join(items)``."""
    if type(items) is StagedObject:
        raise items.unknown("joining the items of")
    return emit("list.join", [separator, as_list(trace, items)])
