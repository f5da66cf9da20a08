"""Patterns that take a value apart, as functions that give what they capture.

The structure of a value is mostly static; the tests of its parts may be staged.

>>> def show_pattern(text):
...     cases = gast.parse(f"match p:\\n case {text}: pass").body[0].cases
...     print(unparse(pattern_function("pattern", cases[0].pattern, Context(gast.Module([], [])))))
>>> show_pattern("(0, [a, *_]) | {'key': a}")
def pattern(subject):
    matched = False
    if ag__.match_sequence(subject, 2):
        part, part_1 = subject
        if part == 0 and ag__.match_sequence(part_1, 1, True):
            part_2 = part_1[0]
            captures = (part_2,)
            matched = True
    if not matched:
        keys = ('key',)
        found = ag__.match_keys(subject, keys)
        if found:
            part_3, = ag__.matched_items(found, subject, keys)
            captures = (part_3,)
            matched = True
    return (matched, captures)
>>> show_pattern("Point(x=0, y=0)")
def pattern(subject):
    matched = False
    kind = Point
    if ag__.match_class(subject, kind):
        attributes = ag__.matched_attributes(subject, kind, 0, ('x', 'y'))
        if attributes is not None:
            part, part_1 = attributes
            if part == 0 and part_1 == 0:
                matched = True
    return matched

What is captured is `Undefined` where the pattern fails: nobody reads it then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph.analysis.names import Collector
from autograph.passes.context import Context
from autograph.template import assign, constant, locate, name, operator_call
from autograph.template import unparse as unparse

#: what is done where a pattern matches: statements, made with the variables that hold what it captures
Then = Callable[[dict[str, str]], list[Any]]


def captured_names(pattern: Any) -> list[str]:
    """The variables that a pattern binds, in a fixed order."""
    return list(Collector().collect(pattern).writes)


def pattern_function(identifier: str, pattern: Any, context: Context) -> Any:
    """A function of the subject: does it match? And where there is anything to capture, a tuple of that."""
    names = captured_names(pattern)
    matched, subject = context.fresh("matched"), context.fresh("subject")
    captures = context.fresh("captures")

    def found(held: dict[str, str]) -> list[Any]:
        made = [assign(matched, constant(True, pattern), pattern)]
        if names:
            parts = [name(held[captured], pattern) for captured in names]
            made.insert(0, assign(captures, locate(gast.Tuple(parts, gast.Load()), pattern), pattern))
        return made

    body = [assign(matched, constant(False, pattern), pattern)]
    held: dict[str, str] = {}
    at, tests = pattern, _Tests(context)
    while isinstance(pattern, gast.MatchAs) and _inner(pattern) is not None:
        held |= {pattern.name: subject} if pattern.name else {}
        pattern = _inner(pattern)
    is_or = isinstance(pattern, gast.MatchOr) and not _is_test(pattern)
    for number, option in enumerate(pattern.patterns if is_or else [pattern]):
        made = tests.tests(option, subject, held, found)
        body += [_if(_not(name(matched, option), option), made, option)] if number else made
    result: Any = name(matched, at)
    if names:
        result = locate(gast.Tuple([result, name(captures, at)], gast.Load()), at)
    body.append(locate(gast.Return(result), at))
    arguments = gast.arguments([name(subject, at, gast.Param())], [], None, [], [], None, [])
    return locate(gast.FunctionDef(identifier, arguments, body, [], None, None, []), at)


def _not(value: Any, at: Any) -> Any:
    return locate(gast.UnaryOp(gast.Not(), value), at)


class _Tests:
    """The tests of one pattern, each inside the one before, in the order in which Python makes them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._count = {"matched": 1}  # the whole pattern's own comes first

    def fresh(self, base: str) -> str:
        """A variable of the pattern function that nothing else in it is called."""
        number = self._count.get(base, 0)
        self._count[base] = number + 1
        return self.context.fresh(base, number)

    def tests(self, pattern: Any, subject: str, held: dict[str, str], then: Then) -> list[Any]:
        """Run `then` where `subject` matches."""
        if isinstance(pattern, gast.MatchAs):
            bound = {**held, pattern.name: subject} if pattern.name else held
            inner = _inner(pattern)
            return then(bound) if inner is None else self.tests(inner, subject, bound, then)
        if _is_test(pattern):
            return [_if(value_test(pattern, subject), then(held), pattern)]
        return _KINDS[type(pattern)](self, pattern, subject, held, then)

    def _all(self, patterns: list[tuple[Any, str]], held: dict[str, str], then: Then) -> list[Any]:
        if not patterns:
            return then(held)
        (pattern, subject), rest = patterns[0], patterns[1:]
        return self.tests(pattern, subject, held, lambda bound: self._all(rest, bound, then))

    def _or(self, pattern: Any, subject: str, held: dict[str, str], then: Then) -> list[Any]:
        """Alternatives inside of a pattern: a variable says whether one has matched."""
        matched = self.fresh("matched")
        variables = {captured: self.fresh("part") for captured in captured_names(pattern)}

        def found(bound: dict[str, str]) -> list[Any]:
            kept = [assign(variables[n], name(bound[n], pattern), pattern) for n in variables]
            return [*kept, assign(matched, constant(True, pattern), pattern)]

        made = [assign(matched, constant(False, pattern), pattern)]
        for number, option in enumerate(pattern.patterns):
            tests = self.tests(option, subject, {}, found)
            if number:
                tests = [_if(_not(name(matched, option), option), tests, option)]
            made += tests
        return [*made, _if(name(matched, pattern), then({**held, **variables}), pattern)]

    def _sequence(self, pattern: Any, subject: str, held: dict[str, str], then: Then) -> list[Any]:
        patterns = pattern.patterns
        star = next((k for k, p in enumerate(patterns) if isinstance(p, gast.MatchStar)), None)
        least = len(patterns) - (star is not None)
        test = [name(subject, pattern), constant(least, pattern)]
        if star is not None:
            test.append(constant(True, pattern))
        if all(map(_is_wildcard, patterns)):
            body = then(held)
        elif star is not None and _is_wildcard(patterns[star]):
            body = self._by_index(patterns, star, subject, held, then)
        else:
            body = self._unpacked(pattern, subject, held, then)
        return [_if(operator_call("match_sequence", test, pattern), body, pattern)]

    def _by_index(
        self, patterns: list[Any], star: int, subject: str, held: dict[str, str], then: Then
    ) -> list[Any]:
        """`[a, *_, b]`: Python reads the items, and iterates over nothing."""
        places = [(p, k) for k, p in enumerate(patterns) if k != star and not _is_wildcard(p)]

        def read(remaining: list[tuple[Any, int]], held: dict[str, str]) -> list[Any]:
            if not remaining:
                return then(held)
            (pattern, k), part = remaining[0], self.fresh("part")
            if k < star:
                index: Any = constant(k, pattern)
            else:
                counted = [name(subject, pattern), constant(len(patterns) - k, pattern)]
                index = operator_call("index_from_end", counted, pattern)
            item = locate(gast.Subscript(name(subject, pattern), index, gast.Load()), pattern)
            following = self.tests(pattern, part, held, lambda bound: read(remaining[1:], bound))
            return [assign(part, item, pattern), *following]

        return read(places, held)

    def _unpacked(self, pattern: Any, subject: str, held: dict[str, str], then: Then) -> list[Any]:
        parts: list[tuple[Any, str]] = []
        targets: list[Any] = []
        for part in pattern.patterns:
            variable = self.fresh("part")
            target = name(variable, part, gast.Store())
            if isinstance(part, gast.MatchStar):
                held = {**held, part.name: variable}
                target = locate(gast.Starred(target, gast.Store()), part)
            else:
                parts.append((part, variable))
            targets.append(target)
        return [_unpack(targets, name(subject, pattern), pattern), *self._all(parts, held, then)]

    def _mapping(self, pattern: Any, subject: str, held: dict[str, str], then: Then) -> list[Any]:
        keys, found = self.fresh("keys"), self.fresh("found")
        made = [assign(keys, locate(gast.Tuple(pattern.keys, gast.Load()), pattern), pattern)]
        operands = [name(subject, pattern), name(keys, pattern)]
        made.append(assign(found, operator_call("match_keys", operands, pattern), pattern))
        body: list[Any] = []
        rest = getattr(pattern, "rest", None)
        if rest is not None:
            variable = self.fresh("part")
            held = {**held, rest: variable}
        parts = [(part, self.fresh("part")) for part in pattern.patterns]
        if parts:
            items = operator_call("matched_items", [name(found, pattern), *operands], pattern)
            targets = [name(part, pattern, gast.Store()) for _, part in parts]
            body.append(_unpack(targets, items, pattern))

        def finish(bound: dict[str, str]) -> list[Any]:
            return [*self._rest(pattern, subject, keys, variable), *then(bound)] if rest else then(bound)

        return [*made, _if(name(found, pattern), body + self._all(parts, held, finish), pattern)]

    def _rest(self, pattern: Any, subject: str, keys: str, variable: str) -> list[Any]:
        """What `**rest` captures: the items under other keys."""
        copy = locate(gast.Dict([None], [name(subject, pattern)]), pattern)
        made = [assign(variable, copy, pattern)]
        for k in range(len(pattern.keys)):
            key = locate(gast.Subscript(name(keys, pattern), constant(k, pattern), gast.Load()), pattern)
            item = locate(gast.Subscript(name(variable, pattern), key, gast.Del()), pattern)
            made.append(locate(gast.Delete([item]), pattern))
        return made

    def _class(self, pattern: Any, subject: str, held: dict[str, str], then: Then) -> list[Any]:
        cls = pattern.cls
        patterns = [*pattern.patterns, *pattern.kwd_patterns]
        if not patterns:
            test = operator_call("match_class", [name(subject, pattern), cls], pattern)
            return [_if(test, then(held), pattern)]
        kind, attributes = self.fresh("kind"), self.fresh("attributes")
        parts = [(part, self.fresh("part")) for part in patterns]
        names = [constant(attribute, pattern) for attribute in pattern.kwd_attrs]
        operands = [name(subject, pattern), name(kind, pattern), constant(len(pattern.patterns), pattern)]
        operands.append(locate(gast.Tuple(names, gast.Load()), pattern))
        body: list[Any] = [
            assign(attributes, operator_call("matched_attributes", operands, pattern), pattern)
        ]
        there = locate(
            gast.Compare(name(attributes, pattern), [gast.IsNot()], [constant(None, pattern)]), pattern
        )
        targets = [name(part, pattern, gast.Store()) for _, part in parts]
        unpacking = _unpack(targets, name(attributes, pattern), pattern)
        body.append(_if(there, [unpacking, *self._all(parts, held, then)], pattern))
        test = operator_call("match_class", [name(subject, pattern), name(kind, pattern)], pattern)
        return [assign(kind, cls, pattern), _if(test, body, pattern)]


_KINDS: dict[type, Callable[..., list[Any]]] = {
    gast.MatchOr: _Tests._or,
    gast.MatchSequence: _Tests._sequence,
    gast.MatchMapping: _Tests._mapping,
    gast.MatchClass: _Tests._class,
}


def value_test(pattern: Any, subject: str) -> Any:
    """The expression that tests a pattern that asks for a value; captures are left to the caller."""
    if isinstance(pattern, gast.MatchAs):
        return value_test(_inner(pattern), subject)
    if isinstance(pattern, gast.MatchOr):
        tests = [value_test(option, subject) for option in pattern.patterns]
        return locate(gast.BoolOp(gast.Or(), tests), pattern)
    value = pattern.value
    if isinstance(pattern, gast.MatchSingleton):
        constant = locate(gast.Constant(value, None), pattern)
        return locate(gast.Compare(name(subject, pattern), [gast.Is()], [constant]), pattern)
    return locate(gast.Compare(name(subject, pattern), [gast.Eq()], [value]), pattern)


def _is_test(pattern: Any) -> bool:
    """Literals, names of constants, and alternatives of these."""
    if isinstance(pattern, gast.MatchOr):
        return all(map(_is_test, pattern.patterns))
    return isinstance(pattern, (gast.MatchValue, gast.MatchSingleton))


def _is_wildcard(pattern: Any) -> bool:
    return isinstance(pattern, (gast.MatchAs, gast.MatchStar)) and (
        pattern.name is None and getattr(pattern, "pattern", None) is None
    )


def _inner(pattern: gast.MatchAs) -> Any:
    return getattr(pattern, "pattern", None)


def _if(test: Any, body: list[Any], at: Any) -> Any:
    """`if test: body`; a body that is one such `if` gives its test to this one."""
    if len(body) == 1 and isinstance(body[0], gast.If) and not body[0].orelse:
        inner = body[0].test
        tests = inner.values if isinstance(inner, gast.BoolOp) and isinstance(inner.op, gast.And) else [inner]
        return locate(gast.If(locate(gast.BoolOp(gast.And(), [test, *tests]), at), body[0].body, []), at)
    return locate(gast.If(test, body, []), at)


def _unpack(targets: list[Any], value: Any, at: Any) -> Any:
    tuple_of = locate(gast.Tuple(targets, gast.Store()), at)
    return locate(gast.Assign([tuple_of], value, None), at)
