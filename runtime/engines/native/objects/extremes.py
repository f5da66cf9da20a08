"""`min` and `max` with a key in machine code, where the keys are in a list: numbers, texts, tuples of them.

The first of the items whose keys are equal is found, as in Python. Where a key is of another kind, Python's
function does it from the start.
"""

from __future__ import annotations

from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import V, counted_loop, i64
from runtime.engines.native.objects import list_objects
from runtime.engines.native.objects.boxes import can_read, own, read
from runtime.engines.native.objects.building import structures_of
from runtime.engines.native.objects.layouts import layout
from runtime.engines.native.objects.ordering import is_less
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed
from runtime.graph import Operation
from runtime.ops.template import Hole
from runtime.types import ContainerType


def runs_in_machine_code(op: Operation) -> bool:
    if op.name not in ("list.min_by", "list.max_by") or layout() is None or not op.outputs:
        return False
    kinds = [value.type for value in op.inputs]
    are_lists = all(isinstance(kind, ContainerType) and kind.name == "list" for kind in kinds)
    return are_lists and structures_of(op) == (Hole(0), Hole(1)) and can_read(op.attributes["reader"].pattern)


def emit(code: Codegen, op: Operation) -> None:
    f, slow = code.f, SlowPath(code, op)
    items, keys = [code.reps[value] for value in op.inputs]
    assert isinstance(items, Boxed) and isinstance(keys, Boxed)
    count = list_objects.length(code, keys.pointer)
    slow.jump_if(f.compare("icmp eq", count, i64(0)), True)
    slow.jump_if(f.compare("icmp ne", count, list_objects.length(code, items.pointer)))
    place = _place(code, keys.pointer, count, op.name == "list.max_by", slow)
    item = list_objects.item(code, items.pointer, place)
    found = read(code, op.attributes["reader"].pattern, item, slow.jump_if)
    own(code, found)
    for value, rep in zip(op.outputs, slow.finish(found), strict=True):
        code.bind(value, rep)


def _place(code: Codegen, keys: V, count: V, is_max: bool, slow: SlowPath) -> V:
    """Where the smallest or the largest key is first."""
    f = code.f
    best = f.alloca("i64")
    f.store(i64(0), best)

    def look(k: V) -> None:
        before = f.load("i64", best)
        old, new = list_objects.item(code, keys, before), list_objects.item(code, keys, k)
        pair = (old, new) if is_max else (new, old)
        f.store(f.select(is_less(code, *pair, tuple, slow.jump_if), k, before), best)

    counted_loop(f, i64(1), count, i64(1), look)
    return f.load("i64", best)
