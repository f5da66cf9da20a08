"""`heappush` and `heappop` on lists of numbers, of texts, or of tuples that begin with one, in machine code.

The items end up where `heapq` puts them. First it is found out where an item goes, and nothing is changed:
where machine code cannot tell which of two items is less (`ordering.py`), `heapq` does it all.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import TRUE, FunctionWriter, V, i64
from runtime.engines.native.objects import list_objects
from runtime.engines.native.objects.boxes import Check, can_read, decref, incref, load, own, read
from runtime.engines.native.objects.building import build, can_build, structures_of
from runtime.engines.native.objects.layouts import LIST_ITEMS, layout
from runtime.engines.native.objects.ordering import is_less, is_ordered, row_class
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import element_in
from runtime.graph import Operation
from runtime.ops.item_patterns import Pattern, Row, Same, Typed, class_of
from runtime.ops.template import Hole
from runtime.types import FLOAT, INT, STR, ContainerType, Type

#: no heap is deeper
_DEPTH = 64
#: the types of constants that are compared
_CONSTANTS: dict[type, Type] = {int: INT, float: FLOAT, str: STR}


def runs_in_machine_code(op: Operation) -> bool:
    if layout() is None:
        return False
    args, kind = structures_of(op), op.inputs[0].type
    is_list = isinstance(kind, ContainerType) and kind.name == "list" and args[0] == Hole(0)
    return is_list and all(map(can_build, args[1:])) and _is_known(_pattern(op))


def emit(code: Codegen, op: Operation) -> None:
    _EMIT[op.name](code, op)


def _pattern(op: Operation) -> Pattern | None:
    """What the items are. Of a tuple that is pushed only the first part counts."""
    _, *pushed = structures_of(op)
    if pushed:
        return _pattern_of(op, pushed[0])
    reader = op.attributes.get("reader")
    return None if reader is None else reader.pattern


def _pattern_of(op: Operation, structure: object) -> Pattern | None:
    if isinstance(structure, Hole):
        kind = op.inputs[structure.index].type
        return Typed(kind, class_of(kind))
    if type(structure) is tuple and structure:
        first = _pattern_of(op, structure[0])
        return None if first is None else Row(tuple, (first, *[Same(None)] * (len(structure) - 1)))
    constant = _CONSTANTS.get(type(structure))
    return None if constant is None else Typed(constant, type(structure))


def _is_known(pattern: Pattern | None) -> bool:
    return pattern is not None and can_read(pattern) and is_ordered(pattern)


class _Heap:
    """A list of which items are compared, until something is not as expected."""

    def __init__(self, code: Codegen, op: Operation, pattern: Pattern, wrong_if: Check) -> None:
        self.code, self.f, self.wrong_if = code, code.f, wrong_if
        self.pointer, self.rows = code.pointer_of(op.inputs[0]), row_class(pattern)
        is_number = isinstance(pattern, Typed) and pattern.kind in (FLOAT, INT)
        self.number = pattern if is_number and isinstance(pattern, Typed) else None

    def items(self) -> V:
        return self.f.load("ptr", self.f.offset(self.pointer, i64(LIST_ITEMS)))

    def at(self, items: V, place: V) -> V:
        return self.f.load("ptr", self.f.offset(items, place, "ptr"))

    def key_at(self, items: V, place: V) -> V:
        return self.key_of(self.at(items, place))

    def key_of(self, item: V) -> V:
        """What is compared of an item: a number, or the object."""
        if self.number is None:
            return item
        assert self.number.cls is not None
        return element_in(load(self.code, self.number.kind, self.number.cls, item, self.wrong_if)).value

    def is_less(self, a: V, b: V) -> V:
        if self.number is None:
            return is_less(self.code, a, b, self.rows, self.wrong_if)
        return self.f.compare("fcmp olt" if self.number.kind == FLOAT else "icmp slt", a, b)


def _push(code: Codegen, op: Operation) -> None:
    f, slow, structure = code.f, SlowPath(code, op), structures_of(op)[1]
    slot = code.hold(build(code, structure, op))
    new = f.load("ptr", code.slot_at(slot))
    pattern = _pattern(op)
    assert pattern is not None
    heap = _Heap(code, op, pattern, slow.jump_if)
    length = list_objects.length(code, heap.pointer)
    place = _Variable(f, "i64", length)
    key, items = heap.key_of(new), heap.items()

    def rise(stop: Callable[[V], None]) -> None:
        stop(f.compare("icmp eq", place.get(), i64(0)))
        parent = _parent(f, place.get())
        less = heap.is_less(key, heap.key_at(items, parent))
        stop(f.binary("xor", less, TRUE))
        place.set(parent)

    _repeat(f, rise)
    list_objects.append(code, heap.pointer, code.slot_take(slot), True, op.location)
    items = heap.items()
    hole = _Variable(f, "i64", length)

    def move(stop: Callable[[V], None]) -> None:
        here = hole.get()
        stop(f.compare("icmp eq", here, place.get()))
        parent = _parent(f, here)
        f.store(heap.at(items, parent), f.offset(items, here, "ptr"))
        hole.set(parent)

    _repeat(f, move)
    f.store(new, f.offset(items, place.get(), "ptr"))
    slow.finish([], before=lambda: code.release(slot))


def _pop(code: Codegen, op: Operation) -> None:
    f, slow, pattern = code.f, SlowPath(code, op), op.attributes["reader"].pattern
    heap = _Heap(code, op, pattern, slow.jump_if)
    length = list_objects.length(code, heap.pointer)
    slow.jump_if(f.compare("icmp eq", length, i64(0)), True)
    rest, items = f.binary("sub", length, i64(1)), heap.items()
    last, smallest = heap.at(items, rest), heap.at(items, i64(0))
    found = read(code, pattern, smallest, slow.jump_if)
    path = f.alloca("i64", _DEPTH + 1)
    depth = _way_down(heap, items, rest, path)
    _rise(heap, items, last, path, depth)
    own(code, found)
    incref(code, last)
    list_objects.drop_last(code, heap.pointer, rest, op.location)
    _shift(heap, last, path, depth, rest)
    decref(code, smallest)
    for value, rep in zip(op.outputs, slow.finish(found), strict=True):
        code.bind(value, rep)


def _way_down(heap: _Heap, items: V, count: V, path: V) -> _Variable:
    """The places that the smaller children of a heap lead to from its root; the last one has none."""
    f = heap.f
    place, depth = _Variable(f, "i64", i64(0)), _Variable(f, "i64", i64(0))
    f.store(i64(0), path)
    parents = f.binary("lshr", count, i64(1))

    def descend(stop: Callable[[V], None]) -> None:
        stop(f.compare("icmp uge", place.get(), parents))
        left = f.binary("add", f.binary("shl", place.get(), i64(1)), i64(1))
        right = f.binary("add", left, i64(1))
        place.set(left)
        two, one = f.label("two"), f.label("one")
        f.branch(f.compare("icmp ult", right, count), two, one)
        f.at(two)
        less = heap.is_less(heap.key_at(items, left), heap.key_at(items, right))
        place.set(f.select(less, left, right))
        f.jump(one)
        f.at(one)
        depth.set(f.binary("add", depth.get(), i64(1)))
        f.store(place.get(), f.offset(path, depth.get(), "i64"))

    _repeat(f, descend)
    return depth


def _rise(heap: _Heap, items: V, last: V, path: V, depth: _Variable) -> None:
    """How far up that way, from its end, the item goes that was the last one."""
    f, key = heap.f, heap.key_of(last)

    def rise(stop: Callable[[V], None]) -> None:
        stop(f.compare("icmp eq", depth.get(), i64(0)))
        place = f.load("i64", f.offset(path, depth.get(), "i64"))
        less = heap.is_less(key, heap.key_at(items, place))
        stop(f.binary("xor", less, TRUE))
        depth.set(f.binary("sub", depth.get(), i64(1)))

    _repeat(f, rise)


def _shift(heap: _Heap, last: V, path: V, depth: _Variable, count: V) -> None:
    """Each item up the way by one, and the last one behind them."""
    f, some, done = heap.f, heap.f.label("some"), heap.f.label("shifted")
    f.branch(f.compare("icmp ne", count, i64(0)), some, done)
    f.at(some)
    items, k = heap.items(), _Variable(f, "i64", i64(0))

    def move(stop: Callable[[V], None]) -> None:
        stop(f.compare("icmp eq", k.get(), depth.get()))
        hole = f.load("i64", f.offset(path, k.get(), "i64"))
        k.set(f.binary("add", k.get(), i64(1)))
        place = f.load("i64", f.offset(path, k.get(), "i64"))
        f.store(heap.at(items, place), f.offset(items, hole, "ptr"))

    _repeat(f, move)
    place = f.load("i64", f.offset(path, depth.get(), "i64"))
    f.store(last, f.offset(items, place, "ptr"))
    f.jump(done)
    f.at(done)


class _Variable:
    """A variable of the function, which LLVM puts into a register."""

    def __init__(self, f: FunctionWriter, type: str, first: V) -> None:
        self.f, self.type, self.pointer = f, type, f.alloca(type)
        self.set(first)

    def get(self) -> V:
        return self.f.load(self.type, self.pointer)

    def set(self, value: V) -> None:
        self.f.store(value, self.pointer)


def _repeat(f: FunctionWriter, body: Callable[[Callable[[V], None]], None]) -> None:
    """A loop that goes on until its body stops it."""
    head, done = f.label("repeat"), f.label("done")
    f.jump(head)
    f.at(head)

    def stop(condition: V) -> None:
        going_on = f.label("go_on")
        f.branch(condition, done, going_on)
        f.at(going_on)

    body(stop)
    f.jump(head)
    f.at(done)


def _parent(f: FunctionWriter, place: V) -> V:
    return f.binary("lshr", f.binary("sub", place, i64(1)), i64(1))


_EMIT = {"list.heappush": _push, "list.heappop": _pop}
