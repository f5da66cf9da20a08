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
    leaf_types,
)
from runtime.tracer.builder import emit
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
    values = value.values if isinstance(value, Choice) else (value,)
    targets = [place_of(spec_of(v), spec) for v in values]
    tag = retag(value.tag, targets) if isinstance(value, Choice) else targets[0]
    flat = [convert_leaf(trace.value_of(tag), INT, trace)]
    for position, alternative in enumerate(spec.alternatives):
        mine = [(k, values[k]) for k, target in enumerate(targets) if target == position]
        if not mine:
            flat += [undefined(t, trace) for t in leaf_types(alternative)]
        else:
            flat += adapt(chosen(value, mine), alternative, trace)
    return flat


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
    for exactly in (spec, generalise(spec)):
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


def rebuild(spec: Spec, values: Iterator[Value], trace: Trace) -> Any:
    """The trace-time value of a spec over flat graph values: the inverse of ``adapt``."""
    if isinstance(spec, Leaf):
        staged = trace.wrap(next(values))
        return staged.boxed_as_tensor() if spec.boxed else staged
    if isinstance(spec, Const):
        return spec.value
    if isinstance(spec, Variant):
        tag = trace.wrap(next(values))
        return Choice(tag, tuple([rebuild(s, values, trace) for s in spec.alternatives]))
    return tuple.__new__(spec.cls, [rebuild(s, values, trace) for s in spec.items])
