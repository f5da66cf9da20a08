"""Turn `match` into `if` where its patterns ask only for values.

>>> show(lower_match, '''
... def f(x):
...     match x:
...         case 0 | 1: return 'small'
...         case None: return 'nothing'
...         case n if n > 9: return n
...         case _: return 'medium'
... ''')
def f(x):
    if x == 0 or x == 1:
        return 'small'
    elif x is None:
        return 'nothing'
    else:
        n = x
        if n > 9:
            return n
        else:
            return 'medium'

A pattern that takes a value apart becomes a function that gives what the pattern captures
(passes/lower_patterns.py):

>>> show(lower_match, '''
... def f(p):
...     match p:
...         case (a, 0): return a
...         case (a, b) if a > b: return b
...         case _: return 0
... ''')
def f(p):
<BLANKLINE>
    def pattern(subject):
        matched = False
        if ag__.match_sequence(subject, 2):
            part, part_1 = subject
            if part_1 == 0:
                captures = (part,)
                matched = True
        return (matched, captures)
<BLANKLINE>
    def pattern_1(subject):
        matched = False
        if ag__.match_sequence(subject, 2):
            part, part_1 = subject
            captures = (part, part_1)
            matched = True
        return (matched, captures)
    if (found := pattern(p))[0]:
        a, = found[1]
        return a
    else:
        found_1 = pattern_1(p)
        matches = found_1[0]
        if matches:
            a, b = found_1[1]
            matches = a > b
        if matches:
            return b
        else:
            return 0

In a function that shows its variables (`locals()`) such a `match` stays Python's; `ag__.match_subject`
refuses what is staged.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.jumps import blocks
from autograph.analysis.static import StaysPython
from autograph.passes import lower_patterns
from autograph.passes.context import Context
from autograph.records import record
from autograph.template import assign, constant, locate, name, operator_call
from autograph.template import show as show
from autograph.walking import walk


def lower_match(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Rewrite the `match` statements of every function."""
    context = context or Context(tree)
    for function in list(context.functions):
        if not isinstance(function, gast.Lambda) and any(map(_is_match, walk(function))):
            function.body = _Lowering(function, context).block(function.body, 0)
    return tree


def _is_match(node: Any) -> bool:
    return isinstance(node, gast.Match)


class _Lowering:
    """The `match` statements of one function."""

    def __init__(self, function: Any, context: Context) -> None:
        self.context = context
        self.shows_variables = StaysPython(function).reads_frame
        self._patterns = 0

    def block(self, statements: list[Any], depth: int) -> list[Any]:
        made: list[Any] = []
        for statement in statements:
            inner = depth + _is_match(statement)
            for block in blocks(statement):
                block[:] = self.block(list(block), inner)
            made += self._match(statement, depth) if _is_match(statement) else [statement]
        return made

    def _match(self, statement: gast.Match, depth: int) -> list[Any]:
        taken_apart = [case for case in statement.cases if not _is_simple(case)]
        held_apart = not isinstance(statement.subject, gast.Name) or _may_rebind_subject(statement)
        if self.shows_variables and (taken_apart or held_apart):
            statement.subject = operator_call("match_subject", [statement.subject], statement.subject)
            return [statement]
        subject = statement.subject
        made: list[Any] = []
        if held_apart:
            held = self.context.fresh("subject", depth)
            made.append(assign(held, subject, statement))
            subject = name(held, subject)
        numbers: dict[int, int] = {}
        for case in taken_apart:
            numbers[id(case)] = self._patterns
            identifier = self.context.fresh("pattern", self._patterns)
            self._patterns += 1
            function = lower_patterns.pattern_function(identifier, case.pattern, self.context)
            self.context.add_function(function)
            made.append(function)
        return made + _Chain(subject.id, numbers, self.context, depth).links(statement.cases)


def _is_simple(case: gast.match_case) -> bool:
    """Can its pattern be an expression that asks for values, after which the whole value is captured?"""
    return _asks_for_value(case.pattern) and _binds_last(case)


def _asks_for_value(pattern: Any) -> bool:
    """Literals, names of constants, captures, and alternatives of these."""
    if isinstance(pattern, gast.MatchOr):
        return all(
            _asks_for_value(option) and not lower_patterns.captured_names(option)
            for option in pattern.patterns
        )
    if isinstance(pattern, gast.MatchAs):
        return _inner(pattern) is None or _asks_for_value(_inner(pattern))
    return isinstance(pattern, (gast.MatchValue, gast.MatchSingleton))


def _binds_last(case: gast.match_case) -> bool:
    """Can the capture wait until the test is decided? Not when a guard comes in between."""
    return (
        case.guard is None
        or not lower_patterns.captured_names(case.pattern)
        or _test_is_always_true(case.pattern)
    )


def _inner(pattern: gast.MatchAs) -> Any:
    return getattr(pattern, "pattern", None)


def _test_is_always_true(pattern: Any) -> bool:
    if isinstance(pattern, gast.MatchOr):
        return any(map(_test_is_always_true, pattern.patterns))
    return isinstance(pattern, gast.MatchAs) and (
        _inner(pattern) is None or _test_is_always_true(_inner(pattern))
    )


def _may_rebind_subject(statement: gast.Match) -> bool:
    """May a case that fails leave something else in the variable of the subject? By its guard, or by what
    its pattern captured before the guard was asked: `match p: case (p, _) if p > 2`."""
    guarded = [case for case in statement.cases if case.guard is not None]
    calls = (gast.Call, gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom)
    return any(
        statement.subject.id in lower_patterns.captured_names(case.pattern)
        and not _asks_for_value(case.pattern)  # else it captures the whole value, which is the subject
        or any(isinstance(node, calls) for node in walk(case.guard))
        for case in guarded
    )


@record
class _Chain:
    """The cases of one statement as a chain of `if`."""

    subject: str
    numbers: dict[int, int]
    """Of the pattern functions, by the identity of the case."""
    context: Context
    depth: int

    def links(self, cases: list[Any]) -> list[Any]:
        """The first case, and the others where it fails."""
        if not cases:
            return []
        case, rest = cases[0], cases[1:]
        if id(case) in self.numbers:
            return self._taken_apart(case, rest)
        names = lower_patterns.captured_names(case.pattern)  # each is the whole value: `0 as a as b`
        bind = [assign(captured, name(self.subject, case.pattern), case.pattern) for captured in names]
        if not _test_is_always_true(case.pattern):
            test = lower_patterns.value_test(case.pattern, self.subject)
            if case.guard is not None:
                test = locate(gast.BoolOp(gast.And(), [test, case.guard]), case.pattern)
            return [locate(gast.If(test, bind + case.body, self.links(rest)), case.pattern)]
        if case.guard is None:
            return bind + case.body
        return [*bind, locate(gast.If(case.guard, case.body, self.links(rest)), case.pattern)]

    def _taken_apart(self, case: Any, rest: list[Any]) -> list[Any]:
        at, number = case.pattern, self.numbers[id(case)]
        function = name(self.context.fresh("pattern", number), at)
        call = locate(gast.Call(function, [name(self.subject, at)], []), at)
        names = lower_patterns.captured_names(at)
        held = self.context.fresh("found", number)
        if case.guard is not None:
            return self._guarded(case, rest, call, held)
        test, bind = call, []
        if names:
            test = _item(locate(gast.NamedExpr(name(held, at, gast.Store()), call), at), 0)
            bind = [_bind(names, held, at)]
        return [locate(gast.If(test, bind + case.body, self.links(rest)), at)]

    def _guarded(self, case: Any, rest: list[Any], call: Any, held: str) -> list[Any]:
        at, names = case.pattern, lower_patterns.captured_names(case.pattern)
        matches = self.context.fresh("matches", self.depth)
        decide = [assign(matches, case.guard, at)]
        made = [assign(matches, call, at)]
        if names:
            made = [assign(held, call, at), assign(matches, _item(name(held, at), 0), at)]
            decide.insert(0, _bind(names, held, at))
        made.append(locate(gast.If(name(matches, at), decide, []), at))
        return [*made, locate(gast.If(name(matches, at), case.body, self.links(rest)), at)]


def _item(value: Any, index: int) -> Any:
    return locate(gast.Subscript(value, constant(index, value), gast.Load()), value)


def _bind(names: list[str], held: str, at: Any) -> Any:
    targets = locate(gast.Tuple([name(n, at, gast.Store()) for n in names], gast.Store()), at)
    return locate(gast.Assign([targets], _item(name(held, at), 1), None), at)
