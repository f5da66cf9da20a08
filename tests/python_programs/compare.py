"""Run a random program as it is and converted; say where they differ.

>>> difference("def f(a, b, c):\\n    return a and b") is None
True
"""

from __future__ import annotations

import ast
import functools
import linecache
import warnings
from collections.abc import Callable
from types import CodeType
from typing import Any

import gast

import autograph.operators as ag__
from autograph import convert, register_source
from autograph.passes import convert_tree
from tests.autograph.programs import Bystander, run
from tests.differential import registered
from tests.python_programs.generator import CALLS, PREAMBLE

Make = Callable[[], Any]


def difference(text: str) -> str | None:
    """What a call does otherwise in the converted program, as text; None where nothing does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        original = compile(text, "program", "exec", dont_inherit=True)
        expected = [run(_function(_preamble(), original), call) for call in CALLS]
        converted = compile(_converted(text), "program", "exec", dont_inherit=True)
        as_text: Make = lambda: _function(_converted_preamble(), converted)
        found = _compare("as text", as_text, expected)
        with registered(Bystander()):
            found = found or _compare("as text, with a stage", as_text, expected)
            return found or _in_process(text, expected)


def _in_process(text: str, expected: list[Any]) -> str | None:
    file = register_source(text)
    code = compile(text, file, "exec", dont_inherit=True)
    try:
        return _compare("in process", lambda: convert(_function(_registered_preamble(), code)), expected)
    finally:
        linecache.cache.pop(file, None)


def _compare(way: str, make: Make, expected: list[Any]) -> str | None:
    for call, wanted in zip(CALLS, expected, strict=True):
        got = run(make(), call)
        if got != wanted:
            return f"f{call!r}, {way}:\n  expected {wanted}\n  got      {got}"
    return None


def _function(*modules: CodeType) -> Any:
    """`f`, from a namespace of its own."""
    namespace: dict[str, Any] = {"__name__": "program", "ag__": ag__}
    for code in modules:
        exec(code, namespace)
    return namespace["f"]


def _converted(text: str) -> str:
    return ast.unparse(gast.gast_to_ast(convert_tree(gast.parse(text))))


@functools.cache
def _preamble() -> CodeType:
    return compile(PREAMBLE, "preamble", "exec", dont_inherit=True)


@functools.cache
def _converted_preamble() -> CodeType:
    return compile(_converted(PREAMBLE), "preamble", "exec", dont_inherit=True)


@functools.cache
def _registered_preamble() -> CodeType:
    return compile(PREAMBLE, register_source(PREAMBLE), "exec", dont_inherit=True)
