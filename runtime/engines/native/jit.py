"""One JIT per process: texts become machine code in memory, linked to C functions of Python's and NumPy's.

LLVM compiles (llvm.py), or the code comes from a file (disk.py), and is linked without LLVM (elf.py).
"""

from __future__ import annotations

import collections
import ctypes
import pkgutil
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autograph.errors import AutographError, IntegerRangeError, InternalError
from autograph.locks import new_lock
from runtime.engines.native import disk, elf, llvm
from runtime.engines.native.disk import How
from runtime.engines.native.module import names_in

#: functions of Python's C API that compiled code calls; a version to come may lack those that begin with an
#: underscore
PYTHON_FUNCTIONS = """
    PyLong_FromLongLong PyLong_AsLongLong PyLong_AsLongLongAndOverflow PyFloat_FromDouble PyBool_FromLong
    PyObject_Vectorcall PyObject_IsTrue Py_IncRef Py_DecRef PyErr_Format PyErr_SetString PyErr_Occurred
    PyErr_Fetch PyErr_NormalizeException PyErr_Restore PyErr_Clear PyErr_CheckSignals
    PyException_SetTraceback PyException_GetTraceback PyTuple_GetItem PyTuple_Size PyList_New PyList_SetItem
    PyList_Size PyList_Append PyList_GetItem PyList_SetSlice PyComplex_FromDoubles
    PyObject_GenericSetAttr _PyDict_GetItem_KnownHash
    PyDict_New PyDict_GetItemWithError PyDict_SetDefault PyDict_SetItem PyDict_DelItem PyDict_Contains
    PyDict_Size PyObject_SetItem PyObject_DelItem PySet_Add PySet_Contains PySet_Size
    PyDict_Next PyMem_Calloc PyMem_Realloc PyMem_Free PyObject_CallOneArg
    PyObject_Str PyObject_Repr PyObject_ASCII PyObject_Format _PyUnicode_JoinArray
    PySequence_GetItem PyUnicode_GetLength PyUnicode_Compare PyUnicode_Contains PyUnicode_Substring
    PyUnicode_Concat PyUnicode_Append _Py_Dealloc PyTuple_New PyTuple_SetItem PySlice_New
    Py_GetRecursionLimit PyEval_SaveThread PyEval_RestoreThread PyErr_GetHandledException
    PyErr_SetHandledException
    PyErr_GivenExceptionMatches PyErr_SetObject PyErr_SetNone PyErr_NoMemory PyErr_ExceptionMatches
    PyBytes_AsString PyCell_Get PyObject_GetAttr PyObject_GetItem PyObject_RichCompareBool
    PyFunction_GetCode PyFunction_GetDefaults PyFunction_GetKwDefaults PyContextVar_Get
""".split()

#: functions of NumPy's C API by their place in its table (part of NumPy's stable ABI)
NUMPY_FUNCTIONS = {
    "PyArray_Scalar": 60,
    "PyArray_New": 93,
    "PyArray_NewFromDescr": 94,
    "PyArray_SetBaseObject": 282,
}

#: Python's number for what ``__new__`` of a class does
_NEW = 65

OBJECTS: dict[str, object] = {
    "type.int": int,
    "type.float": float,
    "type.ndarray": np.ndarray,
    "type.list": list,
    "type.dict": dict,
    "object.True": True,
    "object.False": False,
    "object.None": None,
    "error.TypeError": TypeError,
    "error.IntegerRangeError": IntegerRangeError,
    "error.SystemError": SystemError,
    "error.InternalError": InternalError,
    "error.AutographError": AutographError,
    "error.IndexError": IndexError,
    "error.RecursionError": RecursionError,
    "error.ValueError": ValueError,
}

#: functions that others call: each file is compiled when the first function needs it
SUPPORT = {
    "support_failures.ll": ("rt_fail", "rt_release", "rt_entry"),
    "support_tries.ll": ("rt_catch", "rt_ended"),
    "support_calls.ll": ("rt_box", "rt_unbox", "rt_call", "rt_slow", "rt_raise"),
    "support_arrays.ll": ("rt_check_array", "rt_view"),
    "support_gil.ll": ("rt_hold", "rt_look", "rt_turn"),
    "support_spares.ll": ("rt_spare",),
}
#: what loops call at each step is good code always; what only failures and rare looks call, never
ALWAYS_GOOD, NEVER_GOOD = {"support_spares.ll"}, {"support_failures.ll", "support_gil.ll"}

#: modules with more lines are optimised without the unrolling of loops, which doubles that time
MOST_UNROLLED = 8000
#: modules with more lines are optimised to LLVM's level 2, as those are that have no short loops, and numbers
#: are not put into vectors outside of loops: that takes a tenth to a third less, and gains nothing there
MOST_AT_ITS_BEST = 1200


def own_text(file: str) -> str:
    """A file of this folder."""
    return (pkgutil.get_data(__package__ or "", file) or b"").decode()


class _Outside(dict[str, int]):
    """The addresses of functions and objects of Python's and NumPy's, each found when it is first needed."""

    def __missing__(self, name: str) -> int:
        address = self[name] = _address(name)
        return address

    def knows(self, name: str) -> bool:
        return name in self or name in _PLACES


_PLACES = {*PYTHON_FUNCTIONS, *NUMPY_FUNCTIONS, *OBJECTS, "object.new"}


def _address(name: str) -> int:
    if name in OBJECTS:
        return id(OBJECTS[name])
    if name in NUMPY_FUNCTIONS:
        capsule: Any = np._core._multiarray_umath._ARRAY_API  # type: ignore[attr-defined]
        get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
        get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        table = ctypes.cast(get_pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))
        return table[NUMPY_FUNCTIONS[name]] or 0
    if name == "object.new":
        get_slot = ctypes.pythonapi.PyType_GetSlot
        get_slot.restype, get_slot.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
        return get_slot(object, _NEW)
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


class Library:
    """Machine code in memory; freed when the next function compiles after this object is gone.

    Not at once: it may go anywhere in a program, at the limit of the stack's depth, too, where the code in
    Python that frees it would fail, and print that it did.
    """

    def __init__(self, text: str, how: How, addresses: Mapping[str, int]) -> None:
        self._text = text
        self._how = how
        self._addresses = addresses
        self.parts: Library | None = None  # what it calls

    def address(self, name: str) -> int:
        return self._addresses[name]

    def optimised(self) -> str:
        own = llvm.optimised_text(self._text, self._how)
        return own + (self.parts.optimised() if self.parts else "")

    def assembly(self) -> str:
        own = llvm.assembly(self._text, self._how)
        return own + (self.parts.assembly() if self.parts else "")


class Jit:
    """Makes libraries of LLVM's text form."""

    def __init__(self) -> None:
        self._held: dict[weakref.ref[Library], Any] = {}  # what is to be freed after a library
        self._gone: collections.deque[weakref.ref[Library]] = collections.deque()
        self._note_failure: Callable[..., None] | None = None  # referenced from machine code
        self._outside = _Outside()
        self._support: dict[tuple[str, bool], Library] = {}  # by file: its functions, as good code or not
        self._making_support = new_lock()

    def report_to(self, note_failure: Callable[..., None]) -> None:
        """What code calls when an exception leaves it: there is one such function."""
        if self._note_failure is None:
            self._note_failure = note_failure
            self._outside["note_failure"] = id(note_failure)

    def compile_loops(
        self, text: str, exports: Sequence[str], symbols: Mapping[str, int] | None = None
    ) -> Library:
        """Optimise and load a module whose loops are as they should be: nothing is put into vectors."""
        self._free()
        return self._optimised(text, symbols or {}, exports, loops_are_done=True)

    def compile(
        self,
        text: str,
        symbols: Mapping[str, int],
        exports: Sequence[str],
        calls_often: bool = False,
        at_its_best: bool = True,
    ) -> Library:
        """Optimise and load a module. ``symbols`` are addresses of the globals that it declares.

        ``calls_often``: it spends its time in calls of Python. ``at_its_best``: see MOST_AT_ITS_BEST.
        """
        self._free()
        symbols = {**self._support_symbols(text, calls_often), **symbols}
        return self._optimised(text, symbols, exports, at_its_best=at_its_best)

    def compile_quickly(self, text: str, symbols: Mapping[str, int], exports: Sequence[str]) -> Library:
        """The same, with no look for what can be left out: in half the time."""
        self._free()
        return self._as_written(text, {**self._support_symbols(text, False), **symbols}, exports, 1)

    def compile_in_parts(
        self,
        straight: str,
        loops: str,
        symbols: Mapping[str, int],
        exports: Sequence[str],
        names: Sequence[str],
        calls_often: bool = False,
        at_its_best: bool = True,
    ) -> Library:
        """Two modules as one: ``straight`` runs once a call and is loaded as it is written; ``loops``, with
        functions of these ``names``, is optimised."""
        self._free()
        symbols = {**self._support_symbols(straight + loops, calls_often), **symbols}
        unrolls = loops.count("\n") < MOST_UNROLLED
        parts = self._optimised(loops, symbols, names, unrolls=unrolls, at_its_best=at_its_best)
        symbols |= {name: parts.address(name) for name in names}
        library = self._as_written(straight, symbols, exports)
        library.parts = parts
        return library

    def compile_at_once(self, text: str, symbols: Mapping[str, int], exports: Sequence[str]) -> Library:
        """The same in a quarter of that, instruction by instruction: for a long function, of short ways."""
        self._free()
        return self._as_written(text, symbols, exports)

    def entry(self) -> int:
        """The address of the function that takes and gives lists, around `entry_body`."""
        return self._support_library("support_failures.ll", False).address("rt_entry")

    def _support_symbols(self, text: str, good: bool) -> dict[str, int]:
        """The addresses of the functions of support_*.ll that a module names.

        Good code for these takes four times as long, and gains a third of a call: it is made where calls
        are what takes the time. They are written as LLVM's passes would leave them.
        """
        found: dict[str, int] = {}
        needed = names_in(text)
        for file, names in SUPPORT.items():
            if not needed.isdisjoint(names):
                worth = file in ALWAYS_GOOD or (good and file not in NEVER_GOOD)
                library = self._support_library(file, worth)
                found |= {name: library.address(name) for name in names}
        return found

    def _support_library(self, file: str, good: bool) -> Library:
        with self._making_support:
            if (file, good) not in self._support:
                text = own_text(file)
                self._support[file, good] = self._as_written(text, {}, SUPPORT[file], int(good))
            return self._support[file, good]

    def _as_written(
        self, text: str, symbols: Mapping[str, int], exports: Sequence[str], optimising: int = 0
    ) -> Library:
        """Only what asks for it is written into its callers. ``optimising``: how good the machine code is."""
        return self._load(text, How(optimising, 0, False, False), symbols, exports)

    def _optimised(
        self,
        text: str,
        symbols: Mapping[str, int],
        exports: Sequence[str],
        loops_are_done: bool = False,
        unrolls: bool = True,
        at_its_best: bool = True,
    ) -> Library:
        at_its_best = at_its_best and not loops_are_done and text.count("\n") <= MOST_AT_ITS_BEST
        speed = 3 if at_its_best else 2
        how = How(3, speed, not loops_are_done, unrolls and not loops_are_done)
        return self._load(text, how, symbols, exports)

    def _load(self, text: str, how: How, symbols: Mapping[str, int], exports: Sequence[str]) -> Library:
        outside = {name: self._outside[name] for name in names_in(text) if self._outside.knows(name)}
        code = _code(text, how, {**outside, **symbols}, exports)
        library = Library(text, how, code.addresses)
        self._held[weakref.ref(library, self._gone.append)] = code
        return library

    def _free(self) -> None:
        while True:
            try:
                gone = self._gone.popleft()
            except IndexError:  # another thread may have taken it
                return
            del self._held[gone]


def _code(text: str, how: How, symbols: Mapping[str, int], exports: Sequence[str]) -> elf.Image | llvm.Linked:
    """The machine code of a text in memory: from the disk, where it is kept there."""
    entry = disk.entry(text, how)
    if entry is None:
        return llvm.Linked(llvm.object_code(text, how), symbols, exports)
    found = entry.read()
    code = llvm.object_code(text, how) if found is None else found
    try:
        image = elf.Image(code, symbols, exports)
    except elf.NotLoadable as reason:
        entry.refuse(str(reason))
        return llvm.Linked(code, symbols, exports)
    if found is None:
        entry.write(code)
    return image


_lock = new_lock()
_jit: Jit | None = None


def jit(note_failure: Callable[..., None] | None = None) -> Jit:
    """The JIT of this process, made at the first call. Code that may raise calls ``note_failure``."""
    global _jit
    with _lock:
        if _jit is None:
            _jit = Jit()
        if note_failure is not None:
            _jit.report_to(note_failure)
        return _jit
