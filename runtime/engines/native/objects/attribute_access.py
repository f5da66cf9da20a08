"""Functions of machine code that read and replace the attributes of objects; LLVM writes the short ones into
their callers.
"""

from __future__ import annotations

from runtime.engines.native.frame import Frame
from runtime.engines.native.ir import V, i64
from runtime.engines.native.objects.boxes import declare_counts, declare_replace
from runtime.engines.native.objects.layouts import CLASS
from runtime.ops import attribute_places as places
from runtime.ops.attribute_places import Keyed, Member, Place
from runtime.types import FLOAT, Type


def attribute(code: Frame, target: V, place: Place, name: str) -> V:
    """What an object holds at a place, or in its dict: borrowed, or NULL."""
    if isinstance(place, Member):
        return code.f.load("ptr", code.f.offset(target, i64(place.offset)))
    declare(code)
    key = (code.object(name, "name"), code.number(hash(name), "hash"))
    if isinstance(place, Keyed):
        return code.f.call("ptr", "dict.attribute", (target, *key))
    return code.f.call("ptr", "object.attribute", (target, i64(place.first), i64(place.index), *key))


def declare(code: Frame) -> None:
    """The functions below, which LLVM writes into their callers."""
    code.declare("declare ptr @_PyDict_GetItem_KnownHash(ptr, ptr, i64)")
    code.declare("declare void @PyErr_Clear()")
    code.declare("declare i64 @PyDict_Size(ptr)")
    code.declare("declare i32 @PyObject_GenericSetAttr(ptr, ptr, ptr)")
    declare_counts(code)
    code.define_global(VALUES[places.KNOWN])
    code.define_global(_MAY_REPLACE[places.KNOWN])
    code.define_global(_ADD[places.KNOWN])
    code.define_global(_COUNT[places.KNOWN])
    code.define_global(_FUNCTIONS)


#: the address of the first value; NULL where the object has a dict instead
VALUES = {
    (3, 11): f"""\
define internal ptr @object.values(ptr %o, i64 %first) alwaysinline {{
  %at = getelementptr i8, ptr %o, i64 {places.VALUES_AT}
  %values = load ptr, ptr %at
  ret ptr %values
}}""",
    (3, 12): f"""\
define internal ptr @object.values(ptr %o, i64 %first) alwaysinline {{
  %at = getelementptr i8, ptr %o, i64 {places.DICT_AT}
  %word = load i64, ptr %at
  %tag = and i64 %word, 1
  %is.dict = icmp eq i64 %tag, 0
  %address = add i64 %word, 1
  %values = inttoptr i64 %address to ptr
  %found = select i1 %is.dict, ptr null, ptr %values
  ret ptr %found
}}""",
    (3, 13): f"""\
define internal ptr @object.values(ptr %o, i64 %first) alwaysinline {{
  %values = getelementptr i8, ptr %o, i64 %first
  %valid.at = getelementptr i8, ptr %values, i64 {places.VALID - places.HEAD}
  %valid = load i8, ptr %valid.at
  %none = icmp eq i8 %valid, 0
  %found = select i1 %none, ptr null, ptr %values
  ret ptr %found
}}""",
}
_ALWAYS = """\
define internal i1 @object.has.dict(ptr %o) alwaysinline {
  ret i1 false
}"""
#: a dict may show the values of the object, and has to learn of what is stored
_MAY_REPLACE = {
    (3, 11): _ALWAYS,
    (3, 12): _ALWAYS,
    (3, 13): f"""\
define internal i1 @object.has.dict(ptr %o) alwaysinline {{
  %at = getelementptr i8, ptr %o, i64 {places.DICT_AT}
  %dict = load ptr, ptr %at
  %some = icmp ne ptr %dict, null
  ret i1 %some
}}""",
}
_ADD_BEFORE = """\
define internal void @object.add(ptr %o, i64 %first, i64 %index, ptr %new) alwaysinline {
  %values = call ptr @object.values(ptr %o, i64 %first)
  %cell = getelementptr ptr, ptr %values, i64 %index
  store ptr %new, ptr %cell
  %count.at = getelementptr i8, ptr %values, i64 -2
  %count = load i8, ptr %count.at
  %more = add i8 %count, 1
  store i8 %more, ptr %count.at
  %count.64 = zext i8 %count to i64
  %place = sub i64 -3, %count.64
  %place.at = getelementptr i8, ptr %values, i64 %place
  %index.8 = trunc i64 %index to i8
  store i8 %index.8, ptr %place.at
  ret void
}"""
#: a value of a new object, whose values are noted in the order in which they are set
_ADD = {
    (3, 11): _ADD_BEFORE,
    (3, 12): _ADD_BEFORE,
    (3, 13): f"""\
define internal void @object.add(ptr %o, i64 %first, i64 %index, ptr %new) alwaysinline {{
  %values = getelementptr i8, ptr %o, i64 %first
  %cell = getelementptr ptr, ptr %values, i64 %index
  store ptr %new, ptr %cell
  %room.at = getelementptr i8, ptr %values, i64 {places.CAPACITY - places.HEAD}
  %room = load i8, ptr %room.at
  %room.64 = zext i8 %room to i64
  %order = getelementptr ptr, ptr %values, i64 %room.64
  %count.at = getelementptr i8, ptr %values, i64 {places.COUNT - places.HEAD}
  %count = load i8, ptr %count.at
  %more = add i8 %count, 1
  store i8 %more, ptr %count.at
  %count.64 = zext i8 %count to i64
  %place.at = getelementptr i8, ptr %order, i64 %count.64
  %index.8 = trunc i64 %index to i8
  store i8 %index.8, ptr %place.at
  ret void
}}""",
}


def _count(offset: int) -> str:
    return f"""\
define internal i64 @dict.count(ptr %o) {{
  %at = getelementptr i8, ptr %o, i64 {places.DICT_AT}
  %dict = load ptr, ptr %at
  %empty = icmp eq ptr %dict, null
  br i1 %empty, label %nothing, label %some
some:
  %size = call i64 @PyDict_Size(ptr %dict)
  ret i64 %size
nothing:
  ret i64 0
}}
define internal i64 @object.count(ptr %o, i64 %first) {{
  %values = call ptr @object.values(ptr %o, i64 %first)
  %none = icmp eq ptr %values, null
  br i1 %none, label %other, label %beside
beside:
  %count.at = getelementptr i8, ptr %values, i64 {offset}
  %count = load i8, ptr %count.at
  %count.64 = zext i8 %count to i64
  ret i64 %count.64
other:
  %size = call i64 @dict.count(ptr %o)
  ret i64 %size
}}"""


#: how many attributes an object has that are not in slots
_COUNT = {
    (3, 11): _count(-2),
    (3, 12): _count(-2),
    (3, 13): _count(places.COUNT - places.HEAD),
}
_FUNCTIONS = f"""\
define internal ptr @dict.attribute(ptr %o, ptr %name, i64 %hash) noinline {{
  %at = getelementptr i8, ptr %o, i64 {places.DICT_AT}
  %dict = load ptr, ptr %at
  %none = icmp eq ptr %dict, null
  br i1 %none, label %missing, label %some
some:
  %word = ptrtoint ptr %dict to i64
  %odd = trunc i64 %word to i1 ; the address of values, in 3.12
  br i1 %odd, label %missing, label %look
look:
  %found = call ptr @_PyDict_GetItem_KnownHash(ptr %dict, ptr %name, i64 %hash)
  %failed = icmp eq ptr %found, null
  br i1 %failed, label %clear, label %done
clear:
  call void @PyErr_Clear()
  br label %missing
missing:
  ret ptr null
done:
  ret ptr %found
}}
define internal ptr @object.attribute(ptr %o, i64 %first, i64 %index, ptr %name, i64 %hash) alwaysinline {{
  %values = call ptr @object.values(ptr %o, i64 %first)
  %in.dict = icmp eq ptr %values, null
  br i1 %in.dict, label %dict, label %beside, !prof !1
dict:
  %found = call ptr @dict.attribute(ptr %o, ptr %name, i64 %hash)
  ret ptr %found
beside:
  %cell = getelementptr ptr, ptr %values, i64 %index
  %value = load ptr, ptr %cell
  ret ptr %value
}}
define internal ptr @object.cell(ptr %o, i64 %first, i64 %index) alwaysinline {{
  %values = call ptr @object.values(ptr %o, i64 %first)
  %none = icmp eq ptr %values, null
  %dict = call i1 @object.has.dict(ptr %o)
  %other = or i1 %none, %dict
  %cell = getelementptr ptr, ptr %values, i64 %index
  %found = select i1 %other, ptr null, ptr %cell
  ret ptr %found
}}
define internal i32 @object.store(ptr %o, i64 %first, i64 %index, ptr %name, ptr %new) noinline {{
  %cell = call ptr @object.cell(ptr %o, i64 %first, i64 %index)
  %none = icmp eq ptr %cell, null
  br i1 %none, label %python, label %look, !prof !1
look:
  %old = load ptr, ptr %cell
  %unset = icmp eq ptr %old, null
  br i1 %unset, label %python, label %replace, !prof !1
replace:
  store ptr %new, ptr %cell
  call void @object.decref(ptr %old)
  ret i32 0
python:
  %status = call i32 @PyObject_GenericSetAttr(ptr %o, ptr %name, ptr %new)
  call void @object.decref(ptr %new)
  ret i32 %status
}}"""


def declare_store(code: Frame, kind: Type) -> str:
    """Define ``slot.store.`` and ``object.store.`` with this ending, which store a number."""
    replace = declare_replace(code, kind)
    assert replace is not None
    declare(code)
    is_float = kind == FLOAT
    box, number = ("PyFloat_FromDouble", "double") if is_float else ("PyLong_FromLongLong", "i64")
    ending = "float" if is_float else "int"
    code.define_global(_STORE.format(ending=ending, replace=replace, box=box, number=number))
    return ending


def declare_outside_store(code: Frame, kind: Type) -> str:
    """Define ``outside.slot.store.`` and ``outside.object.store.``: the same where the object has this class;
    one of another class is given to a function of Python's, with the name and the object of the number."""
    ending = declare_store(code, kind)
    code.declare("declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)")
    words = {"ending": ending, "class_at": CLASS}
    words |= {"box": "PyFloat_FromDouble", "number": "double"} if kind == FLOAT else {}
    code.define_global(_OUTSIDE.format(**{"box": "PyLong_FromLongLong", "number": "i64", **words}))
    return ending


_OUTSIDE = """\
define internal i32 @outside.slot.store.{ending}(
  ptr %o, i64 %offset, {number} %new, ptr %class, ptr %name, ptr %function
) noinline {{
  %class.at = getelementptr i8, ptr %o, i64 {class_at}
  %found = load ptr, ptr %class.at
  %known = icmp eq ptr %found, %class
  br i1 %known, label %store, label %other
store:
  %cell = getelementptr i8, ptr %o, i64 %offset
  %status = call i32 @slot.store.{ending}(ptr %cell, {number} %new)
  ret i32 %status
other:
  %called = call i32 @outside.call.{ending}(ptr %o, {number} %new, ptr %name, ptr %function)
  ret i32 %called
}}
define internal i32 @outside.object.store.{ending}(
  ptr %o, i64 %first, i64 %index, {number} %new, ptr %class, ptr %name, ptr %function
) noinline {{
  %class.at = getelementptr i8, ptr %o, i64 {class_at}
  %found = load ptr, ptr %class.at
  %known = icmp eq ptr %found, %class
  br i1 %known, label %store, label %other
store:
  %status = call i32 @object.store.{ending}(ptr %o, i64 %first, i64 %index, ptr %name, {number} %new)
  ret i32 %status
other:
  %called = call i32 @outside.call.{ending}(ptr %o, {number} %new, ptr %name, ptr %function)
  ret i32 %called
}}
define internal i32 @outside.call.{ending}(ptr %o, {number} %new, ptr %name, ptr %function) noinline cold {{
  %given = alloca [3 x ptr]
  %boxed = call ptr @{box}({number} %new)
  %failed = icmp eq ptr %boxed, null
  br i1 %failed, label %error, label %give
give:
  %name.at = getelementptr ptr, ptr %given, i64 1
  %value.at = getelementptr ptr, ptr %given, i64 2
  store ptr %o, ptr %given
  store ptr %name, ptr %name.at
  store ptr %boxed, ptr %value.at
  %result = call ptr @PyObject_Vectorcall(ptr %function, ptr %given, i64 3, ptr null)
  call void @object.decref(ptr %boxed)
  %raised = icmp eq ptr %result, null
  br i1 %raised, label %error, label %done
done:
  call void @object.decref(ptr %result)
  ret i32 0
error:
  ret i32 -1
}}"""


_STORE = """\
define internal i32 @slot.store.{ending}(ptr %cell, {number} %new) noinline {{
  %replaced = call i1 @{replace}(ptr %cell, {number} %new)
  br i1 %replaced, label %done, label %box
box:
  %boxed = call ptr @{box}({number} %new)
  %failed = icmp eq ptr %boxed, null
  br i1 %failed, label %error, label %replace
replace:
  %old = load ptr, ptr %cell
  store ptr %boxed, ptr %cell
  call void @object.decref(ptr %old)
  br label %done
done:
  ret i32 0
error:
  ret i32 -1
}}
define internal i32 @object.store.{ending}(
  ptr %o, i64 %first, i64 %index, ptr %name, {number} %new
) noinline {{
  %cell = call ptr @object.cell(ptr %o, i64 %first, i64 %index)
  %replaced = call i1 @{replace}(ptr %cell, {number} %new)
  br i1 %replaced, label %done, label %box
box:
  %boxed = call ptr @{box}({number} %new)
  %failed = icmp eq ptr %boxed, null
  br i1 %failed, label %error, label %store
store:
  %status = call i32 @object.store(ptr %o, i64 %first, i64 %index, ptr %name, ptr %boxed)
  ret i32 %status
done:
  ret i32 0
error:
  ret i32 -1
}}"""
