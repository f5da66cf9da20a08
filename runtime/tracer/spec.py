"""The specs of trace-time values, and how two specs join.

A branch or an iteration gives each variable some Python value made of staged leaves. `spec_of` says what is
known of it (specs/spec.py); `join` gives the spec that can hold a value of either of two; `adapt` turns a
value into the flat graph values of a spec (emitting constants, casts, tags); `rebuild` is its inverse
(flattening.py).

>>> from runtime.types import FLOAT, INT
>>> print(join(Leaf(INT), Leaf(FLOAT)))
int | float
>>> join(Const(None), Leaf(FLOAT))
Variant(alternatives=(Const(value=None), Leaf(type=NumberType(kind='float'), boxed=False)))
"""

from __future__ import annotations

from typing import Any

import runtime.types as types
from autograph.operators import Undefined
from runtime.ops.instances import is_user_instance
from runtime.ops.template import is_more_than_items, refused_tuple
from runtime.specs.spec import (
    MANY,
    MAX_TEXTS,
    Const,
    Leaf,
    Spec,
    Tuple,
    Variant,
    generalise,
    kinds_of,
    order_of_numbers,
)
from runtime.tracer.builder import Staged, current, type_of_staged
from runtime.types import STR, JoinError


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


def reference_of(value: Any) -> Staged | None:
    """The object of the run that a trace-time instance stands for, as a staged value."""
    builder = current()
    return None if builder is None else builder.reference_of(value)


def is_run_time(value: Any) -> bool:
    """Is the value itself known only at run time?"""
    return isinstance(value, Staged | Choice) or reference_of(value) is not None


def has_run_time(key: Any) -> bool:
    """Is a key, or a bound of a slice, or an item of a tuple, known only at run time?"""
    parts = (key.start, key.stop, key.step) if isinstance(key, slice) else key
    return any(map(has_run_time, parts)) if isinstance(parts, tuple) else is_run_time(key)


def spec_of(value: Any) -> Spec:
    """The spec of a trace-time value."""
    if isinstance(value, Staged):
        return Leaf(value.type, is_boxed(value))
    if isinstance(value, Choice):
        return Variant(tuple(map(spec_of, value.values)))
    if isinstance(value, tuple):
        if is_more_than_items(value):
            raise refused_tuple(value)
        return Tuple(tuple(map(spec_of, value)), type(value))
    reference = reference_of(value)
    return Const(value) if reference is None else Leaf(reference.type)


def is_boxed(value: Any) -> bool:
    return bool(getattr(value, "boxed", False))


def join(a: Spec, b: Spec) -> Spec:
    """The spec that holds a value of either, each with the type that it has.

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
    leaf_a, leaf_b = generalise(a), generalise(b)
    for text, leaf in ((a, leaf_b), (b, leaf_a)):
        if leaf == Leaf(STR) and isinstance(text, Const) and type(text.value) is str:
            return leaf
    if isinstance(leaf_a, Leaf) and isinstance(leaf_b, Leaf) and leaf_a.boxed == leaf_b.boxed:
        builder = current()
        if builder is not None:
            builder.unite_containers(leaf_a.type, leaf_b.type)
        return Leaf(types.join(leaf_a.type, leaf_b.type), leaf_a.boxed)
    raise JoinError("of different kinds")  # nobody reads it: the words of both would take longest


def _one_or_several(alternatives: list[Spec]) -> Spec:
    """Many known strings are one that only a run knows: `+` makes as many as there are paths."""
    texts = [a for a in alternatives if isinstance(a, Const) and type(a.value) is str]
    known_by_run = Leaf(STR) in alternatives
    if texts and (known_by_run or len(texts) > MAX_TEXTS):
        alternatives = [a for a in alternatives if a not in texts]
        alternatives += [] if known_by_run else [Leaf(STR)]
    alternatives.sort(key=order_of_numbers)
    return alternatives[0] if len(alternatives) == 1 else Variant(tuple(alternatives))


def is_instance(value: Any) -> bool:
    """Is it an instance of a user's class, as converted code holds it?"""
    return not isinstance(value, Staged | Choice | type) and is_user_instance(value)
