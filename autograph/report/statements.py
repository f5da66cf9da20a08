"""What becomes of each statement of a program: handed to stages, kept as Python's and why, or left alone.

The answer is read off the conversion itself: the program is converted, and a statement is staged when the
converted tree holds its operator. So the report says what happens, and no second set of rules can drift.

>>> report = report_on("def f(x):\\n    while x > 1:\\n        x = x / 2\\n    return x\\n", "f.py")
>>> for fate in report.functions[0].fates:
...     print(fate.line, fate.kind, fate.becomes.value, fate.carries)
2 while staged ('x',)

Why a statement stays Python's: the rules of `analysis/static.py`, said in words.

>>> function = gast.parse("def f(x):\\n  while x:\\n    yield x").body[0]
>>> Reasons(function).of(function.body[0]).text
'the function is suspended inside it (`yield` on line 3)'
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import gast

from autograph.analysis.jumps import TRIES, Jumps, blocks, is_suspension, suspends
from autograph.analysis.names import Collector
from autograph.analysis.static import (
    StaysPython,
    counts_frames,
    is_static,
    only_imports,
    own_nodes,
    reads_frame,
    unbound_by,
)
from autograph.conversion import check_no_reserved_name
from autograph.errors import AutographError, place
from autograph.modules import is_converted_text, split_lines
from autograph.passes import Context, convert_tree
from autograph.source import parse_program
from autograph.template import is_operator_call, unparse
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


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, and where the cause stands. `code` is that of the finding, None where all is well as it is."""

    text: str
    code: str | None = None
    node: Any = None


class Reasons:
    """Answers for the statements of one function, as the user wrote it."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.jumps = Jumps()
        self.stays = StaysPython(function, self.jumps)

    def of(self, statement: Any) -> Reason | None:
        """Why the statement stays, None where it always does and nothing is lost: a `with`."""
        if isinstance(statement, (gast.With, gast.AsyncWith)):
            return None
        if isinstance(statement, gast.TryStar):
            return Reason("`except*` has no staged form", "AG102", statement)
        if isinstance(statement, gast.If) and is_static(statement.test):
            return Reason("its test is the same for the whole life of the program")
        if isinstance(statement, gast.Try) and only_imports(statement):
            return Reason("there is nothing in it but imports")
        return (
            self._of_frame(statement)
            or self._of_raise(statement)
            or self._of_unbinding(statement)
            or self._of_suspension(statement)
            or self._of_jump(statement)
        )

    def _of_frame(self, statement: Any) -> Reason | None:
        if self.stays.reads_frame:
            call = next(node for node in self._own_nodes() if reads_frame(node))
            return Reason(
                f"the function calls `{call.func.id}()` on line {call.lineno}, which sees its variables, "
                "so they must stay where they are",
                "AG202",
                call,
            )
        call = next((node for node in own_nodes(statement) if counts_frames(node)), None)
        if call is not None and self.stays.counts_frames:
            what = unparse(call.func)
            return Reason(f"`{what}` on line {call.lineno} counts the frames that call it", "AG203", call)
        return None

    def _of_raise(self, statement: Any) -> Reason | None:
        if not self.stays.raises_again(statement):
            return None
        cause = next(node for node in own_nodes(statement) if isinstance(node, gast.Raise))
        text = f"`raise` on line {cause.lineno} stands in an `except*`, and may raise again what it caught"
        return Reason(text, "AG102", cause)

    def _of_unbinding(self, statement: Any) -> Reason | None:
        cause = self.stays.unbinds_outside(statement) if self.stays.unbound_outside else None
        if cause is None:
            return None
        variable = next(n for n in unbound_by(cause) if n in self.stays.unbound_outside)
        return Reason(
            f"`{variable}`, which others see too, has no value any more after line {cause.lineno}",
            "AG208",
            cause,
        )

    def _own_nodes(self) -> list[Any]:
        return [node for part in self.function.body for node in own_nodes(part)]

    def _of_suspension(self, statement: Any) -> Reason | None:
        if not suspends(statement):
            return None
        cause = next(node for node in own_nodes(statement) if is_suspension(node))
        word = _SUSPENSIONS.get(type(cause), "async")
        line = getattr(cause, "lineno", statement.lineno)
        at = cause if hasattr(cause, "lineno") else statement
        text = f"the function is suspended inside it (`{word}` on line {line})"
        return Reason(text, "AG303" if word.startswith("yield") else "AG201", at)

    def _of_jump(self, statement: Any) -> Reason:
        jump = _jump_in([statement])
        word = type(jump).__name__.lower() if jump is not None else "jump"
        line = jump.lineno if jump is not None else statement.lineno
        if self._leaves_finally(statement):
            text = f"`{word}` on line {line} leaves a `finally`, which has no other spelling"
        elif self.stays.suspends and word == "return":
            text = f"`return` on line {line} ends a function that `yield` or `await` suspends"
            is_async = isinstance(self.function, gast.AsyncFunctionDef)
            return Reason(text, "AG201" if is_async else "AG303", jump)
        else:
            text = f"`{word}` on line {line} leads to, or through, a statement that stays Python's"
        return Reason(text, "AG204", jump or statement)

    def _leaves_finally(self, statement: Any) -> bool:
        nodes = [node for part in self.function.body for node in own_nodes(part)]
        tries = [node for node in nodes if isinstance(node, TRIES) and node.finalbody]
        inside = {id(node) for t in tries for s in t.finalbody for node in own_nodes(s)}
        held = [node for node in own_nodes(statement) if isinstance(node, TRIES) and node.finalbody]
        return id(statement) in inside or any(self.jumps.of_block(node.finalbody) for node in held)


_SUSPENSIONS: dict[type, str] = {
    gast.Yield: "yield",
    gast.YieldFrom: "yield from",
    gast.Await: "await",
    gast.AsyncFor: "async for",
    gast.AsyncWith: "async with",
}


def _jump_in(statements: list[Any]) -> Any:
    """The first `return`, `break` or `continue` that stands in the statements."""
    for statement in statements:
        if isinstance(statement, (gast.Return, gast.Break, gast.Continue)):
            return statement
        for block in blocks(statement):
            found = _jump_in(block)
            if found is not None:
                return found
    return None
