"""The function that a command line names, imported, and the arguments that it is traced with."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import inspect
import linecache
import os
import sys
import traceback
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from autograph.cli.files import UsageError, parse_target, read_program
from autograph.cli.hidden import check_not_hidden
from autograph.cli.specs import Spec
from autograph.errors import AutographError, did_you_mean


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
