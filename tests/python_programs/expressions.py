# ruff: noqa: E501  tables of program text are not wrapped
"""Random expressions. Each is a text; variables may be unbound, types may not fit."""

from __future__ import annotations

from tests.random_programs.choices import Choices

NAMES = ("a", "b", "c", "x", "y", "z")
OPERATORS = ("+", "-", "*", "//", "%", "|", "&", "^")
COMPARISONS = ("<", ">", "==", "!=", "<=", "is", "is not", "in", "not in")
ITERABLES = (
    "range(3)", "c", "[1, 0, 2]", "(0, 1)", "'xy'", "{'p': 1, 'q': 0}", "count(3)", "range(b)", "[a, b]",
    "enumerate([4, 5])", "zip([1, 2], 'ab')", "[(1, 2), (3, 0)]", "iter([1, 2, 0])", "[]",
    "sorted([b, 2, 1], key=lambda v: -v)", "map(say, [1, 2])", "reversed([1, 0])",
)  # fmt: skip


class Expressions:
    """Makes expressions of a depth that shrinks as they nest."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.can_assign = True  # may an assignment expression stand here?
        self.own: list[str] = []  # variables of comprehensions and lambdas around
        self.can_yield = False
        self.can_await = False

    def atom(self) -> str:
        pick = self.choices.pick
        kind = self.choices.integer(0, 9)
        if kind < 6:
            return pick((*NAMES, *self.own))
        if kind < 9:
            return pick(("0", "1", "2", "-1", "None", "True", "'s'", "''", "[]", "3.5"))
        return "total"

    def expression(self, depth: int = 3) -> str:
        if depth <= 0:
            return self.atom()
        makers = (
            self.atom, self.atom, self.said, self.said, self.binary, self.boolean, self.boolean, self.negation,
            self.comparison, self.chain, self.conditional, self.conditional, self.called, self.display,
            self.comprehension, self.generator, self.assignment, self.formatted, self.lambda_, self.subscript,
            self.object, self.suspended, self.truth,
        )  # fmt: skip
        maker = self.choices.pick(makers)
        return maker() if maker in (self.atom,) else maker(depth - 1)  # type: ignore[operator]

    def said(self, depth: int) -> str:
        return f"say({self.expression(depth)})"

    def truth(self, depth: int) -> str:
        return f"Truth({self.expression(depth)})"

    def binary(self, depth: int) -> str:
        return f"({self.expression(depth)} {self.choices.pick(OPERATORS)} {self.expression(depth)})"

    def boolean(self, depth: int) -> str:
        word = self.choices.pick((" and ", " or "))
        parts = [self.expression(depth) for _ in range(self.choices.integer(2, 3))]
        return f"({word.join(parts)})"

    def negation(self, depth: int) -> str:
        return f"(not {self.expression(depth)})"

    def comparison(self, depth: int) -> str:
        return f"({self.expression(depth)} {self.choices.pick(COMPARISONS)} {self.expression(depth)})"

    def chain(self, depth: int) -> str:
        text = self.expression(depth)
        for _ in range(self.choices.integer(2, 3)):
            text += f" {self.choices.pick(COMPARISONS)} {self.expression(depth)}"
        return f"({text})"

    def conditional(self, depth: int) -> str:
        return f"({self.expression(depth)} if {self.expression(depth)} else {self.expression(depth)})"

    def called(self, depth: int) -> str:
        one, two = self.expression(depth), self.expression(depth)
        return self.choices.pick((
            f"len({one})", f"max({one}, {two}, key=str)", f"str({one})", f"list({self.iterable(depth)})",
            f"(lambda v, w={two}: say(v, w))({one})", f"say(*[{one}, {two}])", f"bool({one})",
            f"sum({self.iterable(depth)}, 0)", f"dict(k={one})", f"functools.partial(say, {one})({two})",
            f"next(iter({self.iterable(depth)}), {two})", f"twice(say)({one})", f"fail(KeyError, {one})",
        ))  # fmt: skip

    def display(self, depth: int) -> str:
        one, two = self.expression(depth), self.expression(depth)
        return self.choices.pick((
            f"[{one}, {two}]", f"({one}, {two})", f"{{'k': {one}, 2: {two}}}", f"[*{self.iterable(0)}, {one}]",
            f"{{**{{'j': {one}}}, 'i': {two}}}", f"{{{one}, 7}}",
        ))  # fmt: skip

    def iterable(self, depth: int) -> str:
        if depth > 0 and self.choices.chance(20):
            return self.choices.pick((self.comprehension, self.generator))(depth - 1)
        return self.choices.pick(ITERABLES)

    def without_assignment(self, text_of: object, *args: int) -> str:
        before, self.can_assign = self.can_assign, False
        try:
            return text_of(*args)  # type: ignore[operator, no-any-return]
        finally:
            self.can_assign = before

    def clauses(self, depth: int) -> tuple[str, list[str]]:
        """The `for`s of a comprehension, and its variables."""
        texts, variables = [], []
        for number in range(self.choices.integer(1, 2)):
            target = self.choices.pick(("v", "w", "x", "(v, w)", "(v, *w)", "v, _"))
            suspends, self.can_yield = self.can_yield, False
            source = self.without_assignment(self.iterable, depth if number else 0)
            own = [name for name in ("v", "w", "x") if name in target]
            self.own += own
            variables += own
            tests = [
                f" if {self.without_assignment(self.expression, depth)}"
                for _ in range(self.choices.pick((0, 0, 1, 1, 2)))
            ]
            self.can_yield = suspends
            texts.append(f" for {target} in {source}{''.join(tests)}")
        return "".join(texts), variables

    def element(self, depth: int, lazily: bool) -> tuple[str, str, str]:
        text, variables = self.clauses(depth)
        before, self.can_assign = self.can_assign, False
        suspends, self.can_yield = self.can_yield, False
        awaits, self.can_await = self.can_await, self.can_await and not lazily
        one, two = self.expression(depth), self.expression(depth)
        self.can_assign, self.can_yield, self.can_await = before, suspends, awaits
        del self.own[len(self.own) - len(variables) :]
        return text, one, two

    def comprehension(self, depth: int) -> str:
        text, one, two = self.element(depth, lazily=False)
        return self.choices.pick(
            (f"[{one}{text}]", f"[{one}{text}]", f"{{str({one}): {two}{text}}}", f"{{str({one}){text}}}")
        )

    def generator(self, depth: int) -> str:
        text, one, _ = self.element(depth, lazily=True)
        consumer = self.choices.pick(("list", "tuple", "any", "all", "sorted", "say", "iter", "next"))
        return f"{consumer}({one}{text})" if consumer != "sorted" else f"sorted((str({one}){text}))"

    def assignment(self, depth: int) -> str:
        if not self.can_assign:
            return self.expression(depth)
        return f"({self.choices.pick(('x', 'y', 'z'))} := {self.expression(depth)})"

    def formatted(self, depth: int) -> str:
        one = self.expression(depth)
        if any(mark in one for mark in "'\\{}#"):
            return f"f'{{{self.atom_without_quotes()}!r:>5}}'"
        return self.choices.pick((f"f'{{{one}!r}}|'", f"f'{{{one}}}{{a!s:>{{3}}}}'", f"f'{{{one} = }}'"))

    def atom_without_quotes(self) -> str:
        return self.choices.pick(NAMES)

    def lambda_(self, depth: int) -> str:
        suspends, self.can_yield = self.can_yield, False
        awaits, self.can_await = self.can_await, False
        before, self.can_assign = self.can_assign, False
        self.own.append("u")
        body = self.expression(depth)
        self.own.pop()
        self.can_yield, self.can_await, self.can_assign = suspends, awaits, before
        return self.choices.pick((f"(lambda u: {body})(1)", f"(lambda u={self.atom()}: {body})()"))

    def subscript(self, depth: int) -> str:
        one = self.expression(depth)
        return self.choices.pick(
            (f"[{one}, 1, 2][a]", f"c[{one}]", "c[0:b]", f"{{0: {one}, 1: 2}}[b]", "c[-1]")
        )

    def object(self, depth: int) -> str:
        one = self.expression(depth)
        return self.choices.pick((
            f"Box({one})", f"Crate({one}).grow()", f"Box({one}).double", f"Box.make({one})", "Crate(a).grow(b)",
            f"getattr(Box({one}), 'value', 1)", f"Box({one}).missing",
        ))  # fmt: skip

    def suspended(self, depth: int) -> str:
        if self.can_await:
            return f"(await later({self.expression(depth)}))"
        if self.can_yield:
            return f"(yield {self.expression(depth)})"
        return self.expression(depth)
