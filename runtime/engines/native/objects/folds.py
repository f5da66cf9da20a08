"""`sum`, `min` and `max` of lists and tuples of numbers in machine code, and looking for a number in them.

Where an item is of another class, an int does not fit, or there is none, Python's function does it from the
start.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.engines.native.elements import BOOL, Element, convert
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import V, i64
from runtime.engines.native.objects import list_objects
from runtime.engines.native.objects.boxes import load
from runtime.engines.native.objects.building import structures_of
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Register, Rep, element_in
from runtime.graph import Operation
from runtime.ops.containers import SUM_IS_PLAIN
from runtime.ops.item_patterns import OneOf, Pattern, Typed
from runtime.ops.template import Hole
from runtime.types import FLOAT, INT, ContainerType, NumberType

_LESS = {("list.min", FLOAT): "fcmp olt", ("list.max", FLOAT): "fcmp ogt"}
_LESS |= {("list.min", INT): "icmp slt", ("list.max", INT): "icmp sgt"}


def runs_in_machine_code(op: Operation) -> bool:
    kind = op.inputs[0].type
    is_row = isinstance(kind, ContainerType) and kind.name in ("list", "tuple")
    if not is_row or structures_of(op) != tuple(map(Hole, range(len(op.inputs)))):
        return False
    return _FORMS[op.name][0](op)


def _can_search(op: Operation) -> bool:
    return len(op.inputs) == 2 and op.inputs[1].type in (FLOAT, INT)


def _can_compare(op: Operation) -> bool:
    return len(op.inputs) == 1 and isinstance(_pattern(op), Typed) and _number(op) is not None


def _can_add(op: Operation) -> bool:
    is_from_int = len(op.inputs) == 2 and op.inputs[1].type == INT
    return is_from_int and (_number(op) == INT or (SUM_IS_PLAIN and _number(op) == FLOAT))


def _pattern(op: Operation) -> Pattern | None:
    reader = op.attributes.get("reader")
    return None if reader is None else reader.pattern


def _number(op: Operation) -> NumberType | None:
    """The type of all items, as far as the result tells."""
    pattern = _pattern(op)
    if isinstance(pattern, OneOf):  # a sum of floats from an int on: of none it is the int
        kinds = [one.kind for one in pattern.alternatives if isinstance(one, Typed)]
        return FLOAT if kinds in ([INT, FLOAT], [FLOAT, INT]) and len(pattern.alternatives) == 2 else None
    return pattern.kind if isinstance(pattern, Typed) and pattern.kind in (FLOAT, INT) else None


def emit(code: Codegen, op: Operation) -> None:
    slow = SlowPath(code, op)
    found = _FORMS[op.name][1](code, op, slow)
    for value, rep in zip(op.outputs, slow.finish(found), strict=True):
        code.reps[value] = rep


def _extreme(code: Codegen, op: Operation, slow: SlowPath) -> list[Rep]:
    f, kind = code.f, _number(op)
    assert kind is not None
    order = _LESS[op.name, kind]
    slow.jump_if(f.compare("icmp eq", _length(code, op), i64(0)), True)

    def better(best: V, item: V) -> V:
        return f.select(f.compare(order, item, best), item, best)

    first = _item(code, op, kind, i64(0), slow)
    return [Register(Element(_fold(code, op, kind, first, better, slow), kind.dtype))]


def _sum(code: Codegen, op: Operation, slow: SlowPath) -> list[Rep]:
    f, kind, start = code.f, _number(op), code.reps[op.inputs[1]]
    assert kind is not None
    first = convert(f, element_in(start), kind.dtype).value
    pattern = op.attributes["reader"].pattern
    if kind == FLOAT and not isinstance(pattern, OneOf):
        slow.jump_if(f.compare("icmp eq", _length(code, op), i64(0)))

    def add(total: V, item: V) -> V:
        if kind == FLOAT:
            return f.binary("fadd", total, item)
        code.declare("declare {i64, i1} @llvm.sadd.with.overflow.i64(i64, i64)")
        both = f.call("{ i64, i1 }", "llvm.sadd.with.overflow.i64", (total, item))
        slow.jump_if(f.value("i1", f"extractvalue {both}, 1"))
        return f.value("i64", f"extractvalue {both}, 0")

    total: Rep = Register(Element(_fold(code, op, kind, first, add, slow), kind.dtype))
    if not isinstance(pattern, OneOf):
        return [total]
    numbers = [one.kind for one in pattern.alternatives if isinstance(one, Typed)]
    none = f.compare("icmp eq", _length(code, op), i64(0))
    tag = f.select(none, i64(numbers.index(INT)), i64(numbers.index(FLOAT)))
    return [Register(Element(tag, INT.dtype)), *[total if kind == FLOAT else start for kind in numbers]]


def _contains(code: Codegen, op: Operation, slow: SlowPath) -> list[Rep]:
    _, times = _search(code, op, slow)
    return [Register(Element(code.f.compare("icmp ne", times, i64(0)), BOOL))]


def _index(code: Codegen, op: Operation, slow: SlowPath) -> list[Rep]:
    where, times = _search(code, op, slow)
    slow.jump_if(code.f.compare("icmp eq", times, i64(0)), True)
    return [Register(Element(where, INT.dtype))]


def _count(code: Codegen, op: Operation, slow: SlowPath) -> list[Rep]:
    _, times = _search(code, op, slow, all_of_them=True)
    return [Register(Element(times, INT.dtype))]


def _search(code: Codegen, op: Operation, slow: SlowPath, all_of_them: bool = False) -> tuple[V, V]:
    """Where a number is first, and how often it is there; but for ``all_of_them`` at most once."""
    f, kind, wanted, length = code.f, op.inputs[1].type, code.element_of(op.inputs[1]), _length(code, op)
    assert isinstance(kind, NumberType)
    if kind == FLOAT:  # an object that is not equal to itself may be there nevertheless
        slow.jump_if(f.compare("fcmp uno", wanted.value, wanted.value))
    before, head, inside, done = f.block, f.label("search"), f.label("item"), f.label("searched")
    f.jump(head)
    f.at(head)
    place, count = f.phi("i64"), f.phi("i64")
    f.branch(f.compare("icmp slt", place, length), inside, done)
    f.at(inside)
    item = _item(code, op, kind, place, slow)
    equal = f.compare("fcmp oeq" if kind == FLOAT else "icmp eq", item, wanted.value)
    more, following = f.binary("add", count, f.convert("zext", equal, "i64")), f.label("following")
    ends = [(head, place, count)]
    if all_of_them:
        f.jump(following)
    else:
        ends.append((f.block, place, more))
        f.branch(equal, done, following)
    f.at(following)
    next_place = f.binary("add", place, i64(1))
    f.complete(head, place, [(i64(0), before), (next_place, following)])
    f.complete(head, count, [(i64(0), before), (more, following)])
    f.jump(head)
    f.at(done)
    where = f.merge(done, "i64", [(at, block) for block, at, _ in ends])
    times = f.merge(done, "i64", [(found, block) for block, _, found in ends])
    return where, times


def _fold(
    code: Codegen, op: Operation, kind: NumberType, first: V, step: Callable[[V, V], V], slow: SlowPath
) -> V:
    """All items, from the left; the first one a second time where it is the start."""
    f, length, before = code.f, _length(code, op), code.f.block
    head, inside, done = f.label("fold"), f.label("item"), f.label("folded")
    f.jump(head)
    f.at(head)
    place, total = f.phi("i64"), f.phi(first.type)
    f.branch(f.compare("icmp slt", place, length), inside, done)
    f.at(inside)
    now = step(total, _item(code, op, kind, place, slow))
    following = f.binary("add", place, i64(1))
    end = f.block
    f.jump(head)
    f.complete(head, place, [(i64(0), before), (following, end)])
    f.complete(head, total, [(first, before), (now, end)])
    f.at(done)
    return total


def _row(code: Codegen, op: Operation) -> tuple[V, bool]:
    kind = op.inputs[0].type
    assert isinstance(kind, ContainerType)
    return code.pointer_of(op.inputs[0]), kind.name == "tuple"


def _length(code: Codegen, op: Operation) -> V:
    return list_objects.length(code, *_row(code, op))


def _item(code: Codegen, op: Operation, kind: NumberType, place: V, slow: SlowPath) -> V:
    pointer, is_tuple = _row(code, op)
    item = list_objects.item(code, pointer, place, is_tuple)
    return element_in(load(code, kind, float if kind == FLOAT else int, item, slow.jump_if)).value


#: whether it can be written, and how
_FORMS: dict[str, tuple[Callable[[Operation], bool], Callable[..., list[Rep]]]] = {
    "list.sum": (_can_add, _sum),
    "list.min": (_can_compare, _extreme),
    "list.max": (_can_compare, _extreme),
    "list.contains": (_can_search, _contains),
    "list.index": (_can_search, _index),
    "list.count": (_can_search, _count),
}
