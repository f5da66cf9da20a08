"""Code object -> its converted code object, made once, shared by all functions of that code.

>>> from autograph.source import register_source
>>> text = "def clip(x): return 0 if x < 0 else x"
>>> exec(compile(text, register_source(text), "exec"))
>>> record = conversion_of(clip)
>>> record.bind(clip)(-3), conversion_of(clip) is record
(0, True)
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Mapping
from functools import cached_property
from types import CellType, CodeType, FunctionType
from typing import Any, TypeAlias

from autograph import emit, mangling, passes, settling, source
from autograph.code_objects import has_marks, is_converted_code, marks_of
from autograph.deep import with_room
from autograph.errors import AutographError, ConversionError, error_at_node, place
from autograph.loading import without_collections
from autograph.locks import new_lock
from autograph.walking import walk


class Converted:
    """The converted form of one code object, which any number of functions may share.

    `code` has a subset of the original's free variables, and no others.
    """

    def __init__(self, code: CodeType, original_free_names: tuple[str, ...]) -> None:
        self.code = code
        self.free_names = code.co_freevars
        self._cell_indices = tuple(original_free_names.index(name) for name in code.co_freevars)
        self._plain: FunctionType | None = None  # the last function made that had no closure

    def __repr__(self) -> str:
        return f"<converted {self.code.co_qualname}>"

    def bind(self, function: FunctionType) -> FunctionType:
        """The converted function: globals, cells and defaults are those of `function` itself."""
        closure = function.__closure__
        if closure is None:
            plain = self._plain
            if (
                plain is not None
                and plain.__globals__ is function.__globals__
                and plain.__defaults__ is function.__defaults__
                and plain.__kwdefaults__ is function.__kwdefaults__
                and plain.__name__ is function.__name__
            ):
                return plain
        cells = None if closure is None else tuple(closure[i] for i in self._cell_indices)
        made = FunctionType(self.code, function.__globals__, function.__name__, function.__defaults__, cells)
        if function.__kwdefaults__ is not None:
            made.__kwdefaults__ = function.__kwdefaults__
        if function.__qualname__ != made.__qualname__:
            made.__qualname__ = function.__qualname__
        if closure is None and _is_of_a_module(function):
            # Kept for the next call. It refers to the module's globals, never to the function itself,
            # which, with its code object and this record, can therefore be forgotten.
            self._plain = made
        return made

    def instantiate(
        self,
        module_globals: dict[str, Any],
        cells: Mapping[str, CellType],
        defaults: tuple[Any, ...] | None = None,
        kwdefaults: dict[str, Any] | None = None,
        *,
        name: str | None = None,
        qualname: str | None = None,
    ) -> FunctionType:
        """The converted function over other globals and other cells (those named in `free_names`)."""
        closure = tuple(cells[name] for name in self.free_names) or None
        made = FunctionType(self.code, module_globals, name or self.code.co_name, defaults, closure)
        if kwdefaults is not None:
            made.__kwdefaults__ = kwdefaults
        if qualname is not None:
            made.__qualname__ = qualname
        return made

    @cached_property
    def global_names(self) -> frozenset[str]:
        """The globals and builtins that the code, and what is nested in it, may read or write."""
        return _global_names(self.code, ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")) | (
            self.written_global_names
        )

    @cached_property
    def written_global_names(self) -> frozenset[str]:
        """The globals that the code, and what is nested in it, may assign or delete."""
        return _global_names(self.code, ("STORE_GLOBAL", "DELETE_GLOBAL"))


def _is_of_a_module(function: FunctionType) -> bool:
    module = sys.modules.get(function.__globals__.get("__name__", ""))
    return module is not None and module.__dict__ is function.__globals__


def _global_names(code: CodeType, instructions: tuple[str, ...]) -> frozenset[str]:
    import dis

    names = set()
    numbers = {dis.opmap[name] for name in instructions if name in dis.opmap}
    if not numbers.isdisjoint(code.co_code[::2]):  # to list them takes far longer
        names = {i.argval for i in dis.get_instructions(code) if i.opname in instructions}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _global_names(constant, instructions)
    return frozenset(names)


# The cache. It is keyed by the identity of the original code object and emptied when that dies; a
# record refers to the converted code only, so that it keeps nothing of the original alive.

_Variant: TypeAlias = "tuple[bool, frozenset[str]]"  # `close_with`, `marks`
_records: dict[int, dict[_Variant, Converted | AutographError]] = {}
_alive: dict[int, weakref.ref[CodeType]] = {}
_converting = new_lock()


def conversion_of(
    function: FunctionType, close_with: bool = False, marked: bool | Iterable[str] = False
) -> Converted:
    """The record for the function's code; raises ConversionError where it is refused.

    `close_with`: the block of each `with` is a closure (see `passes/close_with.py`).
    `marked`: as `Stage.marks`. An active stage sees each operator, each container made, each read of an item
    or attribute, and each store to a variable that functions share (see `passes/mark_for_stage.py`,
    `passes/mark_variables.py`), or those that are named.
    """
    marks = marks_of(marked)
    code = function.__code__
    if is_converted_code(code) and has_marks(code, marks):
        return Converted(code, code.co_freevars)
    variant = (close_with, marks)
    found = _records.get(id(code), {}).get(variant)
    if found is None:
        with _converting:
            found = _records.get(id(code), {}).get(variant)
            if found is None:
                found = _convert(function, variant)
                _remember(code, variant, found)
    if isinstance(found, AutographError):
        raise found.copy()
    return found


def inside_out(
    function: FunctionType,
    close_with: bool = False,
    sees_consumer: bool = False,
    marked: bool = False,
) -> Converted:
    """A generator function as one that hands each item to its first argument, a consumer.

    `sees_consumer`: it is a context manager's, and the consumer the block of a `with`.

    For stages whose loops consume generators; see `passes/push_yields.py`. Raises ConversionError where the
    generator has no such form.
    """
    code = function.__code__
    key = (id(code), close_with, sees_consumer, marked)
    found = _inside_out.get(key)
    if found is None:
        with _converting:
            found = _inside_out.get(key)
            if found is None:
                try:
                    found = _convert_code(
                        function,
                        close_with=close_with,
                        inside_out=True,
                        sees_consumer=sees_consumer,
                        marks=marks_of(marked),
                    )
                except AutographError as error:
                    found = error.copy()
                _inside_out[key] = found
                weakref.finalize(code, _inside_out.pop, key, None)
    if isinstance(found, AutographError):
        raise found.copy()
    return found


_inside_out: dict[tuple[int, bool, bool, bool], Converted | AutographError] = {}


def _convert(function: FunctionType, variant: _Variant) -> Converted | AutographError:
    close_with, marks = variant
    try:
        return _convert_code(function, close_with=close_with, marks=marks)
    except AutographError as error:
        return error.copy()


def _remember(code: CodeType, variant: _Variant, record: Converted | AutographError) -> None:
    identity = id(code)
    if identity not in _records:
        # Bound here: when the interpreter ends, code dies after the names of this module are gone.
        def forget(_: object, tables: tuple[dict[int, Any], ...] = (_records, _alive)) -> None:
            for table in tables:
                table.pop(identity, None)

        _alive[identity] = weakref.ref(code, forget)
        _records[identity] = {}
    _records[identity][variant] = record


def _convert_code(function: FunctionType, **options: Any) -> Converted:
    try:
        with without_collections():
            return with_room(_convert_source, function, options)
    except AutographError as error:
        if error.file is None:
            error.line = function.__code__.co_firstlineno
            place(error, function.__code__.co_filename)
        raise


def _convert_source(function: FunctionType, chosen: dict[str, Any]) -> Converted:
    code = function.__code__
    found = source.find_by_place(function) if is_converted_code(code) else source.find(function)
    check_no_reserved_name(found.node, found.file)
    check_one_spelling(found.node, found.file, found.class_name)
    tree = emit.wrap(found, code.co_freevars)
    names = settling.OriginalNames(tree)
    try:
        options = passes.Options(flatten_chains=True, for_stage=True, **chosen)
        tree = passes.convert_tree(tree, options)
    except AutographError as error:
        raise place(error, found.file, found.lines) from None
    keep_original = not options.inside_out and not is_converted_code(code)
    new_code = emit.compile_function(
        tree, names, code, found, keep_original=keep_original, marks=options.marks
    )
    return Converted(new_code, code.co_freevars)


def check_one_spelling(tree: Any, file: str, class_name: str | None) -> None:
    """A method that writes a variable as `__x` and, as Python mangles it, as `_Class__x` is refused."""
    import gast

    if class_name is None:
        return
    names = {node.id: node for node in walk(tree) if isinstance(node, gast.Name)}
    for name, node in names.items():
        mangled = mangling.mangled(name, class_name)
        if mangled != name and mangled in names:
            raise error_at_node(
                ConversionError,
                f"`{name}` and `{mangled}` are one variable in the class {class_name}",
                node,
                file=file,
                variable=name,
                hint="write it in one way",
            )


def check_no_reserved_name(tree: Any, file: str) -> None:
    """`ag__` is what converted code calls; a program that uses it itself is refused."""
    import gast

    for node in walk(tree):
        if isinstance(node, gast.Name) and node.id == "ag__":
            raise error_at_node(
                ConversionError,
                "the name `ag__` is reserved for converted code",
                node,
                file=file,
                variable="ag__",
                hint="rename the variable; code that autograph wrote is converted already",
            )
