# ruff: noqa: E501  tables of program text are not wrapped
"""Random statements, as lists of lines."""

from __future__ import annotations

from tests.python_programs.expressions import Expressions
from tests.random_programs.choices import Choices

Lines = list[str]
MAX_DEPTH = 3
EXCEPTIONS = (
    "ValueError",
    "TypeError",
    "KeyError",
    "(KeyError, ValueError)",
    "Exception",
    "ZeroDivisionError",
    "NameError",
)


def indented(lines: Lines) -> Lines:
    """The lines as a block."""
    return ["    " + line for line in lines or ["pass"]]


class Statements:
    """The statements of one function."""

    def __init__(self, choices: Choices, expressions: Expressions) -> None:
        self.choices = choices
        self.expressions = expressions
        kind = choices.integer(0, 9)
        self.is_async = kind == 9
        self.name = "g" if self.is_async else "f"
        self.loops = 0
        self.can_return = True
        self.in_finally = 0
        expressions.can_yield = kind in (7, 8)
        expressions.can_await = self.is_async
        self.globals: list[str] = []
        self.numbers = 0

    def declare_global(self) -> None:
        self.globals.append("total")

    def declarations(self) -> Lines:
        return [f"global {name}" for name in self.globals]

    def ending(self) -> Lines:
        return [self.choices.pick(("return a, b, x", "return x, y, z", "say(y)", "return [x, total]"))]

    # Blocks

    def block(self, depth: int) -> Lines:
        lines: Lines = []
        for _ in range(self.choices.pick((1, 1, 2, 2, 3))):
            lines += self.statement(depth + 1)
        return lines

    def statement(self, depth: int) -> Lines:
        simple = (
            self.assign, self.assign, self.assign, self.augment, self.expression, self.expression, self.unpack,
            self.annotate, self.delete, self.jump, self.jump, self.raise_, self.assert_, self.store,
            self.import_, self.yield_, self.call_local,
        )  # fmt: skip
        compound = (
            self.if_, self.if_, self.if_, self.while_, self.for_, self.for_, self.try_, self.try_, self.with_,
            self.match, self.function, self.class_, self.async_, self.except_star,
        )  # fmt: skip
        if depth >= MAX_DEPTH or self.choices.chance(50):
            return self.choices.pick(simple)()
        return self.choices.pick(compound)(depth)

    def value(self, depth: int = 2) -> str:
        return self.expressions.expression(depth)

    def target(self) -> str:
        return self.choices.pick(("x", "y", "z", "x", "a", "b", *self.globals))

    # Simple statements

    def assign(self) -> Lines:
        if self.choices.chance(10):
            return [f"{self.target()} = {self.target()} = {self.value()}"]
        return [f"{self.target()} = {self.value()}"]

    def augment(self) -> Lines:
        return [f"{self.target()} {self.choices.pick(('+', '-', '*', '|'))}= {self.value()}"]

    def expression(self) -> Lines:
        return [f"say({self.value()})" if self.choices.chance(60) else self.value()]

    def unpack(self) -> Lines:
        target = self.choices.pick(("x, y", "x, *y", "(x, y), z", "*x, y", "[x, [y, *z]]", "x, c[0]"))
        return [f"{target} = {self.value()}"]

    def annotate(self) -> Lines:
        name = self.choices.pick(("x", "y", "z"))
        if name in self.globals:
            return ["pass"]
        return [
            self.choices.pick((
                f"{name}: int = {self.value()}", "(z): str", f"Box.kind: say('skipped') = {self.value(1)}",
                f"({name}): 'no' = {self.value(1)}",
            ))
        ]  # fmt: skip

    def delete(self) -> Lines:
        return [f"del {self.choices.pick(('x', 'y', 'z', 'c[0]', 'x, y', 'Box.missing'))}"]

    def jump(self) -> Lines:
        if self.loops and self.choices.chance(50):
            return [self.choices.pick(("break", "continue"))]
        if self.choices.chance(70):
            return [f"return {self.value()}"]
        return ["return"]

    def raise_(self) -> Lines:
        return [
            self.choices.pick((
                f"raise ValueError({self.value(1)})", "raise KeyError('k') from None", "raise", "fail()",
                f"raise TypeError from IndexError({self.value(1)})", "raise Limit", "1 // 0", "fail(KeyError)",
            ))
        ]  # fmt: skip

    def assert_(self) -> Lines:
        return [
            f"assert {self.value()}, {self.value(1)}" if self.choices.chance(50) else f"assert {self.value()}"
        ]

    def store(self) -> Lines:
        return [
            self.choices.pick((
                f"c[{self.value(1)}] = {self.value()}", f"c[0] += say({self.value(1)})", f"Box.kind = {self.value(1)}",
                "c.append(a)", f"c[a:b] = {self.value(1)}", f"x = c[0] = {self.value(1)}", "c[a], c[b] = c[b], c[a]",
                f"Box.shared = getattr(Box, 'shared', 0); Box.shared += {self.value(1)}", "c[0] |= say(1)",
            ))
        ]  # fmt: skip

    def import_(self) -> Lines:
        return [
            self.choices.pick(
                ("import math as x", "from math import floor as y", "import os.path", "import nowhere_at_all")
            )
        ]

    def yield_(self) -> Lines:
        if self.expressions.can_yield:
            return [
                self.choices.pick(
                    (
                        f"yield {self.value(1)}",
                        f"x = yield {self.value(1)}",
                        f"y = yield from {self.expressions.iterable(0)}",
                    )
                )
            ]
        if self.is_async:
            return [f"x = await later({self.value(1)})"]
        return self.expression()

    def call_local(self) -> Lines:
        return [f"x = local{self.numbers}({self.value(1)})"] if self.numbers else self.expression()

    # Compound statements

    def if_(self, depth: int) -> Lines:
        lines = [f"if {self.value()}:", *indented(self.block(depth))]
        for _ in range(self.choices.pick((0, 0, 0, 1, 2))):
            lines += [f"elif {self.value()}:", *indented(self.block(depth))]
        if self.choices.chance(50):
            lines += ["else:", *indented(self.block(depth))]
        return lines

    def loop(self, header: str, depth: int) -> Lines:
        self.loops += 1
        body = ["say('turn')", *self.block(depth)]
        self.loops -= 1
        lines = [header, *indented(body)]
        if self.choices.chance(25):
            lines += ["else:", *indented(self.block(depth))]
        return lines

    def while_(self, depth: int) -> Lines:
        return self.loop(
            self.choices.pick((f"while {self.value()}:", "while True:", "while (x := say(a)) and y:")), depth
        )

    def for_(self, depth: int) -> Lines:
        target = self.choices.pick(("x", "y", "v", "x, y", "(x, *y)", "c[0]", "Box.kind"))
        return self.loop(f"for {target} in {self.expressions.iterable(1)}:", depth)

    def try_(self, depth: int) -> Lines:
        lines = ["try:", *indented(self.block(depth))]
        handlers = self.choices.pick((0, 1, 1, 2))
        for _ in range(handlers):
            name = self.choices.pick(("", "", " as x", " as error"))
            lines += [f"except {self.choices.pick(EXCEPTIONS)}{name}:", *indented(self.block(depth))]
        if handlers and self.choices.chance(20):
            lines += ["except:", *indented([*self.block(depth), *self.choices.pick(([], ["raise"]))])]
        if handlers and self.choices.chance(30):
            lines += ["else:", *indented(self.block(depth))]
        if not handlers or self.choices.chance(40):
            lines += ["finally:", *indented(self.block(depth))]
        return lines

    def except_star(self, depth: int) -> Lines:
        body = self.block(depth)
        loops, self.loops = self.loops, 0
        handler = [
            line for line in self.block(MAX_DEPTH) if not line.startswith(("return", "break", "continue"))
        ]
        self.loops = loops
        return [
            "try:",
            *indented(body),
            f"except* {self.choices.pick(('ValueError', 'KeyError'))} as x:",
            *indented(handler),
        ]

    def with_(self, depth: int) -> Lines:
        swallows = self.choices.pick(("", "", ", True"))
        header = self.choices.pick((
            f"with Manager('m'{swallows}):", f"with Manager('m'{swallows}) as x, Manager('n') as y:",
            f"with contextlib.suppress({self.choices.pick(EXCEPTIONS)}):", f"with Manager({self.value(1)}) as (x, *y):",
        ))  # fmt: skip
        return [header, *indented(self.block(depth))]

    def match(self, depth: int) -> Lines:
        lines = [f"match {self.value()}:"]
        patterns = (
            "0", "1 | 2", "None", "'s' as x", "[x, y]", "[x, *_]", "(1, y)", "{'k': x}", "{'k': 1, **y}", "str()",
            "int(x)", "Box(x)", "Box(value=0, other=y)", "Crate() as x", "[Box(x), *y]", "True", "-1", "3.5",
            "Truth(value=x)",
        )  # fmt: skip
        for _ in range(self.choices.integer(1, 3)):
            guard = f" if {self.value(1)}" if self.choices.chance(30) else ""
            lines += indented([f"case {self.choices.pick(patterns)}{guard}:", *indented(self.block(depth))])
        if self.choices.chance(40):
            lines += indented([f"case {self.choices.pick(('_', 'x'))}:", *indented(self.block(depth))])
        return lines

    def function(self, depth: int) -> Lines:
        """A function of its own, which may rebind variables of the one around."""
        self.numbers += 1
        name = f"local{self.numbers}"
        outer = (
            self.loops,
            self.expressions.can_yield,
            self.expressions.can_await,
            self.is_async,
            self.globals,
        )
        own, numbers = self.expressions.own, self.numbers
        self.loops, self.expressions.can_await, self.is_async = 0, False, False
        self.expressions.can_yield = self.choices.chance(20)
        self.expressions.own = ["p"]
        self.globals = []
        body = self.block(depth)
        declared: Lines = []
        if self.choices.chance(40):
            declared = ["nonlocal " + self.choices.pick(("a", "b", "a, b"))]
        self.loops, self.expressions.can_yield, self.expressions.can_await, self.is_async, self.globals = (
            outer
        )
        self.expressions.own, self.numbers = own, numbers
        decorators = self.choices.pick(([], [], [], ["@twice"], ["@functools.lru_cache"], ["@say"]))
        default = f"={self.value(1)}" if self.choices.chance(30) else ""
        used = self.choices.pick(
            (f"x = {name}({self.value(1)})", f"say(list({name}(1)))", f"y = {name}", "pass")
        )
        return [*decorators, f"def {name}(p{default}):", *indented(declared + body), used]

    def class_(self, depth: int) -> Lines:
        outer = (
            self.loops,
            self.expressions.can_yield,
            self.expressions.can_await,
            self.is_async,
            self.globals,
        )
        self.loops, self.expressions.can_await, self.expressions.can_yield, self.is_async = (
            0,
            False,
            False,
            False,
        )
        self.expressions.can_assign, before = False, self.expressions.can_assign
        self.globals = []
        body = self.block(depth)
        field = self.value(1)
        self.expressions.can_assign = before
        self.loops, self.expressions.can_yield, self.expressions.can_await, self.is_async, self.globals = (
            outer
        )
        return [
            f"class Local({self.choices.pick(('Box', 'Crate', 'object'))}):",
            *indented(
                [
                    f"field = {field}",
                    "__private = 1",
                    "def grow(self, by=field):",
                    *indented(
                        [
                            *[line.replace("z", "self.__private") for line in body],
                            "return super().grow(__class__ and by)",
                        ]
                    ),
                ]
            ),
            self.choices.pick(
                ("x = Local().grow()", "y = Local", f"say(Local({self.value(1)}))", "x = Local().grow(0)")
            ),
        ]

    def async_(self, depth: int) -> Lines:
        if not self.is_async:
            return self.if_(depth)
        return self.choices.pick((
            [f"x = await later({self.value(1)})"],
            [f"y = [await later(v) for v in {self.expressions.iterable(0)}]"],
            [f"if await later({self.value(1)}):", *indented(self.block(depth))],
        ))  # fmt: skip
