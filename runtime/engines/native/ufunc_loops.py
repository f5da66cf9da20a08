"""NumPy's own inner loops, called from machine code for the functions that NumPy computes with SIMD.

``exp`` of an array in a nest runs in blocks: what comes before fills a block, NumPy's loop for ``exp``
transforms it, what comes after reads it. So the values are NumPy's to the last bit, at NumPy's speed.

The layout of a ufunc object is part of NumPy's ABI: ``{ PyObject; int nin, nout, nargs, identity;
void **functions; void **data; int ntypes, reserved; char *name; char *types; ... }``, where ``functions[k]``
is ``void loop(char **args, npy_intp *length, npy_intp *steps, void *data[k])``.
"""

from __future__ import annotations

import ctypes

import numpy as np

from runtime.graph import Operation
from runtime.ops.definition import REGISTRY
from runtime.ops.formulas import COSTLY

#: how many elements a block has: several blocks of doubles stay in the first-level cache
BLOCK = 512


class _Ufunc(ctypes.Structure):
    _fields_ = [
        ("refcount", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("nin", ctypes.c_int),
        ("nout", ctypes.c_int),
        ("nargs", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("ntypes", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("types", ctypes.POINTER(ctypes.c_ubyte)),
    ]


def loop_address(ufunc: np.ufunc, dtypes: tuple[np.dtype, ...]) -> tuple[int, int] | None:
    """Address and data of the loop for these operand and result dtypes; None where there is none.

    >>> loop_address(np.exp, (np.dtype("f8"), np.dtype("f8"))) is not None
    True
    >>> loop_address(np.exp, (np.dtype("i8"), np.dtype("i8"))) is None
    True
    """
    layout = _Ufunc.from_address(id(ufunc))
    if (layout.nin, layout.nout) != (ufunc.nin, ufunc.nout) or layout.nargs != ufunc.nargs:
        return None  # not the layout that we know
    wanted = [dtype.num for dtype in dtypes]
    for k in range(layout.ntypes):
        if layout.types[k * layout.nargs : (k + 1) * layout.nargs] == wanted:
            address = layout.functions[k]
            return None if not address else (address, layout.data[k] or 0)
    return None


def is_costly(name: str, of_complex: bool = False) -> bool:
    """Is an elementwise operation too much for a few instructions?"""
    return REGISTRY[name].native in COSTLY or (of_complex and name in ("sqrt", "absolute"))


def numpy_loop(op: Operation, operands: tuple[np.dtype, ...]) -> tuple[int, int] | None:
    """The loop that computes an elementwise operation; None where machine code does it itself."""
    kernel = REGISTRY[op.name].kernel
    of_complex = bool(operands) and operands[0].kind == "c"
    if not is_costly(op.name, of_complex) or not isinstance(kernel, np.ufunc):
        return None
    return loop_address(kernel, (*operands, op.output.dtype))
