"""The static shape of a value that control flow carries: its spec, and how two specs join.

A branch or an iteration gives each variable some Python value made of staged leaves. Its *spec* says
everything about it that is known at trace time:

    Leaf(type)              a staged number, scalar, array or object
    Const(object)           the same Python object every time (None, a string, a function, Undefined)
    Tuple, List, Dict       structures of specs
    Variant(alternatives)   one of several, chosen at run time by a tag: None or an array, 'a' or 'b'

`join` gives the spec that can hold a value of either; `adapt` turns a value into the flat graph values of
a spec (emitting constants, casts, tags); `rebuild` is its inverse.

>>> from runtime.types import INT, FLOAT
>>> print(join(Leaf(INT), Leaf(FLOAT)))
int | float
>>> join(Const(None), Leaf(FLOAT))
Variant(alternatives=(Const(value=None), Leaf(type=NumberType(kind='float'), boxed=False)))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import runtime.types as types
from autograph.operators import Undefined
from autograph.records import record
from runtime.graph import Value
from runtime.guards.keys import are_same
from runtime.ops.template import is_more_than_items, refused_tuple
from runtime.tracer.builder import Staged, type_of_staged
from runtime.types import INT, STR, JoinError, Type, type_of

NUMBERS = (bool, int, float, complex)
#: classes of what never changes
CONSTANTS = frozenset({*NUMBERS, str, bytes, type(None)})

#: and so many strings
MAX_TEXTS = 4
#: a choice of more values than these is handled as a whole
MANY = 6


@record(slots=False)
class Leaf:
    type: Type
    boxed: bool = False  # an rt.Tensor

    def __str__(self) -> str:
        return str(self.type)


class Const:
    """A Python object known while tracing. Equal numbers and strings are the same constant."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and same_constant(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))

    def __repr__(self) -> str:
        return f"Const(value={self.value!r})"

    def __str__(self) -> str:
        return describe(self)


@record(slots=False)
class Tuple:
    items: tuple[Spec, ...]
    cls: type = tuple

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@record(slots=False)
class List:
    items: tuple[Spec, ...]


@record(slots=False)
class Dict:
    keys: tuple[Any, ...]
    items: tuple[Spec, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dict) and self.has_keys_of(other) and self.items == other.items

    def has_keys_of(self, other: Dict) -> bool:
        """Are the keys the same ones, in the same order? True and 1 are equal, and are not."""
        return self.keys == other.keys and are_same(self.keys, other.keys)


@record(slots=False)
class Object:
    """An instance of a user's class made during the trace: its class and its attributes.

    ``real``: the world outside may hold it too, so a run has an object for it.
    """

    cls: type
    keys: tuple[str, ...]
    items: tuple[Spec, ...]
    real: bool = False


@record(slots=False)
class Variant:
    alternatives: tuple[Spec, ...]  # none of them a Variant, no two of them joinable

    def __str__(self) -> str:
        return " | ".join(map(str, self.alternatives))


Spec: TypeAlias = Leaf | Const | Tuple | List | Dict | Object | Variant


class Choice:
    """A value of a Variant spec: ``tag`` (a staged int) says which of ``values`` it is.

    ``promoted``: where it is one of several numbers, that number, with the type that all of them can be
    converted to (see ``widest``); else, or where nobody has computed it, None.
    """

    __slots__ = ("promoted", "tag", "values")
    __array_ufunc__ = None  # operators of NumPy's scalars leave it to the choice, whose values answer them

    def __init__(self, tag: Any, values: tuple[Any, ...], promoted: Any = None) -> None:
        self.tag = tag
        self.values = values
        self.promoted = promoted

    def of(self, values: tuple[Any, ...]) -> Choice:
        """A choice of what stands for the same values elsewhere; numbers stay themselves."""
        return Choice(self.tag, values, self.promoted)

    def __repr__(self) -> str:
        kinds = {str(type_of_staged(value) or type(value).__name__) for value in self.values}
        return f"<{' or '.join(sorted(kinds))}, chosen at run time>"


def maybe_absent(value: Any) -> bool:
    """May nothing be there at run time?"""
    return isinstance(value, Choice) and any(isinstance(one, Undefined) for one in value.values)


class Identity:
    """A list, dict or object that others hold too: known by identity, its contents are slots of their own.

    ``made`` is the same as a structure, where nobody else holds it after all.
    """

    __slots__ = ("made", "value")

    def __init__(self, value: Any, made: Any = None) -> None:
        self.value = value
        self.made = made


class Made:
    """An instance as it was at the end of the block that made it: nobody else holds it."""

    __slots__ = ("cls", "held", "real")

    def __init__(self, cls: type, held: dict[str, Any], real: Value | None) -> None:
        self.cls = cls
        self.held = held
        self.real = real


def same_constant(a: Any, b: Any) -> bool:
    if a is b:
        return True
    kind = type(a)  # nobody asks an object of the user's for its `__class__`
    if kind is not type(b):
        return False
    if issubclass(kind, _ALL_NUMBERS):
        return repr(a) == repr(b)  # tells 0.0 from -0.0, and takes nan for itself
    return issubclass(kind, Undefined) or issubclass(kind, _COMPARED) and bool(a == b)


def is_compared(constant: Any) -> bool:
    """May another object be the same constant? There is one True, and one None."""
    return not isinstance(constant, bool) and isinstance(constant, (*_ALL_NUMBERS, *_COMPARED, Undefined))


_ALL_NUMBERS = (*NUMBERS, np.generic)
_COMPARED = (str, bytes, range, slice, type(Ellipsis), np.dtype)


#: lets containers that meet hold items of the same kinds from now on; set by tracer/trace.py
unite_containers: Callable[[Type, Type], None] = lambda a, b: None


#: the object of the run that a trace-time instance stands for, as a staged value; set by tracer/trace.py
reference_of: Callable[[Any], Staged | None] = lambda value: None


def is_run_time(value: Any) -> bool:
    """Is the value itself known only at run time?"""
    return isinstance(value, Staged | Choice) or reference_of(value) is not None


def has_run_time(key: Any) -> bool:
    """Is a key, or a bound of a slice, or an item of a tuple, known only at run time?"""
    parts = (key.start, key.stop, key.step) if isinstance(key, slice) else key
    return any(map(has_run_time, parts)) if isinstance(parts, tuple) else is_run_time(key)


def spec_of(value: Any) -> Spec:
    """The spec of a trace-time value."""
    if isinstance(value, Identity):
        return Const(value.value) if not isinstance(value.made, tuple | Choice) else spec_of(value.made)
    if isinstance(value, Made):
        return Object(
            value.cls, tuple(value.held), tuple(map(spec_of, value.held.values())), value.real is not None
        )
    if isinstance(value, Staged):
        return Leaf(value.type, is_boxed(value))
    if isinstance(value, Choice):
        return Variant(tuple(map(spec_of, value.values)))
    if isinstance(value, tuple):
        if is_more_than_items(value):
            return _spec_as_it_is(value)
        return Tuple(tuple(map(spec_of, value)), type(value))
    if type(value) is list:
        return List(tuple(map(spec_of, value)))
    if type(value) is dict:
        return Dict(tuple(value), tuple(map(spec_of, value.values())))
    reference = reference_of(value)
    return Const(value) if reference is None else Leaf(reference.type)


def _spec_as_it_is(value: tuple[Any, ...]) -> Const:
    """Of a tuple that is more than its items: the object itself, where a run cannot change what it holds."""
    if all(
        type(part) in CONSTANTS for part in (*tuple.__iter__(value), *getattr(value, "__dict__", {}).values())
    ):
        return Const(value)
    raise refused_tuple(value)


def is_boxed(value: Any) -> bool:
    return bool(getattr(value, "boxed", False))


def generalise(spec: Spec) -> Spec:
    """Numbers known at trace time become staged: what a loop carries is expected to change.

    >>> generalise(Const(1))
    Leaf(type=NumberType(kind='int'), boxed=False)
    """
    if isinstance(spec, Const) and (type(spec.value) in NUMBERS or isinstance(spec.value, np.generic)):
        return Leaf(type_of(spec.value))
    if isinstance(spec, Tuple):
        return Tuple(tuple(map(generalise, spec.items)), spec.cls)
    if isinstance(spec, List):
        return List(tuple(map(generalise, spec.items)))
    if isinstance(spec, Dict):
        return Dict(spec.keys, tuple(map(generalise, spec.items)))
    if isinstance(spec, Object):
        return Object(spec.cls, spec.keys, tuple(map(generalise, spec.items)), spec.real)
    return spec


def join(a: Spec, b: Spec) -> Spec:
    """The spec that holds a value of either, each with the type that it has: nothing is promoted.

    >>> from runtime.types import parse_type
    >>> print(join(Leaf(parse_type("i64[3]")), Leaf(parse_type("f64[3]"))))
    i64[3] | f64[3]
    """
    if a == b:
        return a
    if len(kinds_of(b)) > max(MANY, len(kinds_of(a))):
        a, b = b, a  # which need no other numbers then
    kinds = list(kinds_of(a))
    for new in kinds_of(b):
        for position, old in enumerate(kinds):
            try:
                kinds[position] = unify(old, new)
                break
            except JoinError:
                continue
        else:
            kinds.append(new)
    return _one_or_several(kinds)


def unify(a: Spec, b: Spec) -> Spec:
    """Join without a Variant at the top. Raises JoinError."""
    if a == b:
        return a
    if isinstance(a, Variant) or isinstance(b, Variant):
        raise JoinError("variants")
    if isinstance(a, Tuple) and isinstance(b, Tuple) and a.cls is b.cls and len(a.items) == len(b.items):
        return Tuple(tuple(map(join, a.items, b.items)), a.cls)
    if isinstance(a, List) and isinstance(b, List) and len(a.items) == len(b.items):
        return List(tuple(map(join, a.items, b.items)))
    if isinstance(a, Dict) and isinstance(b, Dict) and a.has_keys_of(b):
        return Dict(a.keys, tuple(map(join, a.items, b.items)))
    if isinstance(a, Object) and isinstance(b, Object) and a.cls is b.cls and set(a.keys) == set(b.keys):
        others = dict(zip(b.keys, b.items, strict=True))
        items = tuple([join(item, others[key]) for key, item in zip(a.keys, a.items, strict=True)])
        return Object(a.cls, a.keys, items, a.real or b.real)
    leaf_a, leaf_b = generalise(a), generalise(b)
    for text, leaf in ((a, leaf_b), (b, leaf_a)):
        if leaf == Leaf(STR) and isinstance(text, Const) and type(text.value) is str:
            return leaf
    if isinstance(leaf_a, Leaf) and isinstance(leaf_b, Leaf) and leaf_a.boxed == leaf_b.boxed:
        unite_containers(leaf_a.type, leaf_b.type)
        return Leaf(types.join(leaf_a.type, leaf_b.type), leaf_a.boxed)
    raise JoinError("of different kinds")  # nobody reads it: the words of both would take longest


def is_number(type: Type) -> bool:
    return isinstance(type, types.NumberType | types.ScalarType)


def widest(alternatives: tuple[Spec, ...]) -> int | None:
    """The position of the number type that all other numbers among the alternatives can be converted to.

    None where there are not several numbers, or none of their types holds them all. The flat values of a
    Variant hold the converted number there, whichever of the numbers was chosen.

    >>> widest((Leaf(INT), Const(None), Leaf(types.FLOAT)))
    2
    >>> widest((Leaf(INT), Leaf(types.parse_type("u8"))))
    """
    numbers = {
        position: leaf.type
        for position, leaf in enumerate(map(generalise, alternatives))
        if isinstance(leaf, Leaf) and is_number(leaf.type) and not leaf.boxed
    }
    found = max(numbers, key=lambda position: _width(numbers[position]), default=None)
    if found is None or len(numbers) < 2 or isinstance(alternatives[found], Const):
        return None
    return found if all(_converts(one, numbers[found]) for one in numbers.values()) else None


def is_read_off(alternatives: tuple[Spec, ...], position: int, promoted: int | None) -> bool:
    """Is the number at ``position`` the promoted one, but for its class? A float and an np.float64 are."""
    if promoted is None or position == promoted:
        return False
    leaf, wide = alternatives[position], alternatives[promoted]
    return isinstance(leaf, Leaf) and is_number(leaf.type) and not leaf.boxed and _same_bits(leaf, wide)


def _same_bits(leaf: Leaf, wide: Any) -> bool:
    return bool(leaf.type.dtype == wide.type.dtype)  # type: ignore[union-attr]


def _width(number: Any) -> tuple[int, int, bool]:
    return "biufc".index(number.dtype.kind), number.dtype.itemsize, isinstance(number, types.ScalarType)


def _converts(number: Any, to: Any) -> bool:
    """Is there a conversion that never fails, as NumPy or Python makes it?"""
    if "c" in (number.dtype.kind, to.dtype.kind) or to.dtype == np.float16:
        return False
    return to.dtype.kind == "f" or np.can_cast(number.dtype, to.dtype)


def _one_or_several(alternatives: list[Spec]) -> Spec:
    """Many known strings are one that only a run knows: `+` makes as many as there are paths."""
    texts = [a for a in alternatives if isinstance(a, Const) and type(a.value) is str]
    known_by_run = Leaf(STR) in alternatives
    if texts and (known_by_run or len(texts) > MAX_TEXTS):
        alternatives = [a for a in alternatives if a not in texts]
        alternatives += [] if known_by_run else [Leaf(STR)]
    alternatives.sort(key=_order_of_numbers)
    return alternatives[0] if len(alternatives) == 1 else Variant(tuple(alternatives))


def _order_of_numbers(spec: Spec) -> tuple[Any, ...]:
    """Numbers of the same types stand in the same order wherever they meet, so that tags need no change."""
    return (1, *_width(spec.type)) if isinstance(spec, Leaf) and is_number(spec.type) else (0,)


def kinds_of(spec: Spec | None) -> tuple[Spec, ...]:
    """The alternatives of a variant; any other spec by itself; none for None."""
    if spec is None:
        return ()
    return spec.alternatives if isinstance(spec, Variant) else (spec,)


def leaf_types(spec: Spec, of_item: bool = False) -> list[Type]:
    """The types of the flat graph values of a spec.

    ``of_item``: of an item of a container, taken apart by its `Reader`, which promotes nothing.
    """
    if isinstance(spec, Leaf):
        return [spec.type]
    if isinstance(spec, Const):
        return []
    if isinstance(spec, Variant):
        promoted = None if of_item else widest(spec.alternatives)
        kept = [
            alternative
            for position, alternative in enumerate(spec.alternatives)
            if not is_read_off(spec.alternatives, position, promoted)
        ]
        return [INT, *(t for alternative in kept for t in leaf_types(alternative, of_item))]
    if isinstance(spec, Object) and spec.real:
        return [types.OBJECT, *(t for item in spec.items for t in leaf_types(item, of_item))]
    return [t for item in spec.items for t in leaf_types(item, of_item)]


def describe(spec: Spec) -> str:
    """A spec in words, for error messages.

    >>> describe(join(Const(None), Leaf(types.FLOAT)))
    'None or a float'
    """
    if isinstance(spec, Leaf):
        return f"{'an' if str(spec.type)[0] in 'aeiou' else 'a'} {spec.type}"
    if isinstance(spec, Const):
        if isinstance(spec.value, Undefined):
            return "unbound"
        plain = spec.value is None or isinstance(spec.value, (*NUMBERS, str, bytes, np.generic))
        return repr(spec.value) if plain else f"a {type(spec.value).__name__}"  # no code of the user's runs
    if isinstance(spec, Variant):
        return " or ".join(map(describe, spec.alternatives))
    name = spec.cls.__name__ if isinstance(spec, Tuple | Object) else type(spec).__name__.lower()
    return f"a {name} of ({', '.join(map(describe, spec.items))})"
