"""Run a program as it is and converted, and compare everything that can be seen of it."""

from __future__ import annotations

import ast
import contextlib
import copy
import inspect
import io
import re
import textwrap
from dataclasses import dataclass
from typing import Any

import gast

import autograph.operators as ag__
from autograph.passes import convert_tree
from autograph.staging import Stage
from tests.differential import registered
from tests.modules import new_module_of


@dataclass(frozen=True)
class Run:
    """What a call gave: its result or exception, what it printed, and its arguments afterwards."""

    result: str
    printed: str
    arguments: str


class Bystander(Stage):
    """A stage that is active and takes nothing: operators take their long way and must change nothing."""

    def active(self) -> bool:
        return True

    def refuse(self, construct: str, hint: str | None = None) -> Any:
        """It claims nothing, so nothing that it is asked about matters."""


def converted_text(program: str) -> str:
    """The converted program as text."""
    return ast.unparse(gast.gast_to_ast(convert_tree(gast.parse(textwrap.dedent(program)))))


def namespaces(program: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the program defines, as it is and converted."""
    program = textwrap.dedent(program)
    original: dict[str, Any] = {"__name__": "program"}
    converted: dict[str, Any] = {"__name__": "program", "ag__": ag__}
    exec(compile(program, "program", "exec", dont_inherit=True), original)
    tree = ast.fix_missing_locations(gast.gast_to_ast(convert_tree(gast.parse(program))))
    exec(compile(tree, "program", "exec", dont_inherit=True), converted)
    return original, converted


def define(text: str, **names: Any) -> Any:
    """The function `f` of some text, whose source can be found."""
    return new_module_of(text, **names)["f"]


def assert_same(program: str, *calls: Any) -> None:
    """`f(*arguments)` means the same in both programs, for each tuple of arguments."""
    original, converted = namespaces(program)
    for arguments in calls:
        arguments = arguments if isinstance(arguments, tuple) else (arguments,)
        expected = run(original["f"], arguments)
        assert run(converted["f"], arguments) == expected, arguments
        with registered(Bystander()):
            assert run(converted["f"], arguments) == expected, arguments


def run(function: Any, arguments: tuple[Any, ...]) -> Run:
    """Call with a copy of the arguments. A generator is run to its end."""
    arguments = copy.deepcopy(arguments)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = function(*arguments)
            if inspect.isgenerator(result):
                result = drain(result)
            shown = f"returned {result!r}"
        except BaseException as error:
            shown = f"raised {chain(error)}"
    return Run(
        _without_addresses(shown), _without_addresses(printed.getvalue()), _without_addresses(repr(arguments))
    )


def drain(generator: Any) -> Any:
    """What a generator yields and returns."""
    items = []
    while len(items) < 1000:
        try:
            items.append(next(generator))
        except StopIteration as stop:
            return items, stop.value
    return items


def chain(error: BaseException | None) -> Any:
    """An exception with its cause and context, as text."""
    if error is None:
        return None
    notes = getattr(error, "name", None) if isinstance(error, NameError) else None
    if isinstance(error, RecursionError):
        return "RecursionError"  # where the stack ends, so do we
    return (type(error).__name__, str(error), notes, chain(error.__cause__), chain(error.__context__))


def _without_addresses(text: str) -> str:
    """Without what differs from run to run; and a name of converted text is what it is in the original."""
    return _CLOSURES.sub("", _COMPREHENSIONS.sub("", re.sub(r"0x[0-9a-f]+", "0x", text)))


# Functions up to Python 3.11; and in converted text a generator expression is a call, around no function.
_COMPREHENSIONS = re.compile(r"\.<(list|set|dict)comp>(\.<locals>)?|\.<genexpr>(?=\.<)")
_CLOSURES = re.compile(
    r"\.<locals>\.(?:(?:then|else|loop|try|except|finally)_body|loop_test|<lambda>)(?:_\d+)?(?=\.<locals>\.)"
)
