"""Files of the command line: read a program, find a name in it, write a result whole or not at all.

One of the user's may bear the name of a package of ours, and be found before it.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
import tempfile
import tokenize
from collections.abc import Callable
from io import BytesIO
from typing import NamedTuple, ParamSpec, TypeVar

import autograph
from autograph.deep import with_room
from autograph.errors import AutographError, ConversionError, SourceSyntaxError, did_you_mean, place
from autograph.walking import children

P = ParamSpec("P")
R = TypeVar("R")

_MOST_LINES = 100_000
_MOST_BYTES = 20_000_000


class UsageError(AutographError):
    """The command line asks for something that is not there."""


class Target(NamedTuple):
    """What `FILE[:NAME]` means."""

    file: str
    name: str | None


def parse_target(text: str) -> Target:
    """Split `FILE[:NAME]`.

    >>> parse_target("model.py:Net.forward"), parse_target("model.py")
    (Target(file='model.py', name='Net.forward'), Target(file='model.py', name=None))
    """
    file, colon, name = text.rpartition(":")
    is_name = all(part.isidentifier() for part in name.split("."))
    if not colon or not file or os.path.exists(text):
        return Target(text, None)
    if not is_name:
        if os.path.exists(file):
            raise UsageError(f"{name!r} is not a name", hint="write FILE:NAME or FILE:CLASS.NAME")
        return Target(text, None)
    return Target(file, name)


def with_room_for(file: str, work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """`with_room`, whose error names the file.

    >>> def endless(): return endless()
    >>> with_room_for("deep.py", endless)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    autograph.errors.ConversionError: deep.py: the code is nested too deeply to be converted...
    """
    try:
        return with_room(work, *args, **kwargs)
    except ConversionError as error:
        raise place(error, file) from None


def read_program(file: str, may_be_empty: bool = False) -> str:
    r"""The text of a Python file (`-`: standard input), its lines ended by `\n`; an error says why not."""
    shown = "<stdin>" if file == "-" else file
    raw = _read_input() if file == "-" else _read_bytes(file)
    _check_size(raw, shown)
    if not raw.strip() and not may_be_empty:
        raise UsageError("the file is empty: there is nothing to convert", file=shown)
    if b"\0" in raw:
        raise SourceSyntaxError("this is a binary file, not Python source", file=shown)
    return _decode(raw, shown)


def _read_input() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError("cannot be read: standard input is closed", file="<stdin>")
    try:
        return sys.stdin.buffer.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", file="<stdin>") from None


def _read_bytes(file: str) -> bytes:
    try:
        with open(file, "rb") as stream:
            return stream.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        if os.path.islink(file):
            raise UsageError(
                f"this is a link to {os.readlink(file)!r}, which is not there", file=file
            ) from None
        folder = os.path.dirname(file) or "."
        names = os.listdir(folder) if os.path.isdir(folder) else []
        hint = did_you_mean(os.path.basename(file), names)
        raise UsageError(f"no such file{hint}", file=file) from None
    except IsADirectoryError:
        raise UsageError("this is a directory, not a file", file=file) from None
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", file=file) from None


def _check_size(raw: bytes, file: str) -> None:
    """Refuse at once what would take gigabytes and minutes: 100,000 lines take two of each."""
    lines = raw.count(b"\n")
    if len(raw) > _MOST_BYTES:
        size = f"is larger than {_MOST_BYTES // 10**6} MB, the most that autograph reads"
    elif lines > _MOST_LINES:
        size = f"has {lines:,} lines, and autograph takes at most {_MOST_LINES:,}"
    else:
        return
    raise UsageError(f"the file {size}", file=file, hint="split it, and keep data out of programs")


def _decode(raw: bytes, file: str) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(raw).readline)
        text = raw.decode(encoding)
    except SyntaxError as error:  # an unknown coding cookie, one that contradicts a byte order mark, no UTF-8
        message = str(error.msg)
        if message.startswith("invalid or missing encoding"):
            try:
                raw.decode("utf-8")
            except UnicodeDecodeError as reason:
                raise _not_text(reason, raw, file) from None
        raise SourceSyntaxError(message, file=file, line=1) from None
    except UnicodeDecodeError as error:
        raise _not_text(error, raw, file) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _not_text(error: UnicodeDecodeError, raw: bytes, file: str) -> SourceSyntaxError:
    before = raw[: error.start]
    start = before.rfind(b"\n") + 1
    return SourceSyntaxError(
        f"this is not {error.encoding} text: byte {raw[error.start]:#04x} cannot be decoded",
        file=file,
        line=before.count(b"\n") + 1,
        column=len(before[start:].decode(error.encoding, "replace")) + 1,
        hint="save the file as UTF-8, or say its encoding in a `# -*- coding: NAME -*-` comment",
    )


def write_result(text: str, output: str | None) -> None:
    """Print in the terminal's encoding, or write to a file that is complete or not there at all."""
    if output is None or output == "-":
        _print(text)
        return
    path = os.path.realpath(output)  # a link stays one
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        raise UsageError("the output is a directory", file=output)
    if not os.path.isdir(folder):
        shown = os.path.dirname(output) or folder
        raise UsageError(f"cannot write: there is no directory {shown!r}", file=output)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "w", encoding="utf-8", newline="\n") as stream:  # a device, a pipe
                stream.write(text)
        else:
            _replace(path, text)
    except OSError as error:
        raise UsageError(f"cannot write: {error.strerror}", file=output) from None


def _replace(path: str, text: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".autograph-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        os.chmod(temporary, _mode_of(path))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode_of(output: str) -> int:
    """The permissions that the output has, or that a new file gets."""
    if os.path.exists(output):
        return os.stat(output).st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _print(text: str) -> None:
    stream = sys.stdout
    if stream is None:
        raise UsageError("cannot write: standard output is closed")
    if text and not text.endswith("\n"):
        text += "\n"
    try:
        stream.write(text)
    except UnicodeEncodeError:
        # A terminal that has no such characters: show them as Python would escape them.
        stream.write(text.encode(stream.encoding, "backslashreplace").decode(stream.encoding))


def find_definition(tree: ast.AST, name: str, file: str) -> ast.stmt:
    """The function or class that dotted `name` is, looked up through classes and functions."""
    known = definitions_in(tree)
    for depth, part in enumerate(name.split(".")):
        if part not in known:
            where = ".".join(name.split(".")[:depth])
            raise UsageError(
                f"no function or class {part!r}"
                + (f" in `{where}`" if where else "")
                + did_you_mean(part, known),
                file=file,
                variable=name,
            )
        known, found = definitions_in(known[part]), known[part]
    return found


def definitions_in(node: ast.AST) -> dict[str, ast.stmt]:
    """Functions, classes and named lambdas directly inside, also those under `if`, `try` and `with`."""
    found: dict[str, ast.stmt] = {}
    pending = children(node)
    while pending:
        child = pending.pop(0)
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[child.name] = child
        elif isinstance(child, ast.Assign) and isinstance(child.value, ast.Lambda):
            found.update({t.id: child for t in child.targets if isinstance(t, ast.Name)})
        elif isinstance(child, (ast.stmt, ast.ExceptHandler)):
            pending = [*children(child), *pending]
    return found


def check_not_hidden() -> None:
    """Raise UsageError where `import runtime` gives something else than our package."""
    loaded = sys.modules.get("runtime")
    spec = None if loaded is not None else importlib.util.find_spec("runtime")
    found = getattr(loaded, "__file__", None) or (spec and spec.origin)
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(autograph.__file__))), "runtime")
    if (
        found
        and os.path.isdir(folder)
        and os.path.dirname(os.path.realpath(found)) != os.path.realpath(folder)
    ):
        raise UsageError(
            f"this file hides the package `runtime` ({folder})",
            file=found,
            hint="rename the file, or the folder that it makes a package",
        )
