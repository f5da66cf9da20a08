"""The function that a command line names, imported, and the arguments that it is traced with.

    f64[10,10]    an array; None is a length that is not known
    i64           a NumPy scalar
    int float bool complex    a Python number known only at run time
    3  'relu'  (1, 2)         a Python value
    n=3  x=f64[3]             the same, as a keyword argument

>>> parse_spec("x=f64[None,3]"), parse_spec("n=3"), parse_spec("True")
(Spec(name='x', type='f64[None,3]', value=None), Spec(name='n', type=None, value=3), \
Spec(name=None, type=None, value=True))
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import importlib.util
import inspect
import linecache
import os
import re
import sys
import traceback
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from autograph.cli.files import UsageError, check_not_hidden, parse_target, read_program
from autograph.errors import AutographError, did_you_mean

# Both spellings of a dtype; the short one is how graphs print it.
DTYPES = {
    "bool": "bool",
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{f"c{bits}": f"complex{bits}" for bits in (64, 128)},
}
NUMBERS = ("int", "float", "bool", "complex")
_SHORT = {long: short for short, long in DTYPES.items()}


class Spec(NamedTuple):
    """One argument: a type, in the spelling that graphs print, or a Python value."""

    name: str | None
    type: str | None
    value: Any = None


def parse_spec(text: str) -> Spec:
    """Parse one SPEC; UsageError says what is wrong with it."""
    keyword = re.match(r"([^\W\d]\w*)\s*=(?!=)\s*(.*)", text, re.DOTALL)
    name, rest = keyword.groups() if keyword else (None, text.strip())
    typed = re.fullmatch(r"([a-zA-Z]\w*)\s*(?:\[(.*)\])?", rest)
    if typed and rest not in ("True", "False", "None"):
        return Spec(name, _type(typed[1], typed[2], text))
    try:
        return Spec(name, None, ast.literal_eval(rest))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise UsageError(
            f"{text!r} is neither a type such as f64[10,10] nor a Python value such as 3 or 'relu'",
            variable=name,
            hint="types are f64[10,None], i64, int, float; strings need quotes",
        ) from None


def _type(dtype: str, dims: str | None, text: str) -> str:
    if dims is None and dtype in NUMBERS:
        return dtype
    short = _SHORT.get(dtype, dtype)
    if short not in DTYPES:
        known = [*DTYPES, *_SHORT, *NUMBERS]
        raise UsageError(
            f"unknown type {dtype!r} in {text!r}{did_you_mean(dtype, known)}",
            hint=f"types are {' '.join(DTYPES)}, and the Python numbers {' '.join(NUMBERS)}",
        )
    if dims is None:
        return short
    lengths = [part.strip() for part in dims.split(",")] if dims.strip() else []
    for length in lengths:
        if length not in ("None", "?") and not length.isdecimal():
            raise UsageError(
                f"{length!r} is not a length in {text!r}",
                hint="write a number, or None for a length that is not known",
            )
    return f"{short}[{','.join('None' if n == '?' else str(int(n)) if n != 'None' else n for n in lengths)}]"


def function_named(target: str) -> Any:
    """The function that MODULE:NAME or FILE.py:NAME names; its module is imported."""
    module, _, name = target.rpartition(":")
    if not module:
        raise UsageError(f"{target!r} does not say which function", hint="write MODULE:NAME or FILE.py:NAME")
    function = find_attribute(load(module), name)
    if not callable(function) or isinstance(function, type):
        kind = "a class" if isinstance(function, type) else f"a value of type {type(function).__name__!r}"
        raise UsageError(f"`{name}` is not a function but {kind}", variable=name)
    return function


def arguments_of(function: Any, specs: list[Spec]) -> tuple[list[Any], dict[str, Any]]:
    """The positional and named arguments to trace with. Raises UsageError for others than it takes."""
    check_not_hidden()
    from runtime.types import parse_type

    arguments = [(s.name, s.value if s.type is None else parse_type(s.type)) for s in specs]
    positional = [value for name, value in arguments if name is None]
    named = {name: value for name, value in arguments if name is not None}
    signature = inspect.signature(function)
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        name = function.__name__
        raise UsageError(
            f"`{name}` takes other arguments: {error}",
            hint=f"its signature is {name}{signature}; give one SPEC for each",
        ) from None
    return positional, named


def load(module: str) -> ModuleType:
    """Import a module by its dotted name, or the module that a file is."""
    if module.endswith(".py") or os.sep in module or os.path.exists(module):
        read_program(parse_target(module).file)  # the errors of a file that cannot be read
        return _load_file(module)
    sys.path.insert(0, os.getcwd())
    try:
        with _users_errors(module):
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(error.name + ".")):
            raise
        parent = module.rpartition(".")[0]
        known = (
            [n.removesuffix(".py") for n in os.listdir(parent.replace(".", os.sep) or ".")]
            if (not parent or os.path.isdir(parent.replace(".", os.sep)))
            else []
        )
        near = did_you_mean(module.rpartition(".")[2], known)
        raise UsageError(
            f"there is no module {module!r}{near}", hint="a file is written FILE.py:NAME"
        ) from None


def _load_file(file: str) -> ModuleType:
    folder, base = os.path.split(os.path.abspath(file))
    name = os.path.splitext(base)[0]
    sys.path.insert(0, folder)  # as `python FILE` has it, for the file's own imports
    if os.path.exists(os.path.join(folder, "__init__.py")):
        with _users_errors():
            return _import_from_package(folder, name)
    spec = importlib.util.spec_from_file_location(name, os.path.abspath(file))
    if spec is None or spec.loader is None:
        raise UsageError("this is not a Python file", file=file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _users_errors():
            spec.loader.exec_module(module)
    except AutographError:
        del sys.modules[name]
        raise
    return module


def _import_from_package(folder: str, name: str) -> ModuleType:
    """The module as a part of its package, for its relative imports."""
    parts = [] if name == "__init__" else [name]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    sys.path.insert(0, folder)
    return importlib.import_module(".".join(parts))


@contextlib.contextmanager
def _users_errors(module: str | None = None) -> Iterator[None]:
    """An exception of the module's own becomes an error at its line; that `module` is missing is not one."""
    try:
        yield
    except AutographError:
        raise
    except Exception as error:
        missing: str | None = getattr(error, "name", None) if isinstance(error, ImportError) else None
        if module is not None and missing is not None and f"{module}.".startswith(f"{missing}."):
            raise
        entries = traceback.extract_tb(error.__traceback__)
        users = [e for e in entries if not e.filename.startswith("<frozen") and __file__ != e.filename]
        if isinstance(error, (AttributeError, ImportError)) and "runtime" in str(error):
            check_not_hidden()
        at = users[-1] if users else None
        raise AutographError(
            f"the module cannot be imported: {type(error).__name__}: {error}",
            file=at and at.filename,
            line=at and at.lineno,
            column=None if at is None or at.colno is None else at.colno + 1,
            source_line=at and linecache.getline(at.filename, at.lineno or 0),
        ) from None


def find_attribute(module: ModuleType, name: str) -> Any:
    """`NAME` or `CLASS.NAME` in a module."""

    def step(holder: Any, part: str) -> Any:
        if not hasattr(holder, part):
            known = [n for n in dir(holder) if not n.startswith("__")]
            where = getattr(holder, "__name__", "it")
            raise UsageError(f"`{where}` has no {part!r}{did_you_mean(part, known)}", variable=name)
        return getattr(holder, part)

    return functools.reduce(step, name.split("."), module)
