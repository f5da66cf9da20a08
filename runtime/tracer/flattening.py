"""Trace-time values as the flat values of a graph, and back: what crosses the edge of a block.

`adapt` gives a value the leaves of a spec, `rebuild` makes the value of a spec from leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import runtime.types as types
from autograph import operators
from runtime.graph import Operation, Value
from runtime.specs.spec import (
    Const,
    Leaf,
    Spec,
    Variant,
    generalise,
    is_number,
    is_read_off,
    leaf_types,
    widest,
)
from runtime.tracer.builder import emit, type_of_staged
from runtime.tracer.spec import Choice, spec_of, unify
from runtime.tracer.trace import Trace
from runtime.types import INT, ContainerType, Type


def adapt(value: Any, spec: Spec, trace: Trace) -> list[Value]:
    """The flat graph values of ``value`` as ``spec``, which must be a join of the value's own spec."""
    if isinstance(spec, Variant):
        return adapt_variant(value, spec, trace)
    if isinstance(value, Choice):  # all of its alternatives have become one
        typed: Callable[[Any], Any] = lambda one: trace.wrap(adapt(one, spec, trace)[0])
        value = chosen(value, list(enumerate(value.values)), typed if isinstance(spec, Leaf) else None)
    if isinstance(spec, Leaf):
        if type(value) is tuple and isinstance(spec.type, ContainerType):
            value = trace.containers.tuple_of_run(value, spec.type)
        return [convert_leaf(trace.value_of(value), spec.type, trace)]
    if isinstance(spec, Const):
        return []
    return [v for item, part in zip(value, spec.items, strict=True) for v in adapt(item, part, trace)]


def adapt_variant(value: Any, spec: Variant, trace: Trace) -> list[Value]:
    values, places = (value.values, None) if isinstance(value, Choice) else ((value,), 0)
    targets = [place_of(spec_of(v), spec) for v in values]
    if places is None:
        tag = retag(value.tag, targets)
    else:
        tag = targets[0]
    flat = [convert_leaf(trace.value_of(tag), INT, trace)]
    converted = widest(spec.alternatives)
    for position, alternative in enumerate(spec.alternatives):
        if position == converted:
            flat.append(promoted_number(value, alternative, trace))
            continue
        if is_read_off(spec.alternatives, position, converted):
            continue
        mine = [
            (k, v) for k, (v, target) in enumerate(zip(values, targets, strict=True)) if target == position
        ]
        if not mine:
            flat += [undefined(t, trace) for t in leaf_types(alternative)]
        else:
            flat += adapt(chosen(value, mine), alternative, trace)
    return flat


def promoted_number(value: Any, leaf: Any, trace: Trace) -> Value:
    """The number that ``value`` is, as one of the type of ``leaf``; anything where it is no number."""
    if isinstance(value, Choice) and type_of_staged(value.promoted) == leaf.type:
        return trace.value_of(value.promoted)
    tags = range(len(value.values)) if isinstance(value, Choice) else (0,)
    values = value.values if isinstance(value, Choice) else (value,)
    found: Any = None
    for tag, one in zip(tags, values, strict=True):
        spec = generalise(spec_of(one))
        if isinstance(spec, Leaf) and is_number(spec.type) and not spec.boxed:
            number = trace.wrap(convert_leaf(trace.value_of(one), leaf.type, trace))
            if found is None:
                found = number
            else:
                found = emit("py.select", [emit("py.eq", [value.tag, tag]), number, found])
    return undefined(leaf.type, trace) if found is None else trace.value_of(found)


def chosen(choice: Any, mine: list[tuple[int, Any]], typed: Callable[[Any], Any] | None = None) -> Any:
    """One value for those alternatives of a choice that have become one; ``typed`` gives each its type."""
    (tag, value), *rest = mine
    this = lambda: value if typed is None else typed(value)
    if not rest:
        return this()
    return operators.if_exp(emit("py.eq", [choice.tag, tag]), this, lambda: chosen(choice, rest, typed))


def retag(tag: Any, targets: list[int]) -> Any:
    """The tag after the alternatives moved to the positions ``targets``."""
    if targets == list(range(len(targets))):
        return tag
    result: Any = targets[-1]
    for position in range(len(targets) - 2, -1, -1):
        result = emit("py.select", [emit("py.eq", [tag, position]), targets[position], result])
    return result


def place_of(spec: Spec, variant: Variant) -> int:
    for exactly in (spec, generalise(spec)):  # before those that it would be promoted to
        if exactly in variant.alternatives:
            return variant.alternatives.index(exactly)
    for position, alternative in enumerate(variant.alternatives):
        if unify(alternative, spec) == alternative:
            return position
    raise AssertionError(f"{spec} is no alternative of {variant}")


def convert_leaf(value: Value, type: Type, trace: Trace) -> Value:
    """A cast where the kind or the dtype differs; a reference with another static shape needs none."""
    if types.is_subtype(value.type, type):
        return value
    return trace.append(Operation("cast", (value,), (type,), {"to": type})).output


def undefined(type: Type, trace: Trace) -> Value:
    """A value that nobody reads: the payload of an alternative that is not the chosen one."""
    return trace.append(Operation("undef", (), (type,), {"type": type})).output


def rebuild(spec: Spec, values: Iterator[Value], trace: Trace, from_adapt: bool = True) -> Any:
    """The trace-time value of a spec over flat graph values: the inverse of ``adapt``.

    ``from_adapt``: the values are what ``adapt`` gave, not the parts of an item of a container.
    """
    if isinstance(spec, Leaf):
        staged = trace.wrap(next(values))
        return staged.boxed_as_tensor() if spec.boxed else staged
    if isinstance(spec, Const):
        return spec.value
    if isinstance(spec, Variant):
        tag = trace.wrap(next(values))
        return _rebuild_choice(tag, spec, values, trace, from_adapt)
    items = [rebuild(s, values, trace, from_adapt) for s in spec.items]
    made: Any = getattr(spec.cls, "_make", None)  # which of the bounds of a range makes a range
    return tuple.__new__(spec.cls, items) if made is None else made(items)


def _rebuild_choice(
    tag: Any, spec: Variant, values: Iterator[Value], trace: Trace, from_adapt: bool
) -> Choice:
    alternatives = spec.alternatives
    promoted = widest(alternatives) if from_adapt else None
    read_off = [is_read_off(alternatives, position, promoted) for position in range(len(alternatives))]
    held = [
        None if absent else rebuild(alternative, values, trace, from_adapt)
        for alternative, absent in zip(alternatives, read_off, strict=True)
    ]
    if promoted is None:
        return Choice(tag, tuple(held))
    wide = held[promoted]
    for position, alternative in enumerate(alternatives):
        if read_off[position]:
            held[position] = trace.wrap(convert_leaf(wide.value, alternative.type, trace))  # type: ignore
    return Choice(tag, tuple(held), wide)
