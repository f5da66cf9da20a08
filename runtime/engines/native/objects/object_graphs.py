"""Do objects, and all that they refer to, hold attributes of known kinds? Each call that takes such objects
asks (see specs/readers.py), so machine code does.

It says yes, or leaves the answer to Python: where it meets a set, say, or an attribute that nobody knew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from autograph.operators import Undefined
from runtime.engines.native import jit
from runtime.engines.native.executable import note_failure
from runtime.engines.native.frame import Frame
from runtime.engines.native.ir import NULL, TRUE, FunctionWriter, Label, V, counted_loop, i64
from runtime.engines.native.objects import list_objects
from runtime.engines.native.objects.attribute_access import attribute, declare
from runtime.engines.native.objects.boxes import can_read, incref, is_of_class, read
from runtime.engines.native.objects.callables import TAKES_ONE, Callables
from runtime.engines.native.objects.layouts import layout
from runtime.ops.attribute_places import (
    Member,
    first_value,
    has_dict,
    has_values,
    is_known,
    place_of,
)
from runtime.ops.instances import slot_members
from runtime.ops.item_patterns import OneOf, Pattern, Row, Same, Typed
from runtime.types import STR, ArrayType, NumberType, ScalarType

#: by class, what its attributes may be, by name
Kinds: TypeAlias = tuple[tuple[type, tuple[tuple[str, Pattern], ...]], ...]

#: the classes of what refers to nothing that has to be looked at
_ATOMS = (float, int, str, bool, type(None), complex, bytes, np.ndarray)
#: those of which all parts are looked at
_HOLDERS = (list, tuple, dict)


def checker(kinds: Kinds, otherwise: Callable[[Any], bool]) -> Callable[[Any], bool] | None:
    """Whether an object, or a list of them, holds what is known, as a built-in function, which asks
    ``otherwise`` where it does not say yes. None where machine code knows too little."""
    if layout() is None or not is_known() or not all(map(_can_check, kinds)):
        return None
    code = Frame()
    _write_offer(code, [cls for cls, _ in kinds])
    _write_walk(code, kinds, otherwise)
    library = jit.jit(note_failure).compile_quickly(code.text(), code.symbols, ["walk"])
    return Callables(library, code.kept).function("walk", "fits", TAKES_ONE)


def _can_check(known: tuple[type, tuple[tuple[str, Pattern], ...]]) -> bool:
    cls, attributes = known
    return all(place_of(cls, name) is not None and can_read(kind) for name, kind in attributes)


class _Walk:
    """Writes one function; ``doubt`` is where it gives up."""

    def __init__(self, code: Frame, f: FunctionWriter) -> None:
        self.code = code
        self.f = f
        code.begin(f)
        self.doubt = f.label("doubt")

    def doubt_if(self, condition: V) -> None:
        fine = self.f.label("fine")
        self.f.branch(condition, self.doubt, fine, likely=False)
        self.f.at(fine)

    def cases(self, item: V, classes: tuple[type, ...], then: Callable[[type], None], done: Label) -> None:
        """For an object of each of the classes, what is then written; behind that, for any other."""
        f = self.f
        for cls in classes:
            inside, other = f.label("case"), f.label("other")
            f.branch(is_of_class(self.code, item, cls), inside, other)
            f.at(inside)
            then(cls)
            f.jump(done)
            f.at(other)


def _write_offer(code: Frame, classes: list[type]) -> None:
    """``walk.offer(walk, item)``: what has to be looked at waits for it. False: nobody knows such an item."""
    code.declare("declare ptr @PyMem_Calloc(i64, i64)")
    code.declare("declare ptr @PyMem_Realloc(ptr, i64)")
    code.declare("declare void @PyMem_Free(ptr)")
    code.define_global(_VISIT)
    parameters = [("ptr", "walk"), ("ptr", "item")]
    f = FunctionWriter("walk.offer", "i1", parameters, "noinline", "internal")
    walk = _Walk(code, f)
    item, done = f.params[1], f.label("done")

    def visit(cls: type) -> None:
        walk.doubt_if(f.binary("xor", f.call("i1", "walk.visit", f.params), TRUE))

    walk.cases(item, _ATOMS, lambda cls: None, done)
    walk.cases(item, (*classes, *_HOLDERS), visit, done)
    f.jump(walk.doubt)
    f.at(done)
    f.ret(TRUE)
    f.at(walk.doubt)
    f.ret(V("i1", "false"))
    code.finish()


def _write_walk(code: Frame, kinds: Kinds, otherwise: Callable[[Any], bool]) -> None:
    f = FunctionWriter("walk", "ptr", [("ptr", "self"), ("ptr", "root")])
    walk = _Walk(code, f)
    state, root = f.alloca("i64", _STATE), f.params[1]
    for k in range(_STATE):
        f.store(i64(0), f.offset(state, i64(k), "i64"))
    _offer(walk, state, root)
    entry, head, inside, following, done = f.block, *map(f.label, ("waiting", "next", "seen", "done"))
    f.jump(head)
    f.at(head)
    place = f.phi("i64")
    f.branch(f.compare("icmp slt", place, f.load("i64", f.offset(state, i64(1), "i64"))), inside, done)
    f.at(inside)
    item = f.load("ptr", f.offset(f.load("ptr", state), place, "ptr"))
    by_class = dict(kinds)

    def check(cls: type) -> None:
        _check_object(walk, state, item, cls, by_class[cls])

    walk.cases(item, tuple(by_class), check, following)
    walk.cases(item, _HOLDERS, lambda cls: _offer_parts(walk, state, item, cls), following)
    f.jump(walk.doubt)
    f.at(following)
    advanced = f.binary("add", place, i64(1))
    f.jump(head)
    f.complete(head, place, [(i64(0), entry), (advanced, following)])
    f.at(done)
    _free(f, state)
    true = code.symbol("object.True")
    incref(code, true)
    f.ret(true)
    f.at(walk.doubt)
    _free(f, state)
    code.declare("declare ptr @PyObject_CallOneArg(ptr, ptr)")
    f.ret(f.call("ptr", "PyObject_CallOneArg", (code.object(otherwise, "otherwise"), root)))
    code.finish()


def _free(f: FunctionWriter, state: V) -> None:
    for k in (_QUEUE, _TABLE):
        f.call("void", "PyMem_Free", (f.load("ptr", f.offset(state, i64(k), "i64")),))


def _offer(walk: _Walk, state: V, item: V) -> None:
    walk.doubt_if(walk.f.binary("xor", walk.f.call("i1", "walk.offer", (state, item)), TRUE))


def _offer_parts(walk: _Walk, state: V, container: V, cls: type) -> None:
    code, f = walk.code, walk.f
    if cls is not dict:
        length = list_objects.length(code, container, cls is tuple)

        def look(place: V) -> None:
            _offer(walk, state, list_objects.item(code, container, place, cls is tuple))

        return counted_loop(f, i64(0), length, i64(1), look)
    code.declare("declare i32 @PyDict_Next(ptr, ptr, ptr, ptr)")
    place, value = f.alloca("i64"), f.alloca("ptr")
    f.store(i64(0), place)
    head, inside, done = f.label("dict"), f.label("value"), f.label("all")
    f.jump(head)
    f.at(head)
    more = f.call("i32", "PyDict_Next", (container, place, NULL, value))
    f.branch(f.compare("icmp ne", more, V("i32", "0")), inside, done)
    f.at(inside)
    _offer(walk, state, f.load("ptr", value))
    f.jump(head)
    return f.at(done)


def _check_object(
    walk: _Walk, state: V, target: V, cls: type, attributes: tuple[tuple[str, Pattern], ...]
) -> None:
    """All attributes are of known kinds, and there are no others."""
    code, f = walk.code, walk.f
    beside = i64(0)
    for name, kind in attributes:
        place = place_of(cls, name)
        assert place is not None
        item = attribute(code, target, place, name)
        missing = f.compare("icmp eq", item, NULL)
        if _may_be_absent(kind):
            begun, there, done = f.block, f.label("there"), f.label("checked")
            f.branch(missing, done, there)
            f.at(there)
            _check_item(walk, state, item, kind)
            end = f.block
            f.jump(done)
            f.at(done)
            count = f.merge(done, "i64", [(i64(0), begun), (i64(1), end)])
        else:
            walk.doubt_if(missing)
            _check_item(walk, state, item, kind)
            count = i64(1)
        if not isinstance(place, Member):
            beside = f.binary("add", beside, count)
    _no_others(walk, target, cls, beside, {name for name, _ in attributes})


def _no_others(walk: _Walk, target: V, cls: type, beside: V, names: set[str]) -> None:
    code, f = walk.code, walk.f
    if has_dict(cls):
        declare(code)
        if has_values(cls):
            held = f.call("i64", "object.count", (target, i64(first_value(cls))))
        else:
            held = f.call("i64", "dict.count", (target,))
        walk.doubt_if(f.compare("icmp ne", held, beside))
    for name in slot_members(cls).keys() - names:
        place = place_of(cls, name)
        assert isinstance(place, Member)
        walk.doubt_if(f.compare("icmp ne", attribute(code, target, place, name), NULL))


def _check_item(walk: _Walk, state: V, item: V, kind: Pattern) -> None:
    read(walk.code, kind, item, walk.doubt_if)
    if _may_refer(kind):
        _offer(walk, state, item)


def _may_be_absent(kind: Pattern) -> bool:
    if isinstance(kind, OneOf):
        return any(map(_may_be_absent, kind.alternatives))
    return isinstance(kind, Same) and isinstance(kind.value, Undefined)


def _may_refer(kind: Pattern) -> bool:
    """May it lead to an object that has to be looked at?"""
    if isinstance(kind, Row | OneOf):
        return any(map(_may_refer, kind.parts if isinstance(kind, Row) else kind.alternatives))
    if isinstance(kind, Typed):
        return not isinstance(kind.kind, NumberType | ScalarType | ArrayType) and kind.kind != STR
    return isinstance(kind, Same) and type(kind.value) not in _ATOMS


# -- what was seen -------------------------------------------------------------------------------------

#: the words of a walk: the address of all that was seen, in order, how many that are, and the address and the
#: mask of a hash table of them, of which at most half is in use
_QUEUE, _COUNT, _TABLE, _MASK, _STATE = 0, 1, 2, 3, 4

_VISIT = f"""\
define internal i64 @walk.hash(ptr %o) alwaysinline {{
  %address = ptrtoint ptr %o to i64
  %mixed = mul i64 %address, -7046029254386353131
  %high = lshr i64 %mixed, 32
  ret i64 %high
}}
define internal i1 @walk.visit(ptr %walk, ptr %o) noinline {{
entry:
  %count.at = getelementptr i64, ptr %walk, i64 {_COUNT}
  %table.at = getelementptr i64, ptr %walk, i64 {_TABLE}
  %mask.at = getelementptr i64, ptr %walk, i64 {_MASK}
  %count = load i64, ptr %count.at
  %mask = load i64, ptr %mask.at
  %twice = shl i64 %count, 1
  %full = icmp uge i64 %twice, %mask
  br i1 %full, label %grow, label %look
grow:
  %grown = call i1 @walk.grow(ptr %walk)
  br i1 %grown, label %look, label %failed
look:
  %table = load ptr, ptr %table.at
  %mask.now = load i64, ptr %mask.at
  %hash = call i64 @walk.hash(ptr %o)
  br label %probe
probe:
  %k = phi i64 [ %hash, %look ], [ %next, %other ]
  %place = and i64 %k, %mask.now
  %at = getelementptr ptr, ptr %table, i64 %place
  %there = load ptr, ptr %at
  %same = icmp eq ptr %there, %o
  br i1 %same, label %done, label %compare
compare:
  %free = icmp eq ptr %there, null
  br i1 %free, label %insert, label %other
other:
  %next = add i64 %place, 1
  br label %probe
insert:
  store ptr %o, ptr %at
  %queue = load ptr, ptr %walk
  %end = getelementptr ptr, ptr %queue, i64 %count
  store ptr %o, ptr %end
  %more = add i64 %count, 1
  store i64 %more, ptr %count.at
  br label %done
done:
  ret i1 true
failed:
  ret i1 false
}}
define internal i1 @walk.grow(ptr %walk) noinline {{
entry:
  %count.at = getelementptr i64, ptr %walk, i64 {_COUNT}
  %table.at = getelementptr i64, ptr %walk, i64 {_TABLE}
  %mask.at = getelementptr i64, ptr %walk, i64 {_MASK}
  %count = load i64, ptr %count.at
  %mask = load i64, ptr %mask.at
  %old = load ptr, ptr %table.at
  %queue = load ptr, ptr %walk
  %size.now = add i64 %mask, 1
  %large = shl i64 %size.now, 2
  %is.small = icmp ult i64 %large, 64
  %size = select i1 %is.small, i64 64, i64 %large
  %table = call ptr @PyMem_Calloc(i64 %size, i64 8)
  %none = icmp eq ptr %table, null
  br i1 %none, label %failed, label %lengthen
lengthen:
  %bytes = shl i64 %size, 2
  %longer = call ptr @PyMem_Realloc(ptr %queue, i64 %bytes)
  %stays = icmp eq ptr %longer, null
  br i1 %stays, label %drop, label %store
drop:
  call void @PyMem_Free(ptr %table)
  br label %failed
store:
  store ptr %longer, ptr %walk
  store ptr %table, ptr %table.at
  %new.mask = sub i64 %size, 1
  store i64 %new.mask, ptr %mask.at
  call void @PyMem_Free(ptr %old)
  br label %again
again:
  %n = phi i64 [ 0, %store ], [ %n1, %put ]
  %is.more = icmp ult i64 %n, %count
  br i1 %is.more, label %one, label %done
one:
  %from = getelementptr ptr, ptr %longer, i64 %n
  %o = load ptr, ptr %from
  %hash = call i64 @walk.hash(ptr %o)
  br label %probe
probe:
  %k = phi i64 [ %hash, %one ], [ %next, %other ]
  %place = and i64 %k, %new.mask
  %at = getelementptr ptr, ptr %table, i64 %place
  %there = load ptr, ptr %at
  %free = icmp eq ptr %there, null
  br i1 %free, label %put, label %other
other:
  %next = add i64 %place, 1
  br label %probe
put:
  store ptr %o, ptr %at
  %n1 = add i64 %n, 1
  br label %again
done:
  ret i1 true
failed:
  ret i1 false
}}"""
