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

A pattern that takes a value apart and has a guard becomes a function that gives what the pattern captures:

>>> show(lower_match, '''
... def f(p):
...     match p:
...         case (a, b) if a > b: return a
...         case _: return 0
... ''')
def f(p):
<BLANKLINE>
    def pattern(subject):
        match subject:
            case [a, b]:
                return (a, b)
    captures = pattern(p)
    matches = captures is not None
    if matches:
        a, b = captures
        matches = a > b
    if matches:
        return a
    else:
        return 0

Other patterns that take a value apart stay Python's, for the structure of a value is static. What is staged
inside refuses to be compared there; where its class or its being None is asked for, `ag__.match_subject`
refuses it.

>>> show(lower_match, '''
... def f(p):
...     match p:
...         case [int(), None]: return 1
... ''')
def f(p):
    match ag__.match_subject(p):
        case [int(), None]:
            return 1
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.jumps import blocks
from autograph.analysis.names import Collector
from autograph.passes.context import Context
from autograph.template import assign, constant, locate, name, operator_call
from autograph.template import show as show


def lower_match(tree: gast.Module, context: Context | None = None) -> gast.Module:
    """Rewrite the `match` statements of every function."""
    context = context or Context(tree)
    for function in context.functions:
        if not isinstance(function, gast.Lambda):
            function.body = _block(function.body, context, 0)
    return tree


def _block(statements: list[Any], context: Context, depth: int) -> list[Any]:
    made: list[Any] = []
    for statement in statements:
        inner = depth + isinstance(statement, gast.Match)
        for block in blocks(statement):
            block[:] = _block(list(block), context, inner)
        if not isinstance(statement, gast.Match):
            made.append(statement)
        elif all(_asks_for_value(case.pattern) and _binds_last(case) for case in statement.cases):
            made += _as_ifs(statement, context, depth)
        elif any(case.guard is not None for case in statement.cases):
            made += _with_pattern_functions(statement, context, depth)
        else:
            made.append(_with_checked_subject(statement))
    return made


def _asks_for_value(pattern: Any) -> bool:
    """Literals, names of constants, captures, and alternatives of these."""
    if isinstance(pattern, gast.MatchOr):
        return all(_asks_for_value(option) and not _captured(option) for option in pattern.patterns)
    if isinstance(pattern, gast.MatchAs):
        return _inner(pattern) is None or _asks_for_value(_inner(pattern))
    return isinstance(pattern, (gast.MatchValue, gast.MatchSingleton))


def _binds_last(case: gast.match_case) -> bool:
    """Can the capture wait until the test is decided? Not when a guard comes in between."""
    return case.guard is None or _captured(case.pattern) is None or _test_is_always_true(case.pattern)


def _inner(pattern: gast.MatchAs) -> Any:
    return getattr(pattern, "pattern", None)


def _captured(pattern: Any) -> str | None:
    """The name that the whole value is bound to."""
    return pattern.name if isinstance(pattern, gast.MatchAs) else None


def _test_is_always_true(pattern: Any) -> bool:
    if isinstance(pattern, gast.MatchOr):
        return any(map(_test_is_always_true, pattern.patterns))
    return isinstance(pattern, gast.MatchAs) and (
        _inner(pattern) is None or _test_is_always_true(_inner(pattern))
    )


def _as_ifs(statement: gast.Match, context: Context, depth: int) -> list[Any]:
    subject = statement.subject
    made: list[Any] = []
    guarded = any(case.guard is not None for case in statement.cases)
    if not isinstance(subject, gast.Name) or guarded and not _is_plain_chain(statement):
        held = context.fresh("subject", depth)
        made.append(assign(held, subject, statement))
        subject = name(held, subject)
    return made + _chain(statement.cases, subject.id)


def _is_plain_chain(statement: gast.Match) -> bool:
    """Does no guard rebind a name?"""
    guards = [case.guard for case in statement.cases if case.guard is not None]
    calm = (gast.Call, gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom)
    return not any(isinstance(node, calm) for guard in guards for node in gast.walk(guard))


def _chain(cases: list[Any], subject: str) -> list[Any]:
    """The first case, and the others where it fails."""
    if not cases:
        return []
    case, rest = cases[0], cases[1:]
    captured = _captured(case.pattern)
    bind = [] if captured is None else [assign(captured, name(subject, case.pattern), case.pattern)]
    if not _test_is_always_true(case.pattern):
        test = _test(case.pattern, subject)
        if case.guard is not None:
            test = locate(gast.BoolOp(gast.And(), [test, case.guard]), case.pattern)
        return [locate(gast.If(test, bind + case.body, _chain(rest, subject)), case.pattern)]
    if case.guard is None:
        return bind + case.body
    return [*bind, locate(gast.If(case.guard, case.body, _chain(rest, subject)), case.pattern)]


def _test(pattern: Any, subject: str) -> Any:
    if isinstance(pattern, gast.MatchAs):
        return _test(_inner(pattern), subject)
    if isinstance(pattern, gast.MatchOr):
        return locate(
            gast.BoolOp(gast.Or(), [_test(option, subject) for option in pattern.patterns]), pattern
        )
    value = pattern.value
    if isinstance(pattern, gast.MatchSingleton):
        constant = locate(gast.Constant(value, None), pattern)
        return locate(gast.Compare(name(subject, pattern), [gast.Is()], [constant]), pattern)
    return locate(gast.Compare(name(subject, pattern), [gast.Eq()], [value]), pattern)


def _with_pattern_functions(statement: gast.Match, context: Context, depth: int) -> list[Any]:
    subject = context.fresh("subject", depth)
    value = _with_checked_subject(statement).subject
    if isinstance(value, gast.Name):
        return _pattern_chain(statement.cases, value.id, context, depth)
    begin = assign(subject, value, statement)
    return [begin, *_pattern_chain(statement.cases, subject, context, depth)]


def _pattern_chain(cases: list[Any], subject: str, context: Context, depth: int) -> list[Any]:
    if not cases:
        return []
    case, rest = cases[0], cases[1:]
    if case.guard is None and _test_is_always_true(case.pattern):
        return _chain([case], subject)
    at = case.pattern
    captures, matches = context.fresh("captures", depth), context.fresh("matches", depth)
    taken = name(context.fresh("pattern", depth), at)
    found = locate(gast.Call(taken, [name(subject, at)], []), at)
    is_found = locate(gast.Compare(name(captures, at), [gast.IsNot()], [constant(None, at)]), at)
    names = list(Collector().collect(at).writes)
    bind: list[Any] = []
    if names:
        targets = locate(gast.Tuple([name(n, at, gast.Store()) for n in names], gast.Store()), at)
        bind.append(locate(gast.Assign([targets], name(captures, at), None), at))
    if case.guard is not None:
        bind.append(assign(matches, case.guard, at))
    made = [_pattern_function(taken.id, at, names, context), assign(captures, found, at)]
    made.append(assign(matches, is_found, at))
    if bind:
        made.append(locate(gast.If(name(matches, at), bind, []), at))
    orelse = _pattern_chain(rest, subject, context, depth)
    return [*made, locate(gast.If(name(matches, at), case.body, orelse), at)]


def _pattern_function(identifier: str, pattern: Any, names: list[str], context: Context) -> Any:
    """A function that gives the captures of a pattern as a tuple, or None where the pattern fails."""
    subject = context.fresh("subject")
    result = locate(gast.Tuple([name(n, pattern) for n in names], gast.Load()), pattern)
    case = gast.match_case(pattern, None, [locate(gast.Return(result), pattern)])
    statement = locate(gast.Match(name(subject, pattern), [case]), pattern)
    arguments = gast.arguments([name(subject, pattern, gast.Param())], [], None, [], [], None, [])
    return locate(gast.FunctionDef(identifier, arguments, [statement], [], None, None, []), pattern)


def _with_checked_subject(statement: gast.Match) -> gast.Match:
    asking = (gast.MatchClass, gast.MatchSingleton)
    if any(isinstance(node, asking) for case in statement.cases for node in gast.walk(case.pattern)):
        subject = statement.subject
        statement.subject = operator_call("match_subject", [subject], subject)
    return statement
