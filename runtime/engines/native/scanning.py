"""Are all items of a list or a tuple of one pattern? Each call that takes one asks, so machine code does."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from runtime.engines.native import list_objects
from runtime.engines.native.boxes import can_read, incref, is_of_class, read
from runtime.engines.native.callables import TAKES_ONE, Callables
from runtime.engines.native.executable import note_failure
from runtime.engines.native.frame import Frame
from runtime.engines.native.ir import FunctionWriter, V, counted_loop, i64
from runtime.engines.native.layouts import layout
from runtime.ops.item_patterns import Pattern


@functools.lru_cache(maxsize=256)
def scanner(cls: type, pattern: Pattern) -> Callable[[Any], bool] | None:
    """Whether an object is a list (or a tuple) whose items machine code reads by this pattern, as a built-in
    function. None where it cannot tell."""
    if cls not in (list, tuple) or layout() is None or not can_read(pattern):
        return None
    from runtime.engines.native.jit import jit

    code = Frame()
    _write(code, cls, pattern)
    library = jit(note_failure).compile(code.text(), code.symbols, ["scan"])
    return Callables(library, code.kept).function("scan", "fits", TAKES_ONE)


def _write(code: Frame, cls: type, pattern: Pattern) -> None:
    f = FunctionWriter("scan", "ptr", [("ptr", "self"), ("ptr", "container")])
    code.begin(f)
    container, wrong = f.params[1], f.label("wrong")

    def wrong_if(condition: V) -> None:
        right = f.label("right")
        f.branch(condition, wrong, right, likely=False)
        f.at(right)

    wrong_if(f.binary("xor", is_of_class(code, container, cls), V("i1", "true")))
    is_tuple = cls is tuple

    def look(place: V) -> None:
        read(code, pattern, list_objects.item(code, container, place, is_tuple), wrong_if)

    counted_loop(f, i64(0), list_objects.length(code, container, is_tuple), i64(1), look)
    _answer(code, "object.True")
    f.at(wrong)
    _answer(code, "object.False")
    code.finish()


def _answer(code: Frame, name: str) -> None:
    found = code.symbol(name)
    incref(code, found)
    code.f.ret(found)
