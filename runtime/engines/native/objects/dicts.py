"""Dicts and sets in machine code: items, membership, length and changes, by Python's C API.

Keys are hashed and compared as ever. A key that is not there, where that is no answer, is the kernel's.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

from runtime.engines.native.elements import BOOL, Element
from runtime.engines.native.emitter import Codegen
from runtime.engines.native.ir import NULL, V, i32
from runtime.engines.native.objects.boxes import can_read, own, read
from runtime.engines.native.objects.building import build_part, can_build, structures_of, values_of
from runtime.engines.native.slow_path import SlowPath
from runtime.engines.native.values import Boxed, Register, in_register
from runtime.graph import Operation, Value
from runtime.graph.rewrite import constant_of
from runtime.ops.item_patterns import class_of
from runtime.ops.methods import METHODS
from runtime.ops.template import Hole
from runtime.types import INT, STR, NumberType, ScalarType, Type

_DICTS = (dict, defaultdict, Counter, OrderedDict)


def runs_in_machine_code(op: Operation) -> bool:
    """Is it one of the operations below, on a dict or set of Python's own?"""
    if op.makes_container:
        return op.attributes["template"].structure == {} and class_of(op.output.type) is dict
    if METHODS[op.name].makes and class_of(op.output.type) is not list:
        return False
    target, *args = structures_of(op)
    cls = _class(op) if target == Hole(0) else None
    if cls not in _CLASSES[op.name] or not all(map(can_build, args)):
        return False
    reader = op.attributes.get("reader")
    return _is_key(op, args[0] if args else None) and (reader is None or can_read(reader.pattern))


def emit(code: Codegen, op: Operation) -> None:
    """Write one of these operations."""
    _EMIT[op.name](code, op)


def _class(op: Operation) -> type | None:
    """The class of the container: of a type, or of a constant."""
    constant = constant_of(op.inputs[0])
    return class_of(op.inputs[0].type) if constant is None else type(constant.attributes["value"])


def _is_key(op: Operation, key: Any) -> bool:
    """Is a key a number, a text, a constant, or a tuple of such? A set would be looked up in another way."""
    if isinstance(key, Hole):
        return _is_plain(op.inputs[key.index].type)
    return type(key) is not tuple or all(_is_key(op, part) for part in key)


def _is_plain(kind: Type) -> bool:
    return isinstance(kind, NumberType | ScalarType) or kind == STR


def _pointer(code: Codegen, op: Operation) -> V:
    return code.pointer_of(op.inputs[0])


class _Given:
    """The objects of arguments. New references are held until ``release``, or as long as the values live of
    which they were made: a key is often asked for again."""

    def __init__(self, code: Codegen, op: Operation) -> None:
        self.code = code
        self.op = op
        self.slots: list[int] = []

    def object(self, structure: Any, on_each_way: bool = True) -> V:
        """``on_each_way``: what is written from here on comes here first."""
        code, op = self.code, self.op
        if isinstance(structure, Hole):
            constant = constant_of(op.inputs[structure.index])
            if constant is not None and _is_plain(constant.output.type):
                return code.object(constant.attributes["value"], "constant")
        pointer, owned = build_part(code, structure, op)
        values = values_of(structure, op)
        if owned and on_each_way and values and all(map(self._is_free, values)):
            code.keep_object(values, pointer, type(structure) is tuple)
        elif owned:
            self.slots.append(code.hold(pointer))
        return pointer

    def _is_free(self, value: Value) -> bool:
        return in_register(value.type) and value not in self.code.objects

    def release(self) -> None:
        for slot in self.slots:
            self.code.release(slot)


def _found(code: Codegen, op: Operation, key: V) -> V:
    """The item at a key: borrowed, or NULL; an exception leaves."""
    f = code.f
    code.declare("declare ptr @PyDict_GetItemWithError(ptr, ptr)")
    code.declare("declare ptr @PyErr_Occurred()")
    item = f.call("ptr", "PyDict_GetItemWithError", (_pointer(code, op), key))
    missing, there = f.label("missing"), f.label("there")
    f.branch(f.compare("icmp eq", item, NULL), missing, there, likely=False)
    f.at(missing)
    code.fail_if(f.compare("icmp ne", f.call("ptr", "PyErr_Occurred", ()), NULL), op.location)
    f.jump(there)
    f.at(there)
    return item


def _bind(code: Codegen, op: Operation, slow: SlowPath, item: V) -> None:
    """What an item holds. One of another kind than expected is the kernel's, which looks for it again."""
    reader = op.attributes.get("reader")
    found = [] if reader is None else read(code, reader.pattern, item, slow.jump_if)
    own(code, found)
    for value, rep in zip(op.outputs, slow.finish(found), strict=True):
        code.bind(value, rep)


def _get_item(code: Codegen, op: Operation) -> None:
    given = _Given(code, op)
    slow = SlowPath(code, op)
    item = _found(code, op, given.object(structures_of(op)[1]))
    slow.jump_if(code.f.compare("icmp eq", item, NULL), _class(op) in (dict, OrderedDict))
    _bind(code, op, slow, item)
    given.release()


def _get(code: Codegen, op: Operation) -> None:
    f, given = code.f, _Given(code, op)
    _, key, *default = structures_of(op)
    slow = SlowPath(code, op)
    item = _found(code, op, given.object(key))
    is_missing = f.compare("icmp eq", item, NULL)
    end, missing, join = f.block, f.label("missing"), f.label("item")
    f.branch(is_missing, missing, join)
    f.at(missing)
    other = given.object(default[0] if default else None, on_each_way=False)
    other_end = f.block
    f.jump(join)
    f.at(join)
    _bind(code, op, slow, f.merge(join, "ptr", [(item, end), (other, other_end)]))
    given.release()


def _set_default(code: Codegen, op: Operation) -> None:
    f, given = code.f, _Given(code, op)
    _, key, *default = structures_of(op)
    code.declare("declare ptr @PyDict_SetDefault(ptr, ptr, ptr)")
    arguments = (given.object(key), given.object(default[0] if default else None))
    item = f.call("ptr", "PyDict_SetDefault", (_pointer(code, op), *arguments))
    code.fail_if(f.compare("icmp eq", item, NULL), op.location)
    _bind(code, op, SlowPath(code, op), item)
    given.release()


def _status(name: str, ordered: str = "") -> Callable[[Codegen, Operation], None]:
    """An operation that is a function of the C API, which says whether it raised.

    ``ordered``: the function for an OrderedDict, of whose order the one for dicts does not know.
    """

    def emit(code: Codegen, op: Operation) -> None:
        f, given = code.f, _Given(code, op)
        function = ordered if _class(op) is OrderedDict and ordered else name
        arguments = [_pointer(code, op), *map(given.object, structures_of(op)[1:])]
        code.declare(f"declare i32 @{function}({', '.join(['ptr'] * len(arguments))})")
        status = f.call("i32", function, arguments)
        code.fail_if(f.compare("icmp slt", status, i32(0)), op.location)
        given.release()
        if op.outputs:
            code.reps[op.output] = Register(Element(f.compare("icmp ne", status, i32(0)), BOOL))

    return emit


def _contains(code: Codegen, op: Operation) -> None:
    _status("PySet_Contains" if _class(op) is set else "PyDict_Contains")(code, op)


def _length(code: Codegen, op: Operation) -> None:
    name = "PySet_Size" if _class(op) is set else "PyDict_Size"
    code.declare(f"declare i64 @{name}(ptr)")
    found = code.f.call("i64", name, (_pointer(code, op),))
    code.reps[op.output] = Register(Element(found, INT.dtype))


def _new(code: Codegen, op: Operation) -> None:
    code.declare("declare ptr @PyDict_New()")
    made = code.f.call("ptr", "PyDict_New", ())
    code.fail_if(code.f.compare("icmp eq", made, NULL), op.location)
    code.bind(op.output, Boxed(made))


def _listed(name: str) -> Callable[[Codegen, Operation], None]:
    """A list of what is in a dict, made by this function of the C API."""

    def emit(code: Codegen, op: Operation) -> None:
        code.declare(f"declare ptr @{name}(ptr)")
        made = code.f.call("ptr", name, (_pointer(code, op),))
        code.fail_if(code.f.compare("icmp eq", made, NULL), op.location)
        code.bind(op.output, Boxed(made))

    return emit


_EMIT: dict[str, Callable[[Codegen, Operation], None]] = {
    "list.new": _new,
    "dict.getitem": _get_item,
    "dict.get": _get,
    "dict.setdefault": _set_default,
    "dict.setitem": _status("PyDict_SetItem", "PyObject_SetItem"),
    "dict.delitem": _status("PyDict_DelItem", "PyObject_DelItem"),
    "set.add": _status("PySet_Add"),
    "list.contains": _contains,
    "list.len": _length,
    "dict.items": _listed("PyDict_Items"),
    "dict.values": _listed("PyDict_Values"),
    "list.of": _listed("PyDict_Keys"),
}
_CLASSES: dict[str, tuple[type, ...]] = {
    "dict.getitem": _DICTS,
    "dict.get": _DICTS,
    "dict.setdefault": (dict, defaultdict, Counter),
    "dict.setitem": _DICTS,
    "dict.delitem": _DICTS,
    "set.add": (set,),
    "list.contains": (*_DICTS, set),
    "list.len": (*_DICTS, set),
    # not of an OrderedDict, of whose order these functions do not know
    **dict.fromkeys(("dict.items", "dict.values", "list.of"), (dict, defaultdict, Counter)),
}
