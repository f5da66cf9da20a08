"""What a value is before a run: its spec.

    Leaf(type)              a staged number, scalar, array or object
    Const(object)           the same Python object every time (None, a string, a function, Undefined)
    Tuple                   a structure of specs
    Variant(alternatives)   one of several, chosen at run time by a tag: None or an array, 'a' or 'b'

>>> from runtime.types import FLOAT, INT
>>> print(Tuple((Leaf(INT), Variant((Const(None), Leaf(FLOAT))))))
(int, None | float)
>>> [str(type) for type in leaf_types(Variant((Const(None), Leaf(FLOAT))))]
['int', 'float']
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeGuard

import numpy as np

import runtime.types as types
from autograph.operators import Undefined
from autograph.records import record
from runtime.guards.keys import is_constant, mark
from runtime.types import INT, Type, type_of

NUMBERS = (bool, int, float, complex)
#: classes of what never changes
CONSTANTS = frozenset({*NUMBERS, str, bytes, type(None)})


#: so many strings are kept apart
MAX_TEXTS = 4
#: a choice of more values than these is handled as a whole
MANY = 6


@record(slots=False)
class Leaf:
    type: Type
    boxed: bool = False  # an rt.Tensor

    def __str__(self) -> str:
        return str(self.type)


@record
class Opaque:
    """What an item is that no run can have: a function made inside, say. The trace alone knows it.

    ``what`` and ``hint`` are said where somebody asks a run for it.
    """

    what: str
    hint: str
    cls: type | None = None  # of an object from outside, which the trace knows along a path
    is_in_run: bool = False  # a run has the thing itself, and cannot tell which one it is


@record
class Const:
    """A Python object known while tracing. Equal numbers and strings are the same constant."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and same_constant(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))

    def __str__(self) -> str:
        return "opaque" if isinstance(self.value, Opaque) else describe(self)


@record(slots=False)
class Tuple:
    items: tuple[Spec, ...]
    cls: type = tuple

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@record(slots=False)
class Variant:
    alternatives: tuple[Spec, ...]  # none of them a Variant, no two of them joinable

    def __str__(self) -> str:
        return " | ".join(map(str, self.alternatives))


Spec: TypeAlias = Leaf | Const | Tuple | Variant


def same_constant(a: Any, b: Any) -> bool:
    """Can no program tell two constants apart?"""
    if a is b:
        return True
    if type(a) is not type(b) or not is_compared(a):
        return False
    return isinstance(a, Undefined) or mark(a) == mark(b)


def is_compared(constant: Any) -> bool:
    """May another object be the same constant? There is one True, and one None."""
    kind = type(constant)  # nobody asks an object of the user's for its `__class__`
    return kind is not bool and (issubclass(kind, _COMPARED) or is_constant(constant))


_COMPARED = (*NUMBERS, np.generic, str, bytes, range, slice, type(Ellipsis), np.dtype, frozenset, Undefined)


def generalise(spec: Spec) -> Spec:
    """Numbers known at trace time become staged: what a loop carries is expected to change.

    >>> generalise(Const(1))
    Leaf(type=NumberType(kind='int'), boxed=False)
    """
    if isinstance(spec, Const) and (type(spec.value) in NUMBERS or isinstance(spec.value, np.generic)):
        return Leaf(type_of(spec.value))
    if isinstance(spec, Tuple):
        return Tuple(tuple(map(generalise, spec.items)), spec.cls)
    return spec


def is_number(type: Type) -> TypeGuard[types.NumberType | types.ScalarType]:
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
    if not isinstance(leaf, Leaf) or not isinstance(wide, Leaf) or leaf.boxed:
        return False
    return is_number(leaf.type) and is_number(wide.type) and leaf.type.dtype == wide.type.dtype


def _width(number: Any) -> tuple[int, int, bool]:
    return "biufc".index(number.dtype.kind), number.dtype.itemsize, isinstance(number, types.ScalarType)


def _converts(number: Any, to: Any) -> bool:
    """Is there a conversion that never fails, as NumPy or Python makes it?"""
    if "c" in (number.dtype.kind, to.dtype.kind) or to.dtype == np.float16:
        return False
    return to.dtype.kind == "f" or np.can_cast(number.dtype, to.dtype)


def order_of_numbers(spec: Spec) -> tuple[Any, ...]:
    """Numbers of the same types stand in the same order wherever they meet, so that tags need no change."""
    return (1, *_width(spec.type)) if isinstance(spec, Leaf) and is_number(spec.type) else (0,)


def kinds_of(spec: Spec | None) -> tuple[Spec, ...]:
    """The alternatives of a variant; any other spec by itself; none for None."""
    if spec is None:
        return ()
    return spec.alternatives if isinstance(spec, Variant) else (spec,)


def is_absent(spec: Spec) -> bool:
    """Does it say that nothing is there?"""
    return isinstance(spec, Const) and isinstance(spec.value, Undefined)


def without_absent(spec: Spec) -> Spec:
    """The same of what is surely there."""
    kinds = tuple([kind for kind in kinds_of(spec) if not is_absent(kind)])
    return kinds[0] if len(kinds) == 1 else Variant(kinds) if kinds else spec


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
    return [t for item in spec.items for t in leaf_types(item, of_item)]


def describe(spec: Spec) -> str:
    """A spec in words, for error messages.

    >>> describe(Variant((Const(None), Leaf(types.FLOAT))))
    'None or a float'
    """
    if isinstance(spec, Leaf):
        return f"{'an' if str(spec.type)[0] in 'aeiou' else 'a'} {spec.type}"
    if isinstance(spec, Const):
        if isinstance(spec.value, Undefined):
            return "unbound"
        if isinstance(spec.value, Opaque):
            return spec.value.what
        plain = spec.value is None or isinstance(spec.value, (*NUMBERS, str, bytes, np.generic))
        return repr(spec.value) if plain else f"a {type(spec.value).__name__}"  # no code of the user's runs
    if isinstance(spec, Variant):
        return " or ".join(map(describe, spec.alternatives))
    return f"a {spec.cls.__name__} of ({', '.join(map(describe, spec.items))})"
