"""`sorted` and `sort` by numbers: NumPy finds their order, and items are taken in it.

The numbers are keys in a buffer, or what the items are, or what they begin with: tuples that begin with
different numbers are in the order of these.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from runtime.engines.native.arrays import new_array
from runtime.engines.native.elements import store
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, V, counted_loop, i64
from runtime.engines.native.objects import list_objects
from runtime.engines.native.objects.boxes import constant, incref, read_first
from runtime.engines.native.objects.building import structures_of
from runtime.engines.native.objects.layouts import LIST_ITEMS, layout
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import ArrayRef, Boxed, Rep, element_in, in_word
from runtime.graph import Operation
from runtime.ops.containers import order_of, order_of_first, stable_order
from runtime.ops.item_patterns import Pattern, Row, Typed
from runtime.ops.methods import METHODS
from runtime.ops.template import Hole
from runtime.specs.readers import pattern_of
from runtime.types import BOOL, FLOAT, INT, ArrayType, BufferType, ContainerType, NumberType, Type

_ORDER = ArrayType(np.dtype("int64"), (None,))
#: fewer items Python sorts in the time that NumPy takes to begin
_FEW = 48


def runs_in_machine_code(op: Operation) -> bool:
    if layout() is None:
        return False
    *args, reverse = structures_of(op)
    items = op.inputs[0].type
    if args != [Hole(k) for k in range(len(args))] or not isinstance(reverse, bool | Hole):
        return False
    if not isinstance(items, ContainerType) or items.name != "list":
        return False
    if not _has_keys(op):
        return _numbers_of(pattern_of(items.element)) is not None
    keys = op.inputs[1].type
    return isinstance(keys, BufferType) and in_word(keys.item)


def _has_keys(op: Operation) -> bool:
    return "q" in METHODS[op.name].takes


def _numbers_of(items: Pattern) -> NumberType | None:
    """The ints or floats that items are, or that they begin with."""
    first = items.parts[0] if isinstance(items, Row) and items.cls is tuple and items.parts else items
    return first.kind if isinstance(first, Typed) and first.kind in (INT, FLOAT) else None


def emit(code: Codegen, op: Operation) -> None:
    f, slow = code.f, SlowPath(code, op)
    items, kind = code.pointer_of(op.inputs[0]), op.inputs[0].type
    held: list[int] = []
    order_by: Callable[..., object] = order_of
    if isinstance(kind, ContainerType) and not _has_keys(op):
        pattern = pattern_of(kind.element)
        order_by = stable_order if isinstance(pattern, Typed) else order_of_first
        column = _column(code, op, items, pattern, slow, held)
        numbers: tuple[Rep, Type] = (column, column.type)
    else:
        numbers = code.reps[op.inputs[1]], op.inputs[1].type
    (order,) = code.call_python(order_by, [numbers, _reverse(code, op)], {}, [_ORDER], op.location)
    assert isinstance(order, ArrayRef)
    held.append(code.hold(order.holder))
    count = order.dims[0]
    slow.jump_if(f.compare("icmp ne", list_objects.length(code, items), count))
    fast: list[Rep] = []
    if not op.outputs:
        _move(code, items, order.data, count)
    else:
        made = f.call("ptr", "PyList_New", (count,))
        code.fail_if(f.compare("icmp eq", made, NULL), op.location)
        _fill(code, made, items, order.data, count)
        fast = [Boxed(made)]

    def give_back() -> None:
        for slot in held:
            code.release(slot)

    give_back()
    for rep in slow.finish(fast, before=give_back):
        code.bind(op.output, rep)


def _column(
    code: Codegen, op: Operation, items: V, pattern: Pattern, slow: SlowPath, held: list[int]
) -> ArrayRef:
    """The numbers that the items are, or begin with."""
    f, numbers = code.f, _numbers_of(pattern)
    assert numbers is not None
    count = list_objects.length(code, items)
    slow.jump_if(f.compare("icmp slt", count, i64(_FEW)))
    column = new_array(code, ArrayType(numbers.dtype, (None,)), [count], op.location)
    held.append(code.hold(column.holder))

    def take(k: V) -> None:
        (number,) = read_first(code, pattern, list_objects.item(code, items, k), slow.jump_if)
        store(f, element_in(number), f.offset(column.data, k, "i64"))

    counted_loop(f, i64(0), count, i64(1), take)
    return column


def _reverse(code: Codegen, op: Operation) -> tuple[Rep, Type]:
    reverse = structures_of(op)[-1]
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


def _move(code: Codegen, items: V, order: V, count: V) -> None:
    """Items of a list to these places; what says the places is used up."""
    f = code.f
    cells = f.load("ptr", f.offset(items, i64(LIST_ITEMS)))

    def take(k: V) -> None:
        at = f.offset(order, k, "i64")
        f.store(list_objects.item(code, items, f.load("i64", at)), at)

    def put(k: V) -> None:
        f.store(f.load("ptr", f.offset(order, k, "ptr")), f.offset(cells, k, "ptr"))

    counted_loop(f, i64(0), count, i64(1), take)
    counted_loop(f, i64(0), count, i64(1), put)
