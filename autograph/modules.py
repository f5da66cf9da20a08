"""Convert whole modules: their text, or the functions of a module that is loaded.

>>> print(convert_source("def f(x):\\n    return not x\\n"), end="")
import autograph.operators as ag__
<BLANKLINE>
def f(x):
    return ag__.not_(x)
"""

from __future__ import annotations

import ast
import gc
from types import FunctionType, ModuleType
from typing import Any

from autograph import passes, source
from autograph.conversion import Converted, check_no_reserved_name, conversion_of
from autograph.deep import with_room
from autograph.errors import (
    ArgumentError,
    AutographError,
    ConversionError,
    SourceNotFoundError,
    error_at_frame,
    error_at_node,
    place,
)
from autograph.operators.calls import is_marked_as_is
from autograph.walking import walk


def split_lines(text: str) -> list[str]:
    r"""The lines without their ends. `str.splitlines` also splits at form feeds, Python does not.

    >>> split_lines("a\f\nb\r\nc\n")
    ['a\x0c', 'b', 'c']
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


#: what converted text needs
IMPORT = "import autograph.operators as ag__"


def convert_module(module: ModuleType, strict: bool = True) -> ModuleType:
    """Convert all functions of a loaded module in place, methods and nested functions included.

    The functions stay the objects they are, and get converted code: what other modules imported by name,
    what decorators wrapped, and classes that were derived from keep working. Either all functions are
    converted or, when one is refused, none. With `strict=False` refused functions stay as they are.
    Functions without source (those that `dataclass` and `namedtuple` make) always do.

    >>> import types
    >>> from autograph.source import register_source
    >>> module = types.ModuleType("signs")
    >>> text = "def negative(x): return not x >= 0"
    >>> exec(compile(text, register_source(text), "exec"), module.__dict__)
    >>> convert_module(module).negative(-1)
    True
    """
    conversions: list[tuple[FunctionType, Converted]] = []
    functions = functions_of(module)
    if not functions and not (getattr(module, "__file__", None) or "").endswith(".py"):
        raise error_at_frame(
            SourceNotFoundError,
            f"the module `{module.__name__}` has no function in Python: it is built in or compiled",
            variable=module.__name__,
            hint="convert the modules that call it",
        )
    for function in functions:
        if is_marked_as_is(function.__code__):
            continue
        try:
            converted = conversion_of(function)
        except SourceNotFoundError:
            continue
        except AutographError:
            if strict:
                raise
            continue
        if converted.free_names != function.__code__.co_freevars:
            raise ConversionError(
                f"`{function.__qualname__}` cannot get converted code in place: it would lose the variables "
                + ", ".join(sorted({*function.__code__.co_freevars} - {*converted.free_names})),
                file=function.__code__.co_filename,
                line=function.__code__.co_firstlineno,
            )
        conversions.append((function, converted))
    for function, converted in conversions:
        function.__code__ = converted.code
    return module


def functions_of(module: ModuleType) -> list[FunctionType]:
    """Every living function whose globals are the module's, wherever it is kept."""
    if not isinstance(module, ModuleType):
        raise error_at_frame(
            ArgumentError,
            f"convert_module takes a module, not {module!r}",
            variable="module",
            hint="import the module, and give the module itself",
        )
    namespace = module.__dict__
    return [f for f in gc.get_objects() if type(f) is FunctionType and f.__globals__ is namespace]


def convert_source(text: str, filename: str = "<source>") -> str:
    """The converted text of a whole module, without its comments.

    It imports what it needs. Functions that were converted before are recognised, so that converting the
    result again changes nothing.
    """
    try:
        return with_room(_convert_source, text, filename)
    except AutographError as error:
        error.file = error.file or filename
        raise


def _convert_source(text: str, filename: str) -> str:
    import gast

    parsed = source.parse_program(text, filename)
    tree = gast.ast_to_gast(parsed)
    is_converted = is_converted_text(tree)
    if not is_converted:
        check_no_reserved_name(tree, filename)
    try:
        tree = passes.convert_tree(tree)
        if not is_converted and _uses_operators(tree):
            add_import(tree)
        return _text_of(tree)
    except AutographError as error:
        raise place(error, filename, split_lines(text)) from None


def _text_of(tree: Any) -> str:
    import gast

    converted = gast.gast_to_ast(tree)
    text = ast.unparse(converted) + "\n" if converted.body else ""
    if not _can_be_read(text):
        raise error_at_node(
            ConversionError,
            "the converted text would be nested more deeply than Python reads text: 100 levels of "
            "indentation, 200 of parentheses",
            next(one for one in converted.body if not _can_be_read(ast.unparse(one))),
            hint="split the function, or use autograph.convert in the program, which needs no text",
        )
    return text


def _can_be_read(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, MemoryError):
        return False
    return True


def _uses_operators(tree: object) -> bool:
    import gast

    return any(isinstance(node, gast.Name) and node.id == "ag__" for node in walk(tree))


def is_converted_text(tree: Any) -> bool:
    """Does the module (of `ast` or of `gast`) import the operators, as converted text does?"""
    return any(
        alias.name == "autograph.operators" and alias.asname == "ag__"
        for statement in tree.body
        if type(statement).__name__ == "Import"
        for alias in statement.names
    )


def add_import(tree: Any) -> None:
    """Import the operators, after the docstring and the `from __future__` imports, which must come first."""
    import gast

    body = tree.body
    position = 0
    for index, statement in enumerate(body):
        is_docstring = index == 0 and _is_string(statement)
        if not is_docstring and getattr(statement, "module", None) != "__future__":
            break
        position = index + 1
    body.insert(position, gast.parse(IMPORT).body[0])


def _is_string(statement: object) -> bool:
    import gast

    return (
        isinstance(statement, gast.Expr)
        and isinstance(statement.value, gast.Constant)
        and isinstance(statement.value.value, str)
    )
