"""The items of a container that a run knows: which kinds there are, and what two of them have in common.

The container is a real one, so its items are real objects of their own types. Where the items differ in
kind (ints and floats, arrays of two dtypes, None and a tuple) the spec of an element is a Variant of
exactly these kinds; a `Reader` (specs/readers.py) takes an item apart.

>>> from runtime.specs.spec import Leaf
>>> from runtime.types import FLOAT, INT
>>> element = join_elements(Leaf(INT), Leaf(FLOAT))
>>> print(element)
int | float
"""

from __future__ import annotations

import enum
import functools
import itertools
import operator
import types
from collections import Counter, OrderedDict, deque
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.operators import Undefined
from runtime.guards.keys import is_constant
from runtime.ops.instances import is_user_instance
from runtime.ops.item_patterns import KINDS
from runtime.ops.template import Make, is_more_than_items, mapped
from runtime.specs.spec import CONSTANTS, Const, Leaf, Opaque, Spec, Tuple, Variant, kinds_of
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import (
    Choice,
    alike,
    is_boxed,
    is_run_time,
    joined_kinds,
    one_or_several,
    reference_of,
    spec_of,
)
from runtime.tracer.static_places import made_in_trace
from runtime.tracer.trace import require_trace
from runtime.types import (
    EXCEPTION,
    OBJECT,
    PYTHON_TYPES,
    STR,
    ArrayType,
    ContainerType,
    InstanceType,
    JoinError,
    Type,
    join_shapes,
    type_of,
)

#: so many kinds of items are kept apart
MAX_KINDS = 12
_CONSTANTS = (str, bytes, type(None), range, slice, type(Ellipsis), np.dtype, enum.Enum)


#: an item of a list that lies in itself, or in others that the same place made
NESTED = Const(
    Opaque(
        "a list or dict that lies in others of its own kind to any depth",
        "make the nodes of a tree objects of a class of your own, or keep the copies in another list",
        is_in_run=True,
    )
)


def opaque_in(spec: Spec | None, in_containers: bool) -> Opaque | None:
    """What a run cannot have, in a value of this spec, if there is any; in what its containers hold, too?"""
    if isinstance(spec, Const):
        return spec.value if isinstance(spec.value, Opaque) else None
    if isinstance(spec, Leaf) and isinstance(spec.type, ContainerType) and in_containers:
        return opaque_in(spec.type.element, True)
    parts = spec.items if isinstance(spec, Tuple) else spec.alternatives if isinstance(spec, Variant) else ()
    return next((found for part in parts if (found := opaque_in(part, in_containers)) is not None), None)


def require_readable(spec: Spec | None, in_containers: bool = False) -> None:
    """Raises StagingError where a run is asked for what it cannot have."""
    opaque = opaque_in(spec, in_containers)
    if opaque is not None:
        if opaque.cls is not None:  # known from here on by what a run has
            require_trace().references.require_class_of(opaque.cls)
        raise refuse(
            f"{opaque.what} is read from a list, a dict or an object, and only a run knows which one it is",
            opaque.hint,
        )


def require_key(key: Any) -> None:
    """Raises StagingError for a key of a dict that a run cannot have."""
    opaque = opaque_in(element_of(key), False)
    if opaque is not None and not opaque.is_in_run:
        raise refuse(
            f"{_name_of(key)} is a key of a dict, and no run has it", "use a number or a text as the key"
        )


def of_run(value: Any) -> Any:
    """An item as a run has it: None in place of what only the trace knows."""
    if isinstance(value, Staged | Choice) or type(value) in CONSTANTS:
        return value
    if type(value) in (tuple, list, dict):
        return mapped(value, of_run)
    if not is_opaque(value) or isinstance(value, slice):  # a template makes the slice
        return value
    outside = require_trace().outside
    if not outside.is_outside(value):
        return None
    reference = outside.reference(value)
    return value if reference is None else reference


def is_opaque(value: Any) -> bool:
    """Can no run have it as an item? What refers to the trace, and what the trace alone may change: functions
    made inside, iterators, views."""
    if isinstance(value, _NEVER_OPAQUE) or type(value) in CONSTANTS:
        return False
    if isinstance(value, types.MethodType | types.BuiltinMethodType):
        owner = value.__self__
        is_of_trace = isinstance(owner, Staged | list | dict | set | deque) or is_user_instance(owner)
        return is_of_trace or made_in_trace(value)
    if isinstance(value, types.FunctionType):
        return made_in_trace(value)
    if is_user_instance(value):
        outside = require_trace().outside
        if reference_of(value) is not None or outside.is_outside(value):
            return reference_of(value) is None  # else it is one of ours
    return not (type(value) in KINDS or isinstance(value, BaseException) or is_constant_item(value))


def holds_opaque(value: Any) -> bool:
    """Is it such a thing, or one of several, or a tuple that has one?"""
    if isinstance(value, Choice | tuple):
        return any(map(holds_opaque, value.values if isinstance(value, Choice) else tuple.__iter__(value)))
    return is_opaque(value)


_NEVER_OPAQUE = (Staged, Choice, tuple, type, Undefined, np.generic, np.ndarray, Make)
#: each attempt makes others, which are called
_MADE_ANEW = (functools.partial, operator.itemgetter, operator.attrgetter, operator.methodcaller)


@functools.cache
def _opaque(what: str, hint: str, cls: type | None = None, is_in_run: bool = False) -> Const:
    """One for all of a kind, for constants are told apart by who they are."""
    return Const(Opaque(what, hint, cls, is_in_run))


def element_of(value: Any) -> Spec:
    """The spec of a trace-time value as an item of a container, or as an attribute. Raises StagingError
    where it can be none."""
    if isinstance(value, Staged):
        if value.type == OBJECT:
            raise refuse(
                "an object that is known only at run time is put into a list or dict",
                "put numbers, arrays, strings or tuples of them there",
            )
        return Leaf(value.type, is_boxed(value))
    if type(value) in PYTHON_TYPES.values() or isinstance(value, np.generic):
        return Leaf(type_of(value))
    if isinstance(value, tuple):
        if is_more_than_items(value):
            return spec_of(value)
        return Tuple(tuple(map(element_of, value)), type(value))
    if isinstance(value, Choice):
        return functools.reduce(join_elements, map(element_of, value.values))  # type: ignore[arg-type]
    kind = spec_of(value)
    if isinstance(kind, Leaf):
        return kind
    if is_opaque(value):
        outside = require_trace().outside
        is_outside = outside.is_outside(value)
        cls: Any = type(value) if is_outside and is_user_instance(value) else None
        return _opaque(_name_of(value), _HINT, cls, is_outside)
    return Leaf(EXCEPTION) if isinstance(value, BaseException) else Const(value)


_HINT = "keep the values that it uses there and call one function with them, or define it outside"


def _name_of(value: Any) -> str:
    if isinstance(value, types.FunctionType):
        return f"the function `{value.__name__}` made inside"
    if isinstance(value, types.MethodType | types.BuiltinMethodType):
        return f"the method `{value.__name__}`"
    return f"a {value.__class__.__name__}"  # as which it shows itself


def is_constant_item(value: Any) -> bool:
    """Is it a constant of the trace that each run has?"""
    if isinstance(value, (*_MADE_ANEW, Staged, Choice)) or hasattr(type(value), "__next__"):
        return False
    if isinstance(value, slice | frozenset):
        parts = value if isinstance(value, frozenset) else (value.start, value.stop, value.step)
        return not any(is_run_time(part) or is_opaque(part) for part in parts)
    return isinstance(value, _CONSTANTS) or is_constant(value) or callable(value)


def element_found(found: Any, standing: Any) -> Spec:
    """The spec of an item in a list from outside, for which ``standing`` stands in the trace."""
    if isinstance(standing, Staged | tuple) or reference_of(standing) is not None:
        return element_of(standing)
    if found is standing and (not is_opaque(standing) or require_trace().outside.is_outside(standing)):
        return element_of(standing)
    return _opaque(f"a {type(found).__name__}", "keep it in a variable or an attribute", is_in_run=True)


def element_of_key(key: Any) -> Spec:
    """The spec of a key in a dict from outside; a run may have it, and cannot tell which one it is."""
    found = element_of(key)
    if opaque_in(found, False) is not None:
        return _opaque(f"a {type(key).__name__}", "iterate over a list of the keys", is_in_run=True)
    return found


def element_of_real(value: Any, site: Any) -> Spec:
    """The spec of a real object, found in a container from outside. Raises StagingError."""
    found = element_of_all([value], site)
    assert found is not None
    return found


def element_of_all(items: Collection[Any], site: Any) -> Spec | None:
    """The spec that holds each of these real objects: those of one class are looked at together."""
    element: Spec | None = None
    for kind in dict.fromkeys(map(type, items)):
        same: Iterable[Any] = (item for item in items if type(item) is kind)
        if kind is int and not -(2**63) <= min(same := list(same)) <= max(same) < 2**63:
            what = "an int beyond 64 bits is in a list or dict of which only a run knows the items"
            raise refuse(what, "pass floats, or the large number as an argument of its own")
        if kind is str or kind in _OF_ONE_KIND:
            found: Spec | None = Leaf(STR) if kind is str else element_of(next(iter(same)))
        else:
            found = _element_of_class(kind, list(same), site)
        element = join_elements(element, found)
    return element


#: all objects of such a class are of one kind
_OF_ONE_KIND = (bool, int, float, complex, type(None))


def _element_of_class(kind: type, items: list[Any], site: Any) -> Spec | None:
    inner = ("items of", site)
    if kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_make")):
        element: Spec | None = None
        for length in dict.fromkeys(map(len, items)):  # they differ in what stands at each place of them
            columns = zip(*(item for item in items if len(item) == length), strict=True)
            parts: list[Any] = [element_of_all(column, site) for column in columns]
            element = join_elements(element, Tuple(tuple(parts), kind))
        return element
    if kind in (list, set, deque):
        held = element_of_all([*itertools.chain.from_iterable(items)], inner)
        return Leaf(ContainerType(kind.__name__, held, frozenset({inner})))
    if kind in (dict, Counter, OrderedDict):
        key = element_of_all([*itertools.chain.from_iterable(items)], inner)
        held = element_of_all([value for item in items for value in item.values()], inner)
        return Leaf(ContainerType(kind.__name__, held, frozenset({inner}), key))
    return functools.reduce(join_elements, [_element_of_one(item, site) for item in items], None)


def _element_of_one(value: Any, site: Any) -> Spec:
    if isinstance(value, np.ndarray):
        if type(value) is np.ndarray:
            return Leaf(type_of(value))
    elif is_user_instance(value):
        references = require_trace().references
        references.require_class(value)
        if references.is_real(type(value)):
            return Leaf(InstanceType(type(value).__name__, type(value)))
    elif isinstance(value, _MADE_ANEW):
        return Const(value)
    elif isinstance(value, enum.Enum) or not hasattr(value, "__dict__") or callable(value):
        element = element_of(value)
        if opaque_in(element, False) is None:
            return element
    raise refuse(
        f"`{site}` holds a {type(value).__name__}, and its length changes under a staged condition",
        "keep numbers, arrays, strings, or tuples and lists of them there",
    )


def join_elements(a: Spec | None, b: Spec | None) -> Spec | None:
    """The spec that holds an item of either, each with its own type."""
    if a is None or b is None or a == b:
        return b if a is None else a
    if NESTED in (a, b):
        return NESTED
    kinds = joined_kinds(a, b, _join_alike)
    if len(kinds) > MAX_KINDS:
        kinds = list(kinds_of(with_containers_joined(Variant(tuple(kinds)))))
    if len(kinds) > MAX_KINDS or any(one in kinds for one in _OF_MANY_KINDS):
        opaque = [kind.value for kind in kinds if isinstance(kind, Const) and isinstance(kind.value, Opaque)]
        return _OF_MANY_KINDS[all(one.is_in_run for one in opaque)]
    return one_or_several(kinds)


#: what is too various for a run to tell apart: the trace may know all the same which item it is
_OF_MANY_KINDS = tuple(
    Const(Opaque(f"an item of more than {MAX_KINDS} kinds", "use a container for each kind", None, is_in_run))
    for is_in_run in (False, True)
)


def nests_deeper(spec: Spec | None, levels: int) -> bool:
    """Do containers and tuples lie within each other in it, more than so many?"""
    if isinstance(spec, Variant):
        return any(nests_deeper(kind, levels) for kind in spec.alternatives)
    inner: Iterable[Spec | None] = ()
    if isinstance(spec, Tuple):
        inner = spec.items
    elif isinstance(spec, Leaf) and isinstance(spec.type, ContainerType):
        inner = (spec.type.element, spec.type.key)
    return any(levels == 0 or nests_deeper(part, levels - 1) for part in inner)


def _join_alike(a: Spec, b: Spec) -> Spec | None:
    return alike(a, b, join_elements, _join_leaves)


def _join_leaves(a: Type, b: Type) -> Type | None:
    if isinstance(a, ArrayType) and isinstance(b, ArrayType) and a.dtype == b.dtype:
        try:
            return ArrayType(a.dtype, join_shapes(a.shape, b.shape))
        except JoinError:
            return None
    if isinstance(a, ContainerType) and isinstance(b, ContainerType) and a.name == b.name:
        is_other = a.element is None or (a.element, a.key) != (b.element, b.key)
        if a.sites.isdisjoint(b.sites) and is_other:
            return None  # `{"losses": [], "names": []}`: they come to hold the same where a run asks for one
        return _joined_containers(a, b)
    return a if a == b else None


def with_containers_joined(spec: Spec | None) -> Spec | None:
    """The spec of an item of which only a run knows where it was: one for all lists that it may be."""
    if isinstance(spec, Tuple):
        return Tuple(tuple([with_containers_joined(item) for item in spec.items]), spec.cls)  # type: ignore[misc]
    if not isinstance(spec, Variant):
        return spec
    kinds: dict[Any, Spec] = {}  # lists by the name of their class, other kinds by themselves
    for kind in spec.alternatives:
        joined: Any = with_containers_joined(kind)
        is_container = isinstance(joined, Leaf) and isinstance(joined.type, ContainerType)
        name = joined.type.name if is_container else joined
        before: Any = kinds.get(name)
        merges = is_container and before is not None
        kinds[name] = Leaf(_joined_containers(before.type, joined.type)) if merges else joined
    return one_or_several(list(kinds.values()))


def _joined_containers(a: ContainerType, b: ContainerType) -> ContainerType:
    return replace(
        a,
        element=join_elements(a.element, b.element),
        key=join_elements(a.key, b.key),
        sites=a.sites | b.sites,
    )
