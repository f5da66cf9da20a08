"""What autograph raises: errors that say where, what, and what to write instead.

>>> print(ConversionError("`await` cannot be staged", file="model.py", line=3, column=9,
...                       source_line="    x = await load()", hint="load before the decorated function"))
model.py:3:9: `await` cannot be staged
    x = await load()
        ^
hint: load before the decorated function

`autograph/errors.py` has the classes. An error that has a tree node, a frame or a function's
code is made by `error_at_node`, `error_at_frame`, `error_at_definition`; they find file, line,
columns and source line. `error_at_frame` also looks at the variables of the underlined
expression and says which of them are staged, and what they are (`where:`; the `repr` of a
stage's value, such as `<a staged f64[3]>`). A wrong argument of a function of ours is an
`ArgumentError` (`runtime/arguments.py`), a TypeError and a ValueError at once. Errors
have no numbers: their words are searched for, and docs/errors.md leads to all of them, with examples
that are run; the codes AG... belong to the findings of `autograph check`.
`tests/errors/inventory.py` reads the messages from our sources.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from opcode import opname
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeVar

from autograph.code_objects import innermost_converted, is_converted_code
from autograph.registered import text_of

E = TypeVar("E", bound="AutographError")


class AutographError(Exception):
    """Base of all errors of autograph.

    `line` and `column` count from 1, columns in characters. Everything but the message may be missing
    (None), for instance when the code was never in a file.

    >>> AutographError("no such name", variable="x").variable
    'x'
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        end_column: int | None = None,
        source_line: str | None = None,
        variable: str | None = None,
        where: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.end_column = end_column
        self.source_line = source_line
        self.variable = variable
        self.where = where
        self.hint = hint

    def copy(self: E) -> E:
        """The same error without its traceback, which would keep the frames it went through alive."""
        made = type(self)(self.message)
        made.__dict__.update(self.__dict__)
        return made

    @property
    def location(self) -> str:
        """`file:line:column`, as far as it is known.

        >>> AutographError("m", file="a.py", line=2).location
        'a.py:2'
        """
        parts = [self.file or ("<unknown>" if self.line else None), self.line, self.column]
        known = parts[: next((i for i, part in enumerate(parts) if part is None), len(parts))]
        return ":".join(map(str, known))

    def __str__(self) -> str:
        location = self.location
        lines = [f"{location}: {self.message}" if location else self.message]
        if self.source_line is not None:
            lines += self._excerpt()
        if self.where:
            lines.append(f"where: {self.where}")
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def _excerpt(self) -> list[str]:
        text = (self.source_line or "").rstrip()
        body = text.lstrip()
        if self.column is None or self.column > len(text) + 1:
            return [f"    {body}"]
        start = self.column - 1
        indent = len(text) - len(body)
        end = min(self.end_column - 1 if self.end_column else start + 1, len(text))
        # Tabs are copied, so that the caret stands below its character however wide a tab is shown.
        before = "".join("\t" if c == "\t" else " " for c in text[min(indent, start) : start])
        return [f"    {text[min(indent, start) :]}", f"    {before}{'^' * max(end - start, 1)}"]


class ConversionError(AutographError):
    """The program cannot be converted: the construct at this place is refused."""


class StagingError(AutographError):
    """A stage was asked for a construct, or for values, that it cannot stage."""


class IntegerRangeError(StagingError, OverflowError):
    """An int leaves the 64 bits that it has in a graph, where Python has no limit.

    No handler of the function that computes it catches it, since Python would not have raised it there.
    """

    def __init__(self, message: str, **place: Any) -> None:
        super().__init__(message, **place)
        self.hint = self.hint or "compute with floats, or leave the function undecorated"


class InternalError(AutographError):
    """A fault of the stage itself came up while this line was traced; what it was is the cause."""


class ArgumentError(AutographError, TypeError, ValueError):
    """A function of ours was given an argument that it does not take."""


class SourceNotFoundError(ConversionError):
    """No source text belongs to a function, so that there is nothing to convert."""


class SourceChangedError(SourceNotFoundError):
    """The file was edited after import: its text is no longer what the function runs."""


class SourceSyntaxError(ConversionError):
    """The text to convert is not valid Python (or not text at all)."""


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """The words to append to a message about an unknown name; empty when nothing is near.

    >>> did_you_mean("convrt", ["convert", "tree"]), did_you_mean("xyz", ["convert", "tree"])
    ("; did you mean 'convert'?", '')
    """
    import difflib  # not at the top: most programs see no error

    near = difflib.get_close_matches(name, list(known), n=1) if isinstance(name, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def error_at_node(
    error: type[E],
    message: str,
    node: Any,
    *,
    file: str | None = None,
    variable: str | None = None,
    hint: str | None = None,
) -> E:
    """Make (not raise) an error that points at a tree node.

    A pass does not know the file: it leaves `file` out, and `place` fills it in where the tree came from.

    >>> import ast
    >>> error_at_node(ConversionError, "no", ast.parse("x = yield_(1)").body[0].value).location
    '<unknown>:1:5'
    """
    line = getattr(node, "lineno", None)
    made = error(message, line=line, variable=variable, hint=hint)
    if line is not None:
        start = getattr(node, "col_offset", None)
        one_line = getattr(node, "end_lineno", None) == line
        end = getattr(node, "end_col_offset", None) if one_line else None
        made.column = None if start is None else start + 1
        made.end_column = None if end is None else end + 1
        if not one_line and start is not None:
            made.end_column = sys.maxsize  # the caret runs to the end of the line
    if file is not None:
        place(made, file)
    return made


def place(error: E, file: str, source_lines: list[str] | None = None) -> E:
    """Complete an error made by `error_at_node`: its file, its source line, columns in characters.

    Trees count columns in bytes of UTF-8; people, and carets, count characters.

    >>> print(place(ConversionError("no", line=1, column=6), "a.py", ["'é' + x"]))
    a.py:1:5: no
        'é' + x
            ^
    """
    if error.file is not None:
        return error
    error.file = file
    if error.line is None:
        return error
    text = _source_line(file, error.line, source_lines)
    if text:
        raw = text.encode("utf-8", "surrogatepass")
        error.source_line = text.rstrip("\r\n")
        error.column = _characters(raw, error.column)
        error.end_column = _characters(raw, error.end_column)
    return error


def error_at_frame(
    error: type[E],
    message: str,
    frame: FrameType | None = None,
    *,
    variable: str | None = None,
    hint: str | None = None,
) -> E:
    """Make (not raise) an error that points at the user's innermost frame.

    That is the innermost frame whose code autograph emitted, or failing that the innermost frame that is
    not part of autograph or of a registered package. `frame` says where to begin; the caller's by default.
    Of a function of Python's own library, which may run converted too, the message tells the line; the
    error points at the user's call of it.
    """
    at = user_frame(frame if frame is not None else sys._getframe(1))
    library = None
    while at is not None and _is_in_others_code(at):
        if library is None and is_converted_code(at.f_code) and is_standard_library(at.f_code.co_filename):
            library = at
        at = user_frame(at.f_back)  # its caller says more
    if at is None:
        at = library
    elif library is not None:
        code = library.f_code
        file = os.path.basename(code.co_filename)
        message = f"{message} (in `{code.co_name}` of Python's {file}, line {library.f_lineno})"
    if at is None:
        return error(message, variable=variable, hint=hint)
    position = _position(at.f_code, at.f_lasti, at.f_lineno)
    return _error_in(error, message, at, position, variable, hint)


def _is_in_others_code(frame: FrameType) -> bool:
    """Does it run a function of ours or of Python's library, converted?"""
    filename = frame.f_code.co_filename
    return filename.startswith(_internal_directories) or is_standard_library(filename)


def is_standard_library(filename: str) -> bool:
    """Is it a file of Python's own library?

    >>> is_standard_library(os.__file__), is_standard_library(__file__)
    (True, False)
    """
    return filename.startswith((_STANDARD_LIBRARY, "<frozen ")) and "-packages" not in filename


_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep


def error_at_entry(
    error: type[E],
    message: str,
    entry: TracebackType,
    *,
    variable: str | None = None,
    hint: str | None = None,
) -> E:
    """Make (not raise) an error that points at what an entry of a traceback was doing."""
    position = _position(entry.tb_frame.f_code, entry.tb_lasti, entry.tb_lineno)
    return _error_in(error, message, entry.tb_frame, position, variable, hint)


def _error_in(
    error: type[E],
    message: str,
    frame: FrameType,
    position: tuple[int | None, int | None, int | None],
    variable: str | None,
    hint: str | None,
) -> E:
    line, column, end_column = position
    made = error(message, line=line, column=column, end_column=end_column, variable=variable, hint=hint)
    return name_staged_values(_at_manager(place(made, frame.f_code.co_filename)), frame)


def _at_manager(error: E) -> E:
    """Before Python 3.12 entering a manager has the place of the whole `with` statement: narrow it."""
    text = error.source_line or ""
    if error.column is None or not text[error.column - 1 :].startswith("with "):
        return error
    import ast

    try:
        statement: Any = ast.parse(f"{text.strip()} pass").body[0]
    except SyntaxError:  # it goes on in the next line
        return error
    manager = statement.items[0].context_expr
    before = len(text) - len(text.lstrip()) + 1
    error.column, error.end_column = before + manager.col_offset, before + manager.end_col_offset
    return error


def name_staged_values(error: E, frame: FrameType) -> E:
    """Say which variables of the expression that `error` points at are staged, and what they are.

    A stage's values describe themselves: `repr` of one is `<a staged int>`, say.
    """
    text = error.source_line or ""
    if error.column is not None:
        text = text[error.column - 1 : error.end_column and error.end_column - 1]
    found = {}
    for name in _names_in(text):
        value = frame.f_locals.get(name, frame.f_globals.get(name))
        what = text_of(value) if value is not None else None
        if what is not None:
            found[name] = what[1:-1] if what[:1] == "<" and what[-1:] == ">" else what
    if found:
        error.where = ", ".join(f"`{name}` is {what}" for name, what in found.items())
        error.variable = error.variable or next(iter(found))
    return error


def _names_in(text: str) -> list[str]:
    """The names that a piece of Python uses, each once; not those of attributes or inside strings."""
    import re  # not at the top: most programs see no error

    without_strings = re.sub(r"""("|')(?:\\.|(?!\1).)*\1""", "", text)
    return list(dict.fromkeys(re.findall(r"(?<![\w.])[^\W\d]\w*", without_strings)))


def error_at_definition(
    error: type[E], message: str, code: CodeType, *, variable: str | None = None, hint: str | None = None
) -> E:
    """Make (not raise) an error that points at the name of a function where it is defined."""
    import linecache
    import re

    first = code.co_firstlineno
    made = error(message, line=first, variable=variable, hint=hint)
    for line in range(first, first + 50):  # below the decorators
        found = re.match(r"\s*(?:async\s+)?def\s+(\w+)", linecache.getline(code.co_filename, line))
        if found is not None:
            if found[1] == code.co_name:
                made.line, made.column, made.end_column = line, found.start(1) + 1, found.end(1) + 1
            break
    return place(made, code.co_filename)


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The user's innermost frame, from `frame` outwards (see `error_at_frame`)."""
    found = innermost_converted(frame)
    while found is not None and found.f_code.co_filename.startswith(_library_directories):
        found = innermost_converted(found.f_back)
    if found is not None:
        return found
    internal = _internal_directories
    while frame is not None:
        if not frame.f_code.co_filename.startswith(internal) and not is_generated(frame):
            return frame
        frame = frame.f_back
    return None


_internal_directories: tuple[str, ...] = (os.path.dirname(os.path.abspath(__file__)) + os.sep,)


def register_internal_directory(directory: str) -> None:
    """Never show frames of files below `directory` as the user's (a stage's package registers itself)."""
    global _internal_directories
    prefix = os.path.abspath(directory) + os.sep
    if prefix not in _internal_directories:
        _internal_directories += (prefix,)


_library_directories: tuple[str, ...] = ()


def register_library_directory(directory: str) -> None:
    """Code of files below `directory` runs converted, and is never shown as the user's for all that."""
    global _library_directories
    _library_directories += (os.path.abspath(directory) + os.sep,)


def is_generated(frame: FrameType) -> bool:
    """Is it a method that a class decorator such as `dataclass` wrote for a class of ours?"""
    if frame.f_code.co_filename != "<string>":
        return False
    return str(frame.f_globals.get("__file__", "")).startswith(_internal_directories)


def is_users_converted_code(code: CodeType) -> bool:
    """Is this converted code of the user's, and none of a library directory?"""
    return is_converted_code(code) and not code.co_filename.startswith(_library_directories)


def is_internal_code(code: CodeType) -> bool:
    """Is this code part of autograph itself, or of a package that registered its directory?

    >>> is_internal_code(place.__code__)
    True
    """
    return code.co_filename.startswith(_internal_directories) and not is_converted_code(code)


def _position(code: CodeType, lasti: int, lineno: int) -> tuple[int | None, int | None, int | None]:
    positions = list(code.co_positions())
    index = lasti // 2
    if not 0 <= index < len(positions):
        return lineno, None, None
    if opname[code.co_code[lasti]].startswith("POP_JUMP") and index:
        index -= 1  # what is tested; CPython 3.11 has the whole statement as the place of the jump
    line, end_line, start, end = positions[index]
    if line != lineno or start is None:
        return lineno, None, None
    return line, start + 1, end + 1 if end is not None and end_line == line else sys.maxsize


def _source_line(file: str, line: int, source_lines: list[str] | None) -> str | None:
    if source_lines is not None:
        return source_lines[line - 1] if 1 <= line <= len(source_lines) else None
    import linecache  # not at the top: it loads tokenize and re, and most programs see no error

    return linecache.getline(file, line) or None


def _characters(raw: bytes, column: int | None) -> int | None:
    if column is None or column == sys.maxsize:
        return column
    return len(raw[: column - 1].decode("utf-8", "replace")) + 1
