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
>>> join(Leaf(INT), Leaf(FLOAT))
Leaf(type=NumberType(kind='float'), boxed=False)
>>> join(Const(None), Leaf(FLOAT))
Variant(alternatives=(Const(value=None), Leaf(type=NumberType(kind='float'), boxed=False)))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

import runtime.types as types
from autograph.operators import Undefined
from runtime.graph import Value
from runtime.guards.keys import are_same
from runtime.ops.template import is_more_than_items, refused_tuple
from runtime.tracer.builder import Staged, type_of_staged
from runtime.types import INT, STR, ArrayType, JoinError, Type, type_of

NUMBERS = (bool, int, float, complex)
#: classes of what never changes
CONSTANTS = frozenset({*NUMBERS, str, bytes, type(None)})

#: so many kinds of numbers are kept apart
MAX_KINDS = 6
#: and so many strings
MAX_TEXTS = 4
#: a choice of more values than these is handled as a whole
MANY = 6


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Tuple:
    items: tuple[Spec, ...]
    cls: type = tuple

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class List:
    items: tuple[Spec, ...]


@dataclass(frozen=True)
class Dict:
    keys: tuple[Any, ...]
    items: tuple[Spec, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dict) and self.has_keys_of(other) and self.items == other.items

    def has_keys_of(self, other: Dict) -> bool:
        """Are the keys the same ones, in the same order? True and 1 are equal, and are not."""
        return self.keys == other.keys and are_same(self.keys, other.keys)


@dataclass(frozen=True)
class Object:
    """An instance of a user's class made during the trace: its class and its attributes.

    ``real``: the world outside may hold it too, so a run has an object for it.
    """

    cls: type
    keys: tuple[str, ...]
    items: tuple[Spec, ...]
    real: bool = False


@dataclass(frozen=True)
class Variant:
    alternatives: tuple[Spec, ...]  # none of them a Variant, no two of them joinable

    def __str__(self) -> str:
        return " | ".join(map(str, self.alternatives))


Spec: TypeAlias = Leaf | Const | Tuple | List | Dict | Object | Variant


class Choice:
    """A value of a Variant spec: ``tag`` (a staged int) says which of ``values`` it is."""

    __slots__ = ("tag", "values")
    __array_ufunc__ = None  # operators of NumPy's scalars leave it to the choice, whose values answer them

    def __init__(self, tag: Any, values: tuple[Any, ...]) -> None:
        self.tag = tag
        self.values = values

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
    """The spec that holds a value of either. Always possible: where nothing else is, as a Variant."""
    if a == b:
        return a
    try:
        return unify(a, b)
    except JoinError:
        return join_variants(a, b)


def unify(a: Spec, b: Spec) -> Spec:
    """Join without a Variant at the top. Raises JoinError."""
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
    if isinstance(leaf_a, Leaf) and isinstance(leaf_b, Leaf):
        unite_containers(leaf_a.type, leaf_b.type)
        boxed = leaf_a.boxed or leaf_b.boxed
        return Leaf(types.join(leaf_a.type, leaf_b.type, tensors=boxed), boxed)
    raise JoinError("of different kinds")  # nobody reads it: the words of both would take longest


def join_kinds(a: Spec, b: Spec) -> Spec:
    """``join`` without promotion: numbers of two kinds stay apart, as what was put in a container does.

    >>> print(join_kinds(Leaf(INT), Leaf(types.FLOAT)))
    int | float
    """
    kinds: list[Spec] = []
    for kind in (*kinds_of(a), *kinds_of(b)):
        kind = generalise(kind) if isinstance(kind, Const) else kind
        for position, old in enumerate(kinds):
            joined = _join_same_kind(old, kind)
            if joined is not None:
                kinds[position] = joined
                break
        else:
            kinds.append(kind)
    if len(kinds) > MAX_KINDS:
        return _join_promoting(a, b)
    return _one_or_several(kinds)


def _join_same_kind(a: Spec, b: Spec) -> Spec | None:
    """A join that promotes nothing; None where there is none."""
    if a == b:
        return a
    if isinstance(a, Tuple) and isinstance(b, Tuple) and a.cls is b.cls and len(a.items) == len(b.items):
        return Tuple(tuple(map(join_kinds, a.items, b.items)), a.cls)
    if isinstance(a, Leaf) and isinstance(b, Leaf):
        if a.boxed != b.boxed or not is_same_kind(a.type, b.type):
            return None
        return Leaf(types.join(a.type, b.type), a.boxed)
    try:
        return unify(a, b)
    except JoinError:
        return None


def is_same_kind(a: Type, b: Type) -> bool:
    """Is a join of the two no promotion?"""
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return a.dtype == b.dtype and a.ndim == b.ndim
    return a == b


def join_variants(a: Spec, b: Spec) -> Spec:
    """Values of two kinds, of which a value of either spec already is one, are not promoted.

    >>> from runtime.types import parse_type
    >>> ints, floats = Leaf(parse_type("i64[3]")), Leaf(parse_type("f64[3]"))
    >>> print(join_variants(join_kinds(ints, floats), ints))
    i64[3] | f64[3]
    """
    if _keeps_kinds_apart(a) or _keeps_kinds_apart(b):
        return join_kinds(a, b)
    return _join_promoting(a, b)


def _keeps_kinds_apart(spec: Spec) -> bool:
    held = [kind.type for kind in kinds_of(spec) if isinstance(kind, Leaf)]
    numbers, dtypes = filter(is_number, held), {t.dtype for t in held if isinstance(t, ArrayType)}
    return len([*numbers]) > 1 or len(dtypes) > 1


def is_number(type: Type) -> bool:
    return isinstance(type, types.NumberType | types.ScalarType)


def _join_promoting(a: Spec, b: Spec) -> Spec:
    if len(kinds_of(b)) > max(MANY, len(kinds_of(a))):
        a, b = b, a  # which need no other numbers then
    alternatives = list(a.alternatives if isinstance(a, Variant) else (a,))
    for new in b.alternatives if isinstance(b, Variant) else (b,):
        for position, old in enumerate(alternatives):
            if old == new:
                break
            try:
                alternatives[position] = unify(old, new)
                break
            except JoinError:
                continue
        else:
            alternatives.append(new)
    return _one_or_several(alternatives)


def _one_or_several(alternatives: list[Spec]) -> Spec:
    """Many known strings are one that only a run knows: `+` makes as many as there are paths."""
    texts = [a for a in alternatives if isinstance(a, Const) and type(a.value) is str]
    known_by_run = Leaf(STR) in alternatives
    if texts and (known_by_run or len(texts) > MAX_TEXTS):
        alternatives = [a for a in alternatives if a not in texts]
        alternatives += [] if known_by_run else [Leaf(STR)]
    return alternatives[0] if len(alternatives) == 1 else Variant(tuple(alternatives))


def kinds_of(spec: Spec | None) -> tuple[Spec, ...]:
    """The alternatives of a variant; any other spec by itself; none for None."""
    if spec is None:
        return ()
    return spec.alternatives if isinstance(spec, Variant) else (spec,)


def leaf_types(spec: Spec) -> list[Type]:
    """The types of the flat graph values of a spec."""
    if isinstance(spec, Leaf):
        return [spec.type]
    if isinstance(spec, Const):
        return []
    if isinstance(spec, Variant):
        return [INT, *(t for alternative in spec.alternatives for t in leaf_types(alternative))]
    if isinstance(spec, Object) and spec.real:
        return [types.OBJECT, *(t for item in spec.items for t in leaf_types(item))]
    return [t for item in spec.items for t in leaf_types(item)]


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
