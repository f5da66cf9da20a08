"""A class in C with every special method, each of which does what that of `library.Listed` does.

Made by `PyType_FromSpec`, with the numbers that the stable ABI has for its slots.
"""

from __future__ import annotations

import array
import ctypes
from ctypes import PYFUNCTYPE, c_char_p, c_int, c_ssize_t, c_uint, c_void_p, py_object
from typing import Any

from tests.runtime.foreign.library import HELD, METHODS, noting

_ONE, _TWO = PYFUNCTYPE(py_object, py_object), PYFUNCTYPE(py_object, py_object, py_object)
_THREE = PYFUNCTYPE(py_object, py_object, py_object, py_object)
_COUNT, _IS = PYFUNCTYPE(c_ssize_t, py_object), PYFUNCTYPE(c_int, py_object)
_HAS, _STORE = PYFUNCTYPE(c_int, py_object, py_object), PYFUNCTYPE(c_int, py_object, py_object, c_void_p)
_COMPARE = PYFUNCTYPE(py_object, py_object, py_object, c_int)
_CALL = PYFUNCTYPE(py_object, py_object, py_object, c_void_p)
_BUFFER = PYFUNCTYPE(c_int, py_object, c_void_p, c_int)

_SLOTS_OF_ONE = {
    "abs": 6, "float": 11, "index": 13, "int": 26, "invert": 27, "neg": 30, "pos": 32, "iter": 62,
    "repr": 66, "str": 70,
}  # fmt: skip
_SLOTS_OF_TWO = {
    "add": 7, "and": 8, "divmod": 10, "floordiv": 12, "lshift": 28, "mul": 29, "or": 31, "mod": 34,
    "rshift": 35, "sub": 36, "truediv": 37, "xor": 38, "matmul": 75, "iadd": 14, "iand": 15,
    "ifloordiv": 16, "ilshift": 17, "imul": 18, "ior": 19, "imod": 21, "irshift": 22, "isub": 23,
    "itruediv": 24, "ixor": 25, "imatmul": 76,
}  # fmt: skip
_PLAIN = (
    "reversed format round trunc floor ceil complex enter exit bytes fspath length_hint copy deepcopy array"
)
_ORDER = ("lt", "le", "eq", "ne", "gt", "ge")
_KEPT: list[Any] = []  # what the class points to


class _Slot(ctypes.Structure):
    _fields_ = [("slot", c_int), ("pfunc", c_void_p)]


class _Spec(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p), ("basicsize", c_int), ("itemsize", c_int), ("flags", c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    ]  # fmt: skip


class _Method(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("meth", c_void_p), ("flags", c_int), ("doc", c_char_p)]


def _special(name: str) -> Any:
    return noting(f"__{name}__")


def _operator(name: str) -> Any:
    """One slot serves `a + b` and `b + a`."""
    forward = _special(name)
    reflected = _special(f"r{name}") if f"__r{name}__" in METHODS else forward
    return lambda a, b, *mod: forward(a, b) if id(a) in HELD else reflected(b, a)


def _store(one: Any, key: Any, value: Any) -> int:
    if value is None:
        _special("delitem")(one, key)
    else:
        _special("setitem")(one, key, ctypes.cast(value, py_object).value)
    return 0


def _get_buffer(one: Any, view: Any, flags: int) -> int:
    held = array.array("d", HELD[id(one)])
    _KEPT.append(held)
    address, length = held.buffer_info()
    fill = ctypes.pythonapi.PyBuffer_FillInfo
    fill.argtypes = [c_void_p, py_object, c_void_p, c_ssize_t, c_int, c_int]
    return fill(view, one, address, length * held.itemsize, 0, flags)


def _made() -> type:
    compare = [_special(name) for name in _ORDER]
    call = _special("call")
    power, in_place = _operator("pow"), _special("ipow")
    slots = [
        *[(slot, _ONE(_special(name))) for name, slot in _SLOTS_OF_ONE.items()],
        *[(slot, _TWO(_operator(name))) for name, slot in _SLOTS_OF_TWO.items()],
        (33, _THREE(power)), (20, _THREE(lambda one, other, mod: in_place(one, other))),
        (1, _BUFFER(_get_buffer)), (3, _STORE(_store)), (4, _COUNT(_special("len"))),
        (5, _TWO(_special("getitem"))), (9, _IS(_special("bool"))), (41, _HAS(_special("contains"))),
        (50, _CALL(lambda one, args, named: call(one, *args))), (59, _COUNT(_special("hash"))),
        (67, _COMPARE(lambda one, other, which: compare[which](one, other))),
    ]  # fmt: skip
    methods = (_Method * 30)()
    for place, name in enumerate([*[f"__{name}__" for name in _PLAIN.split()], "keys"]):
        run = _TWO(lambda one, args, run=noting(name): run(one, *args))
        _KEPT.append(run)
        methods[place] = _Method(name.encode(), ctypes.cast(run, c_void_p), 1, None)  # METH_VARARGS
    table = (_Slot * (len(slots) + 2))()
    for place, (slot, function) in enumerate(slots):
        table[place] = _Slot(slot, ctypes.cast(function, c_void_p))
    table[len(slots)] = _Slot(64, ctypes.cast(methods, c_void_p))
    immutable = 1 << 8
    spec = _Spec(b"compiled_library.Compiled", 16, 0, immutable, table)
    _KEPT.extend([slots, methods, table, spec])
    ctypes.pythonapi.PyType_FromSpec.restype = py_object
    return ctypes.pythonapi.PyType_FromSpec(ctypes.byref(spec))


Compiled: Any = _made()


def compiled(*held: float) -> Any:
    one = Compiled()
    HELD[id(one)] = [*held]
    _KEPT.append(one)
    return one
