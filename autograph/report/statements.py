"""What becomes of each statement of a program: handed to stages, kept as Python's and why, or left alone.

The answer is read off the conversion itself: the program is converted, and a statement is staged when the
converted tree holds its operator. So the report says what happens, and no second set of rules can drift.

>>> report = report_on("def f(x):\\n    while x > 1:\\n        x = x / 2\\n    return x\\n", "f.py")
>>> for fate in report.functions[0].fates:
...     print(fate.line, fate.kind, fate.becomes.value, fate.carries)
2 while staged ('x',)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import gast

from autograph.analysis.jumps import blocks
from autograph.analysis.names import Collector
from autograph.conversion import check_no_reserved_name
from autograph.errors import AutographError, place
from autograph.modules import is_converted_text, split_lines
from autograph.passes import Context, convert_tree
from autograph.report.reasons import Reason, Reasons
from autograph.source import parse_program
from autograph.template import is_operator_call
from autograph.walking import children, walk

_KINDS: dict[type, str] = {
    gast.If: "if",
    gast.While: "while",
    gast.For: "for",
    gast.AsyncFor: "async for",
    gast.Try: "try",
    gast.TryStar: "try",
    gast.With: "with",
    gast.AsyncWith: "async with",
    gast.Match: "match",
}
_STATEMENT_OPERATORS = {"if_stmt": "if", "while_stmt": "while", "for_stmt": "for", "try_stmt": "try"}
_SHOWN_OPERATORS = {
    "and_": "and",
    "or_": "or",
    "not_": "not",
    "if_exp": "if-else",
    "all_true": "and",
    "any_true": "or",
    "last_true": "and",
    "last_false": "or",
    "assert_stmt": "assert",
    "raise_stmt": "raise",
    "fstr": "f-string",
    "formatted": "f-string",
    "in_": "in",
    "not_in": "not in",
    "is_": "is",
    "is_not": "is not",
    "set_item": "item store",
    "store_item": "item store",
    "aug_item": "item store",
    "update_item": "item store",
    "del_item": "item deletion",
    "remove_item": "item deletion",
    "list_comp": "comprehension",
    "set_comp": "comprehension",
    "dict_comp": "comprehension",
    "generator": "generator expression",
}
_Place = tuple[int, int]


class Becomes(Enum):
    """The kinds of fates."""

    STAGED = "staged"  # a stage may take it
    PYTHON = "python"  # it stays a Python statement
    DEAD = "dead"  # control never reaches it, and it is left out


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of one compound statement. Lines and columns count from 1, columns in bytes of UTF-8."""

    kind: str
    line: int
    column: int
    end_line: int
    becomes: Becomes
    carries: tuple[str, ...] = ()
    """The variables that a stage is given as state: what the statement may rebind and somebody may read."""
    flags: tuple[str, ...] = ()
    """Jumps that were lowered to variables, which are carried too: `break`, `return`, ..."""
    reason: Reason | None = None
    """Why it stays Python's."""


@dataclass(slots=True)
class FunctionReport:
    """One function of the program."""

    name: str
    """Its qualified name: `Net.forward`, `outer.<locals>.inner`."""
    line: int
    column: int
    end_line: int
    node: Any = field(repr=False)
    fates: list[Fate] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """A program, its functions in the order of the text, and what its expressions become."""

    file: str
    lines: list[str] = field(repr=False)
    functions: list[FunctionReport]
    operators: dict[int, list[str]] = field(repr=False)
    """For each line, the expressions on it that stages are asked about: `and`, `assert`, ..."""
    bound: set[str] = field(repr=False)
    """Names that the program binds itself: builtins of that name are not meant."""
    module_names: set[str] = field(repr=False)
    """What the statements of the module itself bind."""
    is_converted: bool = False
    """Is this text that `autograph convert` wrote?"""


def report_on(text: str, file: str) -> Report:
    """Convert `text` and say what became of it; raises what conversion raises."""
    parsed = parse_program(text, file)
    lines = split_lines(text)
    original, tree = gast.ast_to_gast(parsed), gast.ast_to_gast(parsed)
    bound = set(_bound(original))
    module_names = set(Collector().collect(*original.body).writes)
    if is_converted_text(tree):
        return Report(file, lines, [], {}, bound, module_names, is_converted=True)
    check_no_reserved_name(tree, file)
    converted = _Converted(tree, file, lines)
    functions = [_function(name, node, converted) for name, node in named_functions(original)]
    return Report(file, lines, functions, converted.operators, bound, module_names)


def _bound(tree: Any) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            yield node.id
        elif isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            yield node.name


def named_functions(tree: Any) -> list[tuple[str, Any]]:
    """The functions of a tree with their qualified names, in the order of the text; lambdas are left out.

    >>> tree = gast.parse("class A:\\n  def f(self):\\n    def g(): pass")
    >>> [name for name, node in named_functions(tree)]
    ['A.f', 'A.f.<locals>.g']
    """
    found: list[tuple[str, Any]] = []
    pending: list[tuple[str, Any]] = [("", tree)]
    while pending:
        prefix, node = pending.pop()
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef)):
            found.append((prefix + node.name, node))
            prefix = f"{prefix}{node.name}.<locals>."
        elif isinstance(node, gast.ClassDef):
            prefix = f"{prefix}{node.name}."
        pending += [(prefix, child) for child in reversed(list(children(node)))]
    return found


def _function(name: str, node: Any, converted: _Converted) -> FunctionReport:
    report = FunctionReport(name, node.lineno, node.col_offset + 1, node.end_lineno, node)
    reasons = Reasons(node)
    pending = list(reversed(node.body))
    while pending:
        statement = pending.pop()
        if type(statement) in _KINDS:
            report.fates.append(_fate(statement, reasons, converted))
        for block in reversed(blocks(statement)):
            pending += reversed(block)
    return report


def _fate(statement: Any, reasons: Reasons, converted: _Converted) -> Fate:
    kind = _KINDS[type(statement)]
    place_of = (kind, statement.lineno, statement.col_offset + 1, statement.end_lineno)
    names = converted.state_of(statement, kind)
    if names is not None:
        carries = tuple(name for name in names if name not in converted.generated)
        flags = tuple(
            dict.fromkeys(converted.generated[name] for name in names if name in converted.generated)
        )
        return Fate(*place_of, Becomes.STAGED, carries, tuple(flag for flag in flags if flag))
    if not converted.remains(statement):
        return Fate(*place_of, Becomes.DEAD)
    return Fate(*place_of, Becomes.PYTHON, reason=reasons.of(statement))


class _Converted:
    """The converted program: its operators by the place of the user's code that they stand for."""

    def __init__(self, tree: Any, file: str, lines: list[str]) -> None:
        context = Context(tree)
        try:
            tree = convert_tree(tree, context=context)
        except AutographError as error:
            raise place(error, file, lines) from None
        self.generated = {made: _FLAGS.get(base, "") for (base, _), made in context._fresh.items()}
        self.statements: dict[tuple[str, _Place], list[Any]] = {}
        self.operators: dict[int, list[str]] = {}
        self.remaining: set[tuple[type, _Place, _Place]] = set()
        """The compound statements that are still there."""
        self.places: set[_Place] = set()
        """Where statements begin."""
        for node in walk(tree):
            if isinstance(node, gast.stmt):
                self.places.add(_starts(node))
            if type(node) in _KINDS:
                self.remaining.update(_identities(node))
            elif is_operator_call(node) and isinstance(node.func, gast.Attribute):
                self._note(node)

    def _note(self, call: Any) -> None:
        operator = call.func.attr
        kind = _STATEMENT_OPERATORS.get(operator)
        if kind is not None:
            self.statements.setdefault((kind, (call.lineno, call.col_offset)), []).append(call)
        elif operator in _SHOWN_OPERATORS and not self._asks_for_flag(call):
            shown = self.operators.setdefault(call.lineno, [])
            if _SHOWN_OPERATORS[operator] not in shown:
                shown.append(_SHOWN_OPERATORS[operator])

    def _asks_for_flag(self, call: Any) -> bool:
        """Is this `not do_break`, which a pass wrote?"""
        return any(
            isinstance(argument, gast.Name) and argument.id in self.generated for argument in call.args
        )

    def remains(self, statement: Any) -> bool:
        """Is the statement still there?"""
        return not _identities(statement).isdisjoint(self.remaining)

    def _reaches_a_case(self, statement: Any) -> bool:
        return any(_starts(case.body[0]) in self.places for case in statement.cases)

    def state_of(self, statement: Any, kind: str) -> tuple[str, ...] | None:
        """The state of the call that the statement became; None when it became none."""
        if isinstance(statement, gast.Match):
            return self._state_of_cases(statement)
        calls = self.statements.get((kind, (statement.lineno, statement.col_offset)), [])
        if kind == "if":
            # A pass writes `if not do_break:` at the place of the statement that follows: not this one.
            calls = [call for call in calls if _starts(call.args[0]) in _starts_of_test(statement)]
        return _state(calls[0]) if calls else None

    def _state_of_cases(self, statement: Any) -> tuple[str, ...] | None:
        states = [
            _state(call)
            for case in statement.cases
            for call in self.statements.get(("if", (case.pattern.lineno, case.pattern.col_offset)), ())
        ]
        if not states:
            # Patterns that are always true leave no test behind.
            is_lowered = _identities(statement).isdisjoint(self.remaining)
            return () if is_lowered and self._reaches_a_case(statement) else None
        return tuple(dict.fromkeys(name for state in states for name in state))


_FLAGS = {"do_break": "break", "do_continue": "continue", "do_return": "return", "retval": "return"}


def _identities(statement: Any) -> set[tuple[type, _Place, _Place]]:
    """What tells a statement from one that a pass put at its place, as it does with `if not do_break:`."""
    place = _starts(statement)
    tests = _starts_of_test(statement) if isinstance(statement, gast.If) else {place}
    return {(type(statement), place, test) for test in tests}


def _starts_of_test(statement: Any) -> set[_Place]:
    """Where the test of an `if` begins; a pass may drop its `not` and swap the branches."""
    test = statement.test
    is_not = isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not)
    return {_starts(test), _starts(test.operand)} if is_not else {_starts(test)}


def _starts(node: Any) -> _Place:
    return node.lineno, node.col_offset


def _state(call: Any) -> tuple[str, ...]:
    """The names in `ag__.if_stmt(..., get_state, set_state, ('y', 'z'))`."""
    last = call.args[-1]
    if not isinstance(last, gast.Tuple):
        return ()
    return tuple(element.value for element in last.elts)
