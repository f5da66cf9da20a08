"""The LLVM module of one function: its text, and the names of what lies outside of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runtime.engines.native import parts
from runtime.engines.native.ir import BRANCH_WEIGHTS, NULL, FunctionWriter, V, i64

#: what many functions use: declared where it is used
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
declare i32 @rt_unbox(i64, ptr, ptr)
declare i32 @rt_call(ptr, ptr, i64, ptr, i64, i64, ptr)
declare i32 @rt_raise(ptr, ptr, i64, ptr, i64, i64, ptr)
declare i32 @rt_slow(ptr, ptr, ptr, i64, ptr, i64, i64, ptr)
declare i32 @rt_check_array(ptr, i32, i1, i32, ptr, ptr)
declare ptr @rt_view(ptr, ptr, i32, ptr, ptr, ptr, i1)
declare void @rt_release(ptr, i64)
declare void @rt_spare(ptr, ptr, i32, ptr, ptr, ptr, i64)
declare void @rt_fail(ptr, i64) cold
declare ptr @rt_catch(ptr, i64, i1, ptr) cold
declare void @rt_hold(ptr) cold
declare i32 @rt_look(ptr, i64) cold
declare i32 @rt_turn(ptr) cold
declare i32 @rt_ended(ptr, ptr, i64, i64) cold
declare ptr @PyErr_GetHandledException()
declare void @PyErr_SetHandledException(ptr)
@type.ndarray = external global i8
@error.ValueError = external global i8
@error.SystemError = external global i8
@error.RecursionError = external global i8
""".splitlines()

_SYMBOL = re.compile(r"@\"?([\w.]+)")
_NODE = re.compile(r"!\d+")
_DECLARED = {_SYMBOL.findall(line)[0]: line for line in _DECLARATIONS}


def names_in(text: str) -> set[str]:
    """The symbols that LLVM's text form names."""
    return set(_SYMBOL.findall(text))


class ModuleWriter:
    """Collects declarations, constants and metadata beside the functions; ``f`` is the one in work."""

    f: FunctionWriter

    is_long = False  # is it to be written in parts?
    has_short_loops = False  # of known lengths, which are unrolled: then numbers become vectors

    def __init__(self) -> None:
        self.functions: list[FunctionWriter] = []
        self.symbols: dict[str, int] = {}
        self.kept: list[object] = []  # what machine code refers to by address
        self._globals: list[str] = []
        self._metadata: list[str] = []
        self._declared: dict[str, None] = {}
        self._strings: dict[str, V] = {}
        self._object_names: dict[int, V] = {}
        self._labels: dict[tuple[str, int], str] = {}

    def text(self) -> str:
        """LLVM's text form."""
        return self._module(self.functions)

    def _module(self, functions: Sequence[FunctionWriter], others: Sequence[FunctionWriter] = ()) -> str:
        """``others``: functions of another module."""
        text = "\n".join([function.text() for function in functions])
        body = "\n".join([*self._declared, *self._globals, text])
        used = names_in(body)
        declared = [line for name, line in _DECLARED.items() if name in used]
        declared += [f.declaration() for f in others if f.name.strip('"') in used]
        return "\n".join([*declared, body, BRANCH_WEIGHTS, *self._metadata]) + "\n"

    def in_parts(self, straight: Sequence[str]) -> tuple[str, str, list[str]]:
        """Two modules, for functions that are long: the functions named ``straight``, without their loops,
        and loops that are little but loops; and what else loops, with its names."""
        cut = parts.Parts(self._meaning)
        for function in self.functions:
            cut.cut(function)
        others = [f for f in self.functions if f.name not in straight]
        self.functions += cut.functions
        others_call = any(not f.name.startswith('"region.') for f in others)
        straight = [*straight, *(() if others_call else parts.between_loops(cut.functions))]
        loops = [f for f in self.functions if f.name not in straight]
        for function in loops:
            function.linkage = ""
        rest = [f for f in self.functions if f.name in straight]
        return self._module(rest, loops), self._module(loops), [f.name.strip('"') for f in loops]

    def _meaning(self, name: str) -> str:
        """What a node of metadata says, whatever its name and those of others are."""
        if name in ("!0", "!1"):
            return name
        text = self._metadata[int(name[1:]) - 10].partition(" = ")[2].replace(name, "SELF")
        return _NODE.sub(lambda found: self._meaning(found[0]), text)

    def begin(self, f: FunctionWriter) -> None:
        """Write another function from here on."""
        self.f = f
        f.in_parts = self.is_long
        self.functions.append(f)

    def declare(self, text: str) -> None:
        if text not in _DECLARATIONS:
            self._declared[text] = None

    def symbol(self, name: str) -> V:
        if name not in _DECLARED and not any(f"@{name} =" in line for line in self._declared):
            self.declare(f"@{name} = external global i8")
        return V("ptr", f"@{name}")

    def object_number(self, item: object, more: int = 0) -> V:
        """The address of a Python object, and so much more, as a number."""
        number = f"ptrtoint ({self.object(item, 'number')} to i64)"
        return V("i64", f"add (i64 {number}, i64 {more})" if more else number)

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

    def number(self, number: int, name: str) -> V:
        """A number that is another one in each process."""
        return V("i64", f"ptrtoint ({self.memory(number % 2**64, name)} to i64)")

    def outside(self, address: int, name: str) -> V:
        """A function of somebody else's, by address."""
        label = self._label(address, name)
        self.declare(f"declare void @{label}(ptr, ptr, ptr, ptr)")
        return V("ptr", f"@{label}")

    def memory(self, address: int, name: str) -> V:
        """Memory of somebody else's, by address."""
        if not address:
            return NULL
        label = self._label(address, f"memory.{name}")
        self.declare(f"@{label} = external global i8")
        return V("ptr", f"@{label}")

    def _label(self, address: int, name: str) -> str:
        """What stands for an address. No address is in the text, so that other processes write the same."""
        label = self._labels.setdefault((name, address), f"{name}.{len(self._labels)}")
        self.symbols[label] = address
        return label

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

    def numbers(self, items: Sequence[int | V]) -> V:
        """The address of a constant array of i64."""
        if not items:
            return NULL
        name = f"@numbers.{len(self._globals)}"
        written = ", ".join([str(n if isinstance(n, V) else i64(n)) for n in items])
        self._globals.append(f"{name} = private constant [{len(items)} x i64] [{written}]")
        return V("ptr", name)

    def metadata(self, text: str) -> str:
        """A new metadata node; SELF in the text stands for itself."""
        name = f"!{10 + len(self._metadata)}"
        self._metadata.append(f"{name} = {text.replace('SELF', name)}")
        return name
