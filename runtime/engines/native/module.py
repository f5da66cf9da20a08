"""The LLVM module of one function: its text, and the names of what lies outside of it."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.engines.native.ir import BRANCH_WEIGHTS, NULL, FunctionWriter, V

_DECLARATIONS = """\
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyBool_FromLong(i64)
declare i32 @PyObject_IsTrue(ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare void @PyErr_SetString(ptr, ptr)
declare i32 @PyErr_CheckSignals()
declare i32 @Py_GetRecursionLimit()
declare ptr @PyList_New(i64)
declare i32 @PyList_SetItem(ptr, i64, ptr)
declare ptr @PyArray_New(ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)
declare ptr @rt_box(i64, ptr)
declare i32 @rt_call(ptr, ptr, i64, ptr, i64, i64, ptr)
declare i32 @rt_raise(ptr, ptr, i64, ptr, i64, i64, ptr)
declare i32 @rt_check_array(ptr, i32, i1, i32, ptr, ptr)
declare ptr @rt_view(ptr, ptr, i32, ptr, ptr, ptr, i1)
declare void @rt_release(ptr, i64)
declare void @rt_fail(ptr, i64) cold
@type.ndarray = external global i8
@error.ValueError = external global i8
@error.SystemError = external global i8
@error.RecursionError = external global i8
"""

_DECLARED = frozenset(_DECLARATIONS.splitlines())

#: the same function for a list of arguments: {PyObject; size; address of the items}
RUN = """\
@type.list = external global i8
@error.TypeError = external global i8
@text.list = private constant [29 x i8] c"the arguments must be a list\\00"
define ptr @run_list(ptr %state, ptr %list) {
  %type.at = getelementptr i8, ptr %list, i64 8
  %type = load ptr, ptr %type.at
  %is.list = icmp eq ptr %type, @type.list
  br i1 %is.list, label %run, label %refuse
refuse:
  call void @PyErr_SetString(ptr @error.TypeError, ptr @text.list)
  ret ptr null
run:
  %size.at = getelementptr i8, ptr %list, i64 16
  %items.at = getelementptr i8, ptr %list, i64 24
  %size = load i64, ptr %size.at
  %items = load ptr, ptr %items.at
  %results = tail call ptr @entry_function(ptr %state, ptr %items, i64 %size)
  ret ptr %results
}
"""


class ModuleWriter:
    """Collects declarations, constants and metadata beside the functions; ``f`` is the one in work."""

    f: FunctionWriter

    def __init__(self) -> None:
        self.functions: list[FunctionWriter] = []
        self.symbols: dict[str, int] = {}
        self.kept: list[object] = []  # what machine code refers to by address
        self._globals: list[str] = []
        self._metadata: list[str] = []
        self._declared: dict[str, None] = {}
        self._strings: dict[str, V] = {}
        self._object_names: dict[int, V] = {}

    def text(self, *more: str) -> str:
        """LLVM's text form, with more functions."""
        parts = [
            _DECLARATIONS,
            *self._declared,
            *self._globals,
            *[function.text() for function in self.functions],
            *more,
            BRANCH_WEIGHTS,
            *self._metadata,
        ]
        return "\n".join(parts) + "\n"

    def begin(self, f: FunctionWriter) -> None:
        """Write another function from here on."""
        self.f = f
        self.functions.append(f)

    def declare(self, text: str) -> None:
        if text not in _DECLARED:
            self._declared[text] = None

    def symbol(self, name: str) -> V:
        if not any(f"@{name} =" in line for line in (_DECLARATIONS, *self._declared)):
            self.declare(f"@{name} = external global i8")
        return V("ptr", f"@{name}")

    def object(self, item: object, name: str = "object") -> V:
        """The address of a Python object, which is kept alive with the code."""
        known = self._object_names.get(id(item))
        if known is None:
            label = f"{''.join(c if c.isalnum() else '_' for c in name)}.{len(self.kept)}"
            self.kept.append(item)
            self.symbols[label] = id(item)
            self.declare(f"@{label} = external global i8")
            known = self._object_names[id(item)] = V("ptr", f"@{label}")
        return known

    def outside(self, address: int, name: str) -> V:
        """A function of somebody else's, by address."""
        label = f"{name}.{address:x}"
        self.symbols[label] = address
        self.declare(f"declare void @{label}(ptr, ptr, ptr, ptr)")
        return V("ptr", f"@{label}")

    def define_global(self, text: str) -> None:
        if text not in self._globals:
            self._globals.append(text)

    def string(self, text: str) -> V:
        if text not in self._strings:
            name = f"@text.{len(self._strings)}"
            data = text.encode() + b"\0"
            shown = "".join(
                f"\\{byte:02X}" if byte < 32 or byte > 126 or byte in b'"\\' else chr(byte) for byte in data
            )
            self._globals.append(f'{name} = private constant [{len(data)} x i8] c"{shown}"')
            self._strings[text] = V("ptr", name)
        return self._strings[text]

    def numbers(self, items: Sequence[int]) -> V:
        """The address of a constant array of i64."""
        if not items:
            return NULL
        name = f"@numbers.{len(self._globals)}"
        self._globals.append(
            f"{name} = private constant [{len(items)} x i64] [{', '.join(f'i64 {n}' for n in items)}]"
        )
        return V("ptr", name)

    def metadata(self, text: str) -> str:
        """A new metadata node; SELF in the text stands for itself."""
        name = f"!{10 + len(self._metadata)}"
        self._metadata.append(f"{name} = {text.replace('SELF', name)}")
        return name
