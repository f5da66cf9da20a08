"""Lists and tuples in memory: length, items, and the changes that need no new memory.

What does not fit into the memory of a list, and all of it where its layout is not known, is done by Python's
C API. Places are inside the bounds; who asks has looked.
"""

from __future__ import annotations

from runtime.engines.native.boxes import box_number, decref, incref, replace_number
from runtime.engines.native.elements import Element
from runtime.engines.native.frame import Frame
from runtime.engines.native.ir import NULL, V, i32, i64
from runtime.engines.native.layouts import LIST_ITEMS, LIST_ROOM, SIZE, layout
from runtime.graph import Location
from runtime.types import FLOAT, INT, Type


def length(code: Frame, pointer: V, is_tuple: bool = False) -> V:
    if layout() is not None:
        return code.f.load("i64", code.f.offset(pointer, i64(SIZE)))
    name = "PyTuple_Size" if is_tuple else "PyList_Size"
    code.declare(f"declare i64 @{name}(ptr)")
    return code.f.call("i64", name, (pointer,))


def item(code: Frame, pointer: V, place: V, is_tuple: bool = False) -> V:
    """The item at a place: a borrowed reference."""
    if layout() is not None:
        return code.f.load("ptr", _address(code, pointer, place, is_tuple))
    name = "PyTuple_GetItem" if is_tuple else "PyList_GetItem"
    code.declare(f"declare ptr @{name}(ptr, i64)")
    return code.f.call("ptr", name, (pointer, place))


def _address(code: Frame, pointer: V, place: V, is_tuple: bool = False) -> V:
    f, known = code.f, layout()
    assert known is not None
    if is_tuple:
        items = f.offset(pointer, i64(known.tuple_items))
    else:
        items = f.load("ptr", f.offset(pointer, i64(LIST_ITEMS)))
    return f.offset(items, place, "ptr")


def set_item(code: Frame, pointer: V, place: V, new: V, location: Location | None) -> None:
    """Put an item at a place; the reference to it is the list's now. The old item goes last: its end may run
    any code."""
    if layout() is None:
        status = code.f.call("i32", "PyList_SetItem", (pointer, place, new))
        code.fail_if(code.f.compare("icmp ne", status, i32(0)), location)
        return
    address = _address(code, pointer, place)
    old = code.f.load("ptr", address)
    code.f.store(new, address)
    decref(code, old)


def set_number(
    code: Frame, pointer: V, place: V, element: Element, kind: Type, location: Location | None
) -> None:
    """Put a number at a place: into the object that is there, where nobody else has it."""
    f, done = code.f, None
    if layout() is not None and kind in (FLOAT, INT):
        done, anew = f.label("set"), f.label("anew")
        f.branch(replace_number(code, _address(code, pointer, place), element, kind), done, anew)
        f.at(anew)
    new = box_number(code, element, kind)
    code.fail_if(f.compare("icmp eq", new, NULL), location)
    set_item(code, pointer, place, new, location)
    if done is not None:
        f.jump(done)
        f.at(done)


def append(code: Frame, pointer: V, new: V, owned: bool, location: Location | None) -> None:
    """Put an item at the end. ``owned``: the reference to it is handed over."""
    f = code.f
    if layout() is None:
        return append_by_call(code, pointer, new, owned, location)
    size = length(code, pointer)
    room = f.load("i64", f.offset(pointer, i64(LIST_ROOM)))
    fits, full, done = f.label("fits"), f.label("full"), f.label("appended")
    f.branch(f.compare("icmp slt", size, room), fits, full, likely=True)
    f.at(full)
    append_by_call(code, pointer, new, owned, location)
    f.jump(done)
    f.at(fits)
    if not owned:
        incref(code, new)
    f.store(new, _address(code, pointer, size))
    f.store(f.binary("add", size, i64(1)), f.offset(pointer, i64(SIZE)))
    f.jump(done)
    f.at(done)
    return None


def append_by_call(code: Frame, pointer: V, new: V, owned: bool, location: Location | None) -> None:
    """The same, which raises where it is no list."""
    code.declare("declare i32 @PyList_Append(ptr, ptr)")
    slot = code.hold(new) if owned else None
    status = code.f.call("i32", "PyList_Append", (pointer, new))
    if slot is not None:
        code.release(slot)
    code.fail_if(code.f.compare("icmp ne", status, i32(0)), location)


def drop_last(code: Frame, pointer: V, last: V, location: Location | None) -> None:
    """Take out the last item, which is at ``last``: where the list has too much room, it gets smaller."""
    f = code.f
    if layout() is None:
        return _drop_by_call(code, pointer, last, location)
    room = f.load("i64", f.offset(pointer, i64(LIST_ROOM)))
    stays, shrinks, done = f.label("stays"), f.label("shrinks"), f.label("dropped")
    f.branch(f.compare("icmp sge", last, f.binary("ashr", room, i64(1))), stays, shrinks, likely=True)
    f.at(shrinks)
    _drop_by_call(code, pointer, last, location)
    f.jump(done)
    f.at(stays)
    gone = f.load("ptr", _address(code, pointer, last))
    f.store(last, f.offset(pointer, i64(SIZE)))
    decref(code, gone)
    f.jump(done)
    f.at(done)
    return None


def _drop_by_call(code: Frame, pointer: V, last: V, location: Location | None) -> None:
    f = code.f
    code.declare("declare i32 @PyList_SetSlice(ptr, i64, i64, ptr)")
    status = f.call("i32", "PyList_SetSlice", (pointer, last, f.binary("add", last, i64(1)), NULL))
    code.fail_if(f.compare("icmp ne", status, i32(0)), location)
