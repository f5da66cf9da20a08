"""The rules of operations, applied: one operation's cotangents pulled back, or its tangents pushed forward.

``pull_back`` calls the rule that stands in the operation's definition. ``push_forward`` needs no
other: the rule is linear in the cotangent, and its transpose maps tangents of the inputs to the
tangent of the
output. So the rule is written down once for a cotangent of zero, and that piece of graph is pulled
back from its results to the
cotangent; what the transpose does not need of it is dead code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runtime.gradients.errors import no_derivative
from runtime.gradients.scope import BlockScope, adjoint_type, fit, is_smooth, zero
from runtime.graph import Block, Operation, Value
from runtime.graph.liveness import free_in
from runtime.graph.rewrite import Rebuild
from runtime.ops import REGISTRY
from runtime.ops.definition import NoDerivative, Written
from runtime.ops.expressions import Expr
from runtime.ops.template import Hole
from runtime.types import ObjectType


def ends_here(op: Operation) -> bool:
    """Is the derivative of the operation zero wherever there is one?"""
    rule = REGISTRY[op.name].vjp
    return isinstance(rule, NoDerivative) and not rule.refused


def pull_back(
    scope: BlockScope,
    op: Operation,
    cotangents: Sequence[Value | None],
    inputs: Sequence[Value],
    outputs: Sequence[Value],
    wanted: Sequence[bool] | None = None,
) -> list[Value | None]:
    """The cotangents of the inputs of ``op``, not yet in their shapes. ``inputs`` and ``outputs``
    are the values that stand for those of the operation where the rule needs them; at least one
    cotangent is given. ``wanted``: which inputs are asked for (None: those that are no integers);
    to ask for one whose derivative the rule refuses raises GradientError."""
    rule = REGISTRY[op.name].vjp
    if not callable(rule):
        raise no_derivative(op)
    given = [
        scope.of(zero(scope, y) if g is None else g) if is_smooth(y.type) else None
        for g, y in zip(cotangents, outputs, strict=True)
    ]
    ys = [scope.of(y) for y in outputs]
    many = len(outputs) != 1
    start = len(scope.block.operations)
    found = rule(
        tuple(given) if many else given[0],
        tuple(ys) if many else ys[0],
        *[scope.of(x) for x in inputs],
        **op.attributes,
    )
    if isinstance(found, NoDerivative):
        raise no_derivative(op, found.reason)
    if isinstance(found, Written):
        again = found.results if many else (found.results,)
        return _through(scope, scope.block.operations[start:], again, given, inputs)
    asked = [is_smooth(x.type) for x in inputs] if wanted is None else wanted
    for c, is_asked in zip(found, asked, strict=False):
        if isinstance(c, NoDerivative) and is_asked:
            raise no_derivative(op, c.reason)
    assert all(c is None for c in found[len(inputs) :]), f"{op.name} has no such input"
    values = [_value_of(scope, c) for c in found[: len(inputs)]]
    return values + [None] * (len(inputs) - len(values))


def _through(
    scope: BlockScope,
    operations: Sequence[Operation],
    results: Sequence[Any],
    cotangents: Sequence[Any],
    inputs: Sequence[Value],
) -> list[Value | None]:
    """The cotangents of what ``operations`` compute ``results`` from."""
    smooth = list(dict.fromkeys([x for x in inputs if is_smooth(x.type)]))
    ends: dict[Value, Value] = {}
    pairs = zip(results, cotangents, strict=True)
    start = [(y.value, g.value) for y, g in pairs if isinstance(y, Expr) and g is not None]
    transpose(scope, operations, start, smooth, ends)
    return [ends.pop(x, None) for x in inputs]  # an input that is given twice gets all once


def _value_of(scope: BlockScope, cotangent: Any) -> Value | None:
    if cotangent is None or isinstance(cotangent, NoDerivative):
        return None
    return cotangent.value if isinstance(cotangent, Expr) else scope.constant(cotangent)


def push_forward(
    scope: BlockScope, op: Operation, tangents: Sequence[Value | None], outputs: Sequence[Value]
) -> list[Value | None]:
    """The tangents of the outputs of ``op``, given those of its inputs (None: zero)."""
    definition = REGISTRY[op.name]
    if definition.jvp is not None:
        return _stated(scope, op, tangents, outputs)
    block = Block()
    inner = BlockScope(block)
    inner.location = op.location
    given = [Value(adjoint_type(y.type), "g") if is_smooth(y.type) else None for y in outputs]
    wanted = [t is not None for t in tangents]
    pulled = pull_back(inner, op, given, op.inputs, outputs, wanted)
    ends: dict[Value, Value] = {}
    start: list[tuple[Value, Value]] = []
    for cotangent, tangent, x in zip(pulled, tangents, op.inputs, strict=True):
        if cotangent is not None and tangent is not None:
            start.append((fit(inner, cotangent, x), tangent))
    transpose(inner, list(block.operations), start, [g for g in given if g is not None], ends)
    found = [None if g is None else ends.get(g) for g in given]
    kept = needed(block.operations, [t for t in found if t is not None])
    prototypes = {g: y for g, y in zip(given, outputs, strict=True) if g is not None}
    for made in kept:  # what is left of the cotangent is its shape
        made.inputs = tuple([prototypes.get(x, x) for x in made.inputs])
    scope.block.operations += kept
    return found


def transposed(
    scope: BlockScope, block: Block, start: Sequence[tuple[Value, Value]], outputs: Sequence[Value]
) -> list[Value | None]:
    """The tangents of ``outputs``, given a block that makes adjoints of theirs, its parameters."""
    copy = Rebuild()
    copy.values = {value: value for value in free_in(block)}
    inner = BlockScope(copy.block(block))
    given = inner.block.params
    ends: dict[Value, Value] = {}
    pairs = [(copy.values[result], tangent) for result, tangent in start]
    fitted = [(fit(inner, result, tangent), tangent) for result, tangent in pairs]
    transpose(inner, list(inner.block.operations), fitted, given, ends)
    found = [ends.get(g) for g in given]
    kept = needed(inner.block.operations, [t for t in found if t is not None])
    prototypes = dict(zip(given, outputs, strict=True))
    for made in kept:
        made.inputs = tuple([prototypes.get(x, x) for x in made.inputs])
    scope.block.operations += kept
    return found


def needed(operations: Sequence[Operation], results: Iterable[Value]) -> list[Operation]:
    """Those of some operations without effects that the results are computed from."""
    wanted = set(results)
    kept = []
    for op in reversed(operations):
        if not wanted.isdisjoint(op.outputs):
            kept.append(op)
            wanted.update(op.inputs)
    return kept[::-1]


def _stated(
    scope: BlockScope, op: Operation, tangents: Sequence[Value | None], outputs: Sequence[Value]
) -> list[Value | None]:
    rule = REGISTRY[op.name].jvp
    assert rule is not None
    many = len(outputs) != 1
    ys = tuple([scope.of(y) for y in outputs])
    given = tuple([None if t is None else scope.of(t) for t in tangents])
    found = rule(given, ys if many else ys[0], *[scope.of(x) for x in op.inputs], **op.attributes)
    results = found if many else (found,)
    return [
        None if t is None else fit(scope, t.value, y) if isinstance(t, Expr) else scope.constant(t)
        for t, y in zip(results, outputs, strict=True)
    ]


def transpose(
    scope: BlockScope,
    operations: Sequence[Operation],
    start: Sequence[tuple[Value, Value]],
    cotangents: Sequence[Value],
    ends: dict[Value, Value],
) -> None:
    """Pull ``start`` (value, adjoint) back through operations in a row, which are linear in
    ``cotangents``, or computed from them as any function is."""
    linear = set(cotangents)
    for op in operations:
        if any(x in linear for x in op.inputs) and not ends_here(op):
            linear.update(y for y in op.outputs if is_smooth(y.type))

    def add(value: Value, contribution: Value) -> None:
        if value in linear:
            fitted = fit(scope, contribution, value)
            known = ends.get(value)
            ends[value] = fitted if known is None else scope.make("add", known, fitted)

    for value, adjoint in start:
        add(value, adjoint)
    for op in reversed(operations):
        adjoints = [ends.pop(y, None) for y in op.outputs]
        if all(a is None for a in adjoints):
            continue
        wanted = [x in linear for x in op.inputs]
        pulled = pull_back(scope, op, adjoints, op.inputs, op.outputs, wanted)
        for x, c in zip(op.inputs, pulled, strict=True):
            if c is not None:
                add(x, c)


def writes_unseen(op: Operation) -> bool:
    """Is it a call of a library's function that writes one of its arrays, though its effects don't say which?

    It gives nothing, or has a place for its result: rng.shuffle(y), np.put_along_axis(y, ...), out=y.
    """
    if not op.calls_python:
        return False
    args, kwargs = op.attributes["template"].structure
    function = op.attributes["function"]
    is_method = type(function).__name__ == "Method"
    if not op.outputs and (is_method or getattr(function, "is_tried", False)):
        given = op.inputs[1:] if is_method and type(args[0]) is Hole else op.inputs
        return any(isinstance(x.type, ObjectType) or is_smooth(x.type) for x in given)
    return any(
        (name == "out" or name.startswith("overwrite_")) and value is not None
        for name, value in kwargs.items()
    )
