"""`sorted` by keys that are numbers in a buffer: NumPy finds the order, and items are taken in it."""

from __future__ import annotations

import numpy as np

from runtime.engines.native import list_objects
from runtime.engines.native.boxes import constant, incref
from runtime.engines.native.building import structures_of
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, V, counted_loop, i64
from runtime.engines.native.layouts import LIST_ITEMS, layout
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import ArrayRef, Boxed, Rep, in_register
from runtime.graph import Operation
from runtime.ops.containers import order_of
from runtime.ops.template import Hole
from runtime.types import BOOL, ArrayType, BufferType, ContainerType, Type

_ORDER = ArrayType(np.dtype("int64"), (None,))


def runs_in_machine_code(op: Operation) -> bool:
    if op.name != "list.sorted_by" or layout() is None:
        return False
    args, (items, keys) = structures_of(op), [value.type for value in op.inputs[:2]]
    return (
        args[:2] == (Hole(0), Hole(1))
        and (isinstance(args[2], bool | Hole))
        and (isinstance(items, ContainerType) and items.name == "list")
        and (isinstance(keys, BufferType) and in_register(keys.item))
    )


def emit(code: Codegen, op: Operation) -> None:
    f, slow = code.f, SlowPath(code, op)
    items = code.reps[op.inputs[0]]
    assert isinstance(items, Boxed)
    keys = (code.reps[op.inputs[1]], op.inputs[1].type)
    (order,) = code.call_python(order_of, [keys, _reverse(code, op)], {}, [_ORDER], op.location)
    assert isinstance(order, ArrayRef)
    held, count = code.hold(order.holder), order.dims[0]
    made = f.call("ptr", "PyList_New", (count,))
    code.fail_if(f.compare("icmp eq", made, NULL), op.location)
    result = code.hold(made)
    slow.jump_if(f.compare("icmp ne", list_objects.length(code, items.pointer), count))
    _fill(code, made, items.pointer, order.data, count)
    code.release(held)
    fast: list[Rep] = [Boxed(code.slot_take(result))]

    def give_back() -> None:
        code.release(held)
        code.release(result)

    (rep,) = slow.finish(fast, before=give_back)
    code.bind(op.output, rep)


def _reverse(code: Codegen, op: Operation) -> tuple[Rep, Type]:
    reverse = structures_of(op)[2]
    if isinstance(reverse, Hole):
        value = op.inputs[reverse.index]
        return code.reps[value], value.type
    return constant(code, reverse, BOOL), BOOL


def _fill(code: Codegen, made: V, items: V, order: V, count: V) -> None:
    """Items of a list, at these places, into a new list."""
    f = code.f
    cells = f.load("ptr", f.offset(made, i64(LIST_ITEMS)))

    def take(k: V) -> None:
        place = f.load("i64", f.offset(order, k, "i64"))
        item = list_objects.item(code, items, place)
        incref(code, item)
        f.store(item, f.offset(cells, k, "ptr"))

    counted_loop(f, i64(0), count, i64(1), take)
