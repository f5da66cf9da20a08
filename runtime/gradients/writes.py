"""Stores and reads of memory, undone: what the backward part does to shadow memory.

A store ``x[i] = v`` is, backwards, ``v' += x'[i]; x'[i] = 0``: first the store is undone, then the
value that was stored gets what was found there, for the value may have been read from the same
memory. An update ``x[i] += v`` (`updates.py`) is ``v' += x'[i]`` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.gradients.errors import no_derivative
from runtime.gradients.frames import Frame
from runtime.gradients.rules import pull_back
from runtime.gradients.scope import copying, is_smooth
from runtime.gradients.sweep import Sweep
from runtime.graph import Operation, Value
from runtime.ops import REGISTRY
from runtime.ops.definition import Dynamic
from runtime.ops.indexing import is_basic
from runtime.types import ArrayType


def _getitem(sweep: Sweep, op: Operation, frame: Frame) -> None:
    x, *dynamic = op.inputs
    activity = sweep.activity
    if not activity.is_active(op.output) or not activity.is_active(x):
        return
    scope = frame.scope
    if not activity.is_shadowed(x):  # a number, or an array of which one number is left
        g = frame.take(op.output)
        if g is not None:
            frame.add(x, g)
        return
    index, shadow = op.attributes["index"], sweep.shadows.of(x)
    if sweep.shadows.is_view(op):
        return
    g = frame.take(op.output)
    if g is None or op in sweep.updates.reads:  # its adjoint is still in its place
        return
    items = [sweep.before(i, op) for i in dynamic]
    if is_basic(index, [i.type for i in dynamic]):
        total = scope.make("add", scope.make("getitem", shadow, *items, index=index), g)
        scope.do("setitem", shadow, total, *items, index=index)
    else:
        scope.do("additem", shadow, g, *items, index=index)


def _setitem(sweep: Sweep, op: Operation, frame: Frame) -> None:
    x, value, *dynamic = op.inputs
    if not sweep.activity.is_active(x):
        return
    scope, index, shadow = frame.scope, op.attributes["index"], sweep.shadows.of(x)
    items = [sweep.before(i, op) for i in dynamic]
    if not is_basic(index, [i.type for i in dynamic]):
        found = scope.make("shadow_pull", shadow, *items, index=index)
        frame.add(value, found)
        return
    wanted = sweep.activity.is_active(value)
    part = scope.make("getitem", shadow, *items, index=index) if wanted else None
    if part is not None and isinstance(part.type, ArrayType):
        part = scope.make(copying(part), part)
    if op not in sweep.updates.stores:
        scope.do("setitem", shadow, scope.constant(0.0), *items, index=index)
    if part is not None:
        frame.add(value, part)


def _additem(sweep: Sweep, op: Operation, frame: Frame) -> None:
    x, value, *dynamic = op.inputs
    if not sweep.activity.is_active(x) or not sweep.activity.is_active(value):
        return
    items = [sweep.before(i, op) for i in dynamic]
    found = frame.scope.make("getitem", sweep.shadows.of(x), *items, index=op.attributes["index"])
    frame.add(value, _copied(frame, found))


def _copied(frame: Frame, found: Value) -> Value:
    return frame.scope.make(copying(found), found) if isinstance(found.type, ArrayType) else found


def _clear(frame: Frame, shadow: Value) -> Value:
    """The content of shadow memory, which becomes zero."""
    found = frame.scope.make(copying(shadow), shadow)
    frame.scope.do("copyto", shadow, frame.scope.constant(0.0), casting="unsafe")
    return frame.content(found)


def _assignment(sweep: Sweep, op: Operation, frame: Frame) -> None:
    """``copyto``, ``fill``: the whole array."""
    target, source = op.inputs
    if not sweep.activity.is_active(target):
        return
    shadow = sweep.shadows.of(target)
    if sweep.activity.is_active(source):
        frame.add(source, _clear(frame, shadow))
    else:
        frame.scope.do("copyto", shadow, frame.scope.constant(0.0), casting="unsafe")


def _inplace(sweep: Sweep, op: Operation, frame: Frame) -> None:
    """``x += y`` leaves the adjoint of ``x`` as it is; others compute, and store."""
    x, y = op.inputs
    if not sweep.activity.is_active(x):
        return
    ufunc = op.attributes["ufunc"]
    if ufunc not in ("add", "subtract"):
        _computed(sweep, op, frame, [x, y])
    elif sweep.activity.is_active(y):
        found = frame.content(sweep.shadows.of(x))
        if ufunc == "subtract":
            found = frame.scope.make("negative", found)
        elif isinstance(y.type, ArrayType) and not sweep.activity.is_shadowed(y):
            found = _copied(frame, found)
        frame.add(y, found)


def _ufunc_out(sweep: Sweep, op: Operation, frame: Frame) -> None:
    if sweep.activity.is_active(op.inputs[0]):
        _computed(sweep, op, frame, op.inputs[1:])


def _computed(
    sweep: Sweep,
    op: Operation,
    frame: Frame,
    inputs: Sequence[Value],
    cotangent: Value | None = None,
    mask: Value | None = None,
) -> None:
    """The result of a ufunc of ``inputs`` was stored in the first input of ``op``, where ``mask`` holds."""
    target = op.inputs[0]
    ufunc = op.attributes["ufunc"]
    if ufunc not in REGISTRY:
        raise no_derivative(op)
    if cotangent is None:
        cotangent = _clear(frame, sweep.shadows.of(target))
    pseudo = Operation.typed(ufunc, inputs, {}, op.location)
    operands, result = [sweep.before(x, op) for x in inputs], sweep.after(target, op)
    if mask is not None:
        operands = [_where(frame, mask, x, ufunc) for x in operands]
        result = _where(frame, mask, result, ufunc)
    start = len(frame.block.operations)
    pulled = pull_back(frame.scope, pseudo, [cotangent], operands, [result])
    frame.add_each(inputs, pulled, start)


def _masked(sweep: Sweep, op: Operation, frame: Frame, mask: Value) -> Value:
    """What the adjoint of the target has where the mask holds; it becomes zero there."""
    scope, shadow = frame.scope, sweep.shadows.of(op.inputs[0])
    where = sweep.before(mask, op)
    found = scope.make("where", where, shadow, scope.constant(0.0))
    scope.do("copyto_masked", shadow, scope.constant(0.0), where, casting="unsafe")
    return found


def _copyto_masked(sweep: Sweep, op: Operation, frame: Frame) -> None:
    if sweep.activity.is_active(op.inputs[0]):
        frame.add(op.inputs[1], _masked(sweep, op, frame, op.inputs[2]))


def _ufunc_masked(sweep: Sweep, op: Operation, frame: Frame) -> None:
    if sweep.activity.is_active(op.inputs[0]):
        mask = sweep.before(op.inputs[1], op)
        _computed(sweep, op, frame, op.inputs[2:], _masked(sweep, op, frame, op.inputs[1]), mask)


def _where(frame: Frame, mask: Value, x: Value, ufunc: str) -> Value:
    """The operand, with a number where the mask does not hold of which the derivative is finite."""
    if not is_smooth(x.type):
        return x
    safe = x.dtype.type(2.0 if ufunc == "arccosh" else 0.5)
    return frame.scope.make("where", mask, x, frame.scope.constant(safe))


def _ufunc_at(sweep: Sweep, op: Operation, frame: Frame) -> None:
    """``np.add.at(x, index, value)``: every item that the index names gets its part."""
    x, index, *values = op.inputs
    if not sweep.activity.is_active(x):
        return
    if op.attributes["ufunc"] not in ("add", "subtract") or not values:
        raise no_derivative(op)
    at = sweep.before(index, op)
    found = _copied(frame, frame.scope.make("getitem", sweep.shadows.of(x), at, index=(Dynamic(0),)))
    frame.add(values[0], found if op.attributes["ufunc"] == "add" else frame.scope.make("negative", found))


def _shadow_merge(sweep: Sweep, op: Operation, frame: Frame) -> None:
    """``x += y`` where the two are not one memory: backwards, the other way round."""
    x, y = op.inputs
    if sweep.activity.is_active(x):
        frame.scope.do("shadow_merge", sweep.shadows.of(y), sweep.shadows.of(x), **op.attributes)


def _shadow_pull(sweep: Sweep, op: Operation, frame: Frame) -> None:
    """Items were read, and set to zero: backwards, set to what came for them."""
    x, *dynamic = op.inputs
    if not sweep.activity.is_active(x):
        return
    g = frame.take(op.output)
    items = [sweep.before(i, op) for i in dynamic]
    given = frame.scope.constant(0.0) if g is None else g
    frame.scope.do("setitem", sweep.shadows.of(x), given, *items, index=op.attributes["index"])


#: how each operation on memory is undone
REVERSE: dict[str, Callable[[Sweep, Operation, Frame], None]] = {
    "getitem": _getitem,
    "setitem": _setitem,
    "additem": _additem,
    "copyto": _assignment,
    "fill": _assignment,
    "inplace": _inplace,
    "ufunc_out": _ufunc_out,
    "ufunc_masked": _ufunc_masked,
    "copyto_masked": _copyto_masked,
    "ufunc_at": _ufunc_at,
    "shadow_merge": _shadow_merge,
    "shadow_pull": _shadow_pull,
}
