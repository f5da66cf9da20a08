"""Machine code as built-in functions of Python, which keep alive what it needs."""

from __future__ import annotations

import ctypes
import itertools
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runtime.engines.native.jit import Library


class _MethodDef(ctypes.Structure):
    """PyMethodDef: what a built-in function is made from."""

    _fields_ = [
        ("name", ctypes.c_void_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


class _MethodDefs:
    """The records of all functions. They stay: a collector still reads that of a function whose owner it has
    cleared. One is 32 bytes."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._blocks: list[ctypes.Array[_MethodDef]] = []
        self._names: dict[str, ctypes.Array[ctypes.c_char]] = {}

    def new(self, name: str, address: int, takes: int) -> int:
        """The address of a new record."""
        block, place = divmod(next(self._numbers), _IN_A_BLOCK)
        while len(self._blocks) <= block:  # two threads may make one more than is needed
            self._blocks.append((_MethodDef * _IN_A_BLOCK)())
        text = self._names.setdefault(name, ctypes.create_string_buffer(name.encode()))
        record = self._blocks[block][place]
        record.name, record.address, record.flags = ctypes.addressof(text), address, takes
        return ctypes.addressof(record)


_IN_A_BLOCK = 256
_method_defs = _MethodDefs()

#: how a function takes its arguments: an array of them and their number, or the one that it has
TAKES_MANY, TAKES_ONE = 0x0080, 0x0008

#: what `rt_entry` (support_failures.ll) finds of a body: its address, and the number of its results
_BODY = struct.Struct("=Qq")

#: Python's constructor of built-in functions
_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype = ctypes.py_object
_new_function.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]


class Callables:
    """What the functions of a library need to live. It is their first argument."""

    def __init__(self, library: Library, kept: list[object]) -> None:
        self.library = library
        self.kept = kept

    def function(self, symbol: str, name: str, takes: int) -> Callable[..., Any]:
        """A built-in function, which keeps this object alive."""
        return self._new(self.library.address(symbol), name, takes, self)

    def entry(self, address: int, name: str, body: str, count: int) -> Callable[..., Any]:
        """One that takes and gives lists: the function at ``address`` around ``body``, of so many results."""
        return self._new(address, name, TAKES_ONE, (self, _BODY.pack(self.library.address(body), count)))

    def _new(self, address: int, name: str, takes: int, first: object) -> Callable[..., Any]:
        return _new_function(_method_defs.new(name, address, takes), first, None)
