"""Are all items of a container of one pattern? Each call that takes one asks, so machine code does."""

from __future__ import annotations

import functools
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

from runtime.engines.native import jit
from runtime.engines.native.executable import note_failure
from runtime.engines.native.frame import Frame
from runtime.engines.native.ir import FunctionWriter, V, counted_loop, i32, i64
from runtime.engines.native.objects import list_objects
from runtime.engines.native.objects.boxes import Check, can_read, incref, is_of_class, read
from runtime.engines.native.objects.callables import TAKES_ONE, Callables
from runtime.engines.native.objects.layouts import layout
from runtime.ops.item_patterns import Pattern

_DICTS = (dict, defaultdict, Counter, OrderedDict)


@functools.lru_cache(maxsize=256)
def scanner(cls: type, pattern: Pattern, key: Pattern | None = None) -> Callable[[Any], bool] | None:
    """Whether an object is a list, a tuple or a dict whose items (and keys) machine code reads by these
    patterns, as a built-in function. None where it cannot tell."""
    if cls not in (list, tuple, *_DICTS) or layout() is None or not can_read(pattern):
        return None
    if cls in _DICTS and (key is None or not can_read(key)):
        return None
    code = Frame()
    _write(code, cls, pattern, key)
    library = jit.jit(note_failure).compile(code.text(), code.symbols, ["scan"])
    return Callables(library, code.kept).function("scan", "fits", TAKES_ONE)


def _write(code: Frame, cls: type, pattern: Pattern, key: Pattern | None) -> None:
    f = FunctionWriter("scan", "ptr", [("ptr", "self"), ("ptr", "container")])
    code.begin(f)
    container, wrong = f.params[1], f.label("wrong")

    def wrong_if(condition: V) -> None:
        right = f.label("right")
        f.branch(condition, wrong, right, likely=False)
        f.at(right)

    wrong_if(f.binary("xor", is_of_class(code, container, cls), V("i1", "true")))
    if key is not None and cls in _DICTS:
        _look_at_dict(code, container, pattern, key, wrong_if)
    else:
        _look_at_items(code, container, pattern, cls is tuple, wrong_if)
    _answer(code, "object.True")
    f.at(wrong)
    _answer(code, "object.False")
    code.finish()


def _look_at_items(code: Frame, container: V, pattern: Pattern, is_tuple: bool, wrong_if: Check) -> None:
    def look(place: V) -> None:
        read(code, pattern, list_objects.item(code, container, place, is_tuple), wrong_if)

    counted_loop(code.f, i64(0), list_objects.length(code, container, is_tuple), i64(1), look)


def _look_at_dict(code: Frame, container: V, pattern: Pattern, key: Pattern, wrong_if: Check) -> None:
    f = code.f
    code.declare("declare i32 @PyDict_Next(ptr, ptr, ptr, ptr)")
    place, key_at, item_at = f.alloca("i64"), f.alloca("ptr"), f.alloca("ptr")
    f.store(i64(0), place)
    following, look, done = f.label("next"), f.label("look"), f.label("done")
    f.jump(following)
    f.at(following)
    more = f.call("i32", "PyDict_Next", (container, place, key_at, item_at))
    f.branch(f.compare("icmp ne", more, i32(0)), look, done)
    f.at(look)
    read(code, key, f.load("ptr", key_at), wrong_if)
    read(code, pattern, f.load("ptr", item_at), wrong_if)
    f.jump(following)
    f.at(done)


def _answer(code: Frame, name: str) -> None:
    found = code.symbol(name)
    incref(code, found)
    code.f.ret(found)
