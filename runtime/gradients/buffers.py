"""Buffers (ops/buffers.py) in both modes: beside a buffer stands a buffer of its adjoints, or tangents.

Undoing an append takes the last adjoint off, undoing a pop puts it back. So at each point the two are of
one length, and an index means one item in both. Each operation has its transpose, and these are no
exception: a derivative of a derivative is one more buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runtime.gradients.errors import no_derivative
from runtime.gradients.frames import Frame
from runtime.gradients.scope import BlockScope, copying, fit, is_smooth, zero
from runtime.graph import Operation, Value
from runtime.ops.buffers import adjoint_of
from runtime.types import ArrayType, BufferType, Type

#: the buffers beside, and the places of items
Made = Mapping[Value, Value]

# -- in the forward part -------------------------------------------------------------------------------


def beside(op: Operation, known: Callable[[Value], Value | None], scope: BlockScope) -> Value | None:
    """Write what the operation does to the buffer beside. Gives what stands beside its output: a buffer, or
    the place of the item that it is."""
    new = _NEW_BESIDE.get(op.name)
    if new is not None:
        return new(scope, op)
    buffer, change = known(op.inputs[0]), _CHANGED_BESIDE.get(op.name)
    return None if buffer is None or change is None else change(scope, op, buffer)


def _append_beside(scope: BlockScope, op: Operation, buffer: Value) -> None:
    scope.do("buffer.append", buffer, _zero(scope, buffer, op.inputs[1]))


def _pop_beside(scope: BlockScope, op: Operation, buffer: Value) -> None:
    scope.make("buffer.pop", buffer)


def _place_of_extreme(scope: BlockScope, op: Operation, buffer: Value) -> Value:
    return scope.make("buffer.place_of_extreme", op.inputs[0], function=op.attributes["function"])


_NEW_BESIDE: dict[str, Callable[[BlockScope, Operation], Value]] = {
    "buffer.new": lambda scope, op: scope.make(op.name, item=adjoint_of(op.output.expect(BufferType)).item),
    "buffer.zeros_like": lambda scope, op: scope.make("buffer.zeros_like", op.output),
}
_CHANGED_BESIDE: dict[str, Callable[[BlockScope, Operation, Value], Value | None]] = {
    "buffer.append": _append_beside, "buffer.pop": _pop_beside, "buffer.extreme": _place_of_extreme,
}  # fmt: skip


def _zero(scope: BlockScope, buffer: Value, like: Value) -> Value:
    """The adjoint of an item that nothing came for yet."""
    return zero(scope, like) if isinstance(like.type, ArrayType) else _zero_number(scope, buffer)


def _zero_number(scope: BlockScope, buffer: Value) -> Value:
    assert isinstance(buffer.type, BufferType)
    return scope.constant(buffer.type.item.dtype.type(0))


def _copied(scope: BlockScope, item: Value) -> Value:
    """An item that may be memory which others have as well."""
    return scope.make(copying(item), item) if isinstance(item.type, ArrayType) else item


# -- backwards -----------------------------------------------------------------------------------------


def _append(frame: Frame, op: Operation, buffer: Value, made: Made) -> None:
    frame.add(op.inputs[1], _copied(frame.scope, frame.scope.make("buffer.pop", buffer)))


def _pop(frame: Frame, op: Operation, buffer: Value, made: Made) -> None:
    g = frame.take(op.output)
    given = _zero(frame.scope, buffer, op.output) if g is None else _copied(frame.scope, g)
    frame.scope.do("buffer.append", buffer, given)


def _item(frame: Frame, op: Operation, buffer: Value, made: Made) -> None:
    g = frame.take(op.output)
    if g is not None:
        frame.scope.do("buffer.add_item", buffer, op.inputs[1], g)


def _extreme(frame: Frame, op: Operation, buffer: Value, made: Made) -> None:
    g = frame.take(op.output)
    if g is not None:
        frame.scope.do("buffer.add_item", buffer, made[op.output], g)


def _set_item(frame: Frame, op: Operation, buffer: Value, made: Made) -> None:
    index, value = op.inputs[1:]
    if frame.activity.is_active(value):
        frame.add(value, _copied(frame.scope, frame.scope.make("buffer.item", buffer, index)))
    frame.scope.do("buffer.set_item", buffer, index, _zero(frame.scope, buffer, value))


def _add_item(frame: Frame, op: Operation, buffer: Value, made: Made) -> None:
    if frame.activity.is_active(op.inputs[2]):
        frame.add(op.inputs[2], _copied(frame.scope, frame.scope.make("buffer.item", buffer, op.inputs[1])))


def _add_to_all(frame: Frame, op: Operation, buffer: Value, made: Made) -> None:
    if frame.activity.is_active(op.inputs[1]):
        frame.add(op.inputs[1], _total(frame.scope, buffer))


def _to_array(frame: Frame, op: Operation, buffer: Value, made: Made) -> None:
    if len(op.outputs) > 1:
        raise no_derivative(op, "the list may hold numbers of several types; begin with floats")
    g = frame.take(op.output)
    if g is not None:
        attributes = {key: op.attributes[key] for key in ("function", "arguments")}
        frame.scope.do("buffer.add_array", buffer, _of_dtype(frame.scope, g, buffer), **attributes)


def _add_array(frame: Frame, op: Operation, buffer: Value, made: Made) -> None:
    if frame.activity.is_active(op.inputs[1]):
        frame.add(op.inputs[1], _as_array(frame.scope, buffer, op.attributes, op.inputs[1].type))


def _nothing(frame: Frame, op: Operation, buffer: Value, made: Made) -> None:
    pass


def _of_dtype(scope: BlockScope, g: Value, buffer: Value) -> Value:
    assert isinstance(buffer.type, BufferType) and isinstance(g.type, ArrayType)
    if g.type.dtype.kind == "c":
        g = scope.make("real", g)
    wanted = buffer.type.item.dtype
    return g if g.dtype == wanted else scope.make("astype", g, dtype=wanted)


def _total(scope: BlockScope, buffer: Value) -> Value:
    return scope.make("buffer.sum", buffer, _zero_number(scope, buffer))


def _as_array(scope: BlockScope, buffer: Value, how: Mapping[str, Any], type: Type) -> Value:
    """The items as an array of that type, made as another one was."""
    assert isinstance(buffer.type, BufferType) and isinstance(type, ArrayType)
    dtype, function, arguments = buffer.type.item.dtype, how["function"], how["arguments"]
    if function in ("array", "asarray"):  # of no items it has a dtype of its own
        arguments = {**arguments, "dtype": dtype}
    types = (ArrayType(dtype, type.shape),)
    return scope.make("buffer.to_array", buffer, function=function, arguments=arguments, types=types)


def reverse_buffer(frame: Frame, op: Operation, made: Made) -> None:
    """Undo an operation on a buffer; ``made`` has the buffers beside."""
    buffer = made.get(op.inputs[0]) if op.inputs else None
    undo = _BACKWARDS[op.name]
    if buffer is not None or undo is _sum:
        undo(frame, op, buffer, made)


def _sum(frame: Frame, op: Operation, buffer: Value | None, made: Made) -> None:
    """The result may be of one of several types; what is not its type got nothing."""
    for y in op.outputs:
        g = frame.take(y)
        if g is not None:
            frame.add(op.inputs[1], g)
            if buffer is not None:
                frame.scope.do("buffer.add_to_all", buffer, g)


_BACKWARDS: dict[str, Callable[[Frame, Operation, Any, Made], None]] = {
    "buffer.extreme": _extreme,
    "buffer.sum": _sum,
    "buffer.new": _nothing,
    "buffer.zeros_like": _nothing,
    "buffer.append": _append,
    "buffer.pop": _pop,
    "buffer.len": _nothing,
    "buffer.item": _item,
    "buffer.place_of_extreme": _nothing,
    "buffer.set_item": _set_item,
    "buffer.add_item": _add_item,
    "buffer.add_to_all": _add_to_all,
    "buffer.to_array": _to_array,
    "buffer.add_array": _add_array,
}


# -- forward mode --------------------------------------------------------------------------------------


def push_forward_buffer(
    op: Operation,
    scope: BlockScope,
    made: dict[Value, Value],
    tangent: Callable[[BlockScope, Value], Value],
) -> None:
    """Write what the operation does to tangents."""
    new = _NEW_BESIDE.get(op.name)
    if new is not None:
        made[op.output] = new(scope, op)
        return
    buffer, rule = made.get(op.inputs[0]), _FORWARDS.get(op.name)
    if rule is not None:
        rule(op, scope, made, buffer)
    elif buffer is not None:
        scope.do(op.name, buffer, *op.inputs[1:-1], tangent(scope, op.inputs[-1]), **op.attributes)


def _push_sum(op: Operation, scope: BlockScope, made: dict[Value, Value], buffer: Value | None) -> None:
    total = None if buffer is None else _total(scope, buffer)
    if op.inputs[1] in made:
        start = made[op.inputs[1]]
        total = start if total is None else scope.make("add", total, start)
    if total is not None:
        made.update({y: fit(scope, total, y) for y in op.outputs if is_smooth(y.type)})


def _push_extreme(op: Operation, scope: BlockScope, made: dict[Value, Value], buffer: Value | None) -> None:
    if buffer is not None:
        made[op.output] = scope.make("buffer.item", buffer, _place_of_extreme(scope, op, buffer))


def _push_array(op: Operation, scope: BlockScope, made: dict[Value, Value], buffer: Value | None) -> None:
    if buffer is None or not is_smooth(op.outputs[-1].type):
        return
    if len(op.outputs) > 1:
        raise no_derivative(op, "the list may hold numbers of several types; begin with floats")
    made[op.output] = fit(scope, _as_array(scope, buffer, op.attributes, op.output.type), op.output)


def _push_item(op: Operation, scope: BlockScope, made: dict[Value, Value], buffer: Value | None) -> None:
    if buffer is not None:
        made[op.output] = scope.make(op.name, buffer, *op.inputs[1:])


def _push_nothing(op: Operation, *_: Any) -> None:
    pass


#: what is not done likewise to the buffer beside
_FORWARDS: dict[str, Callable[[Operation, BlockScope, dict[Value, Value], Value | None], None]] = {
    "buffer.sum": _push_sum,
    "buffer.extreme": _push_extreme,
    "buffer.to_array": _push_array,
    "buffer.pop": _push_item,
    "buffer.item": _push_item,
    "buffer.len": _push_nothing,
    "buffer.place_of_extreme": _push_nothing,
}
