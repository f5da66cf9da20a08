"""Random statements about objects, strings, optional values, small numbers, slices and exceptions."""

from __future__ import annotations

from collections.abc import Callable

from tests.random_programs.parts import Lines, StatementParts
from tests.random_programs.scope import NUMBERS, Scope


class MoreStatements(StatementParts):
    """What `Statements` makes besides."""

    def more_simple(self) -> dict[str, Callable[[Scope, int], Lines | None]]:
        return {
            "vec": lambda scope, depth: self.bind("vec", scope),
            "pt": self.point,
            "string": self.string,
            "optional": self.optional_value,
            "small": self.small,
            "slices": self.slices,
            "del": self.delete,
            "star": self.star,
            "noisy": self.defaults,
        }

    def more_compound(self) -> dict[str, Callable[[Scope, int], Lines | None]]:
        return {"optional": self.if_there, "except": self.except_as}

    def bind(self, kind: str, scope: Scope) -> Lines:
        """Assign a variable of the kind, a new one now and then."""
        value = self.expressions.make(kind, scope)
        targets = scope.assignable(kind)
        if targets and self.choices.chance(75):
            return [f"{self.choices.pick(targets)} = {value}"]
        name = self.fresh(kind)
        scope.add(kind, name)
        return [f"{name} = {value}"]

    def point(self, scope: Scope, depth: int) -> Lines:
        names = scope.of("pt")
        if not names or self.choices.chance(40):
            return self.bind("pt", scope)
        name, number = self.choices.pick(names), self.expressions.make("num", scope, 1)
        change = [f"{name}.x = {number}", f"{name}.y += {number}", f"{name}.move({number})", "Pt.made += 1"]
        return [self.choices.pick(change)]

    def string(self, scope: Scope, depth: int) -> Lines:
        if scope.of("str") and self.choices.chance(30):
            return [f"print({self.choices.pick(scope.of('str'))}, {self.expressions.make('num', scope, 1)})"]
        return self.bind("str", scope)

    def optional_value(self, scope: Scope, depth: int) -> Lines:
        value = self.choices.pick(["None", self.expressions.make("num", scope, 1)])
        names = scope.of("opt")
        name = self.choices.pick(names) if names else self.fresh("opt")
        scope.add("opt", name)
        return [f"{name} = {value}"]

    def if_there(self, scope: Scope, depth: int) -> Lines | None:
        names, targets = scope.of("opt"), scope.assignable("num")
        if not names or not targets:
            return None
        name = self.choices.pick(names)
        inner = scope.inner()
        block = [f"{self.choices.pick(targets)} = {name} + 1", *self.block(inner, depth - 1, 2)]
        test = self.choices.pick([f"{name} is not None", f"{name} is not None and {name} > 0"])
        return [f"if {test}:", *["    " + line for line in block]]

    def small(self, scope: Scope, depth: int) -> Lines:
        kind = self.choices.pick(["f32", "i8", "ga", "ba"])
        arrays = scope.of(kind)
        if kind in ("ga", "ba") and arrays and self.choices.chance(60):
            item = self.expressions.make({"ga": "f32", "ba": "i8"}[kind], scope, 1)
            where = self.choices.pick([self.expressions.index(scope), ":", "1:", "::-1"])
            return [f"{self.choices.pick(arrays)}[{where}] {self.choices.pick(['=', '+=', '*='])} {item}"]
        return self.bind(kind, scope)

    def slices(self, scope: Scope, depth: int) -> Lines | None:
        names = scope.of("fa")
        if not names:
            return None
        a, b = self.choices.pick(names), self.choices.pick(names)
        i = self.choices.pick([f"{n} % 4" for n in scope.of("int")] or ["1"])
        changes = [f"{a}[1:] += {b}[:-1]", f"{a}[:-1] = {b}[1:]", f"{a}[::2] *= {b}[1::2]"]
        changes += [f"{a}[{i}:] = {b}[{i}:]", f"{a}[:{i}] -= {self.expressions.make('num', scope, 1)}"]
        return [self.choices.pick([*changes, f"{a}[-{i} - 1:] = 0.5", f"{a}[[0, -1]] += {b}[[1, 2]]"])]

    def delete(self, scope: Scope, depth: int) -> Lines | None:
        name = self.fresh("gone")
        kind = self.choices.pick(NUMBERS)
        value = self.expressions.make(kind, scope, 1)
        targets = scope.assignable(kind)
        use = [f"{self.choices.pick(targets)} = {name}"] if targets else []
        return [f"{name} = {value}", *use, f"del {name}"]

    def star(self, scope: Scope, depth: int) -> Lines | None:
        names, targets = scope.of("fa"), scope.assignable("num")
        if not names or not targets:
            return None
        rest = self.fresh("rest")
        first = self.choices.pick(targets)
        return [f"{first}, *{rest} = {self.choices.pick(names)}", f"print(len({rest}), {rest}[-1])"]

    def defaults(self, scope: Scope, depth: int) -> Lines | None:
        targets = scope.assignable("num")
        if not targets:
            return None
        name = self.fresh("fn")
        default, value = self.expressions.make("num", scope, 1), self.expressions.make("num", scope, 1)
        lines = [
            f"def {name}(p, q={default}, *, r=2):",
            "    if p > q:",
            "        return p - r",
            "    return q + r",
        ]
        call = self.choices.pick(
            [f"{name}({value})", f"{name}({value}, {value})", f"{name}(q={value}, p={value})"]
        )
        return [*lines, f"{self.choices.pick(targets)} = {call}"]

    def except_as(self, scope: Scope, depth: int) -> Lines:
        body = ["    " + line for line in self.block(scope.inner(), depth - 1)]
        error = self.choices.pick(["ValueError", "IndexError", "ZeroDivisionError"])
        number = self.expressions.make("num", scope, 1)
        test = self.expressions.test(scope)
        raised = [f"    if {test}:", f"        raise {error}('made', {number})"]
        handler = [
            "    print(type(e).__name__, e.args)",
            *["    " + line for line in self.block(scope.inner(), 0, 2)],
        ]
        return ["try:", *body, *raised, f"except ({error}, KeyError) as e:", *handler]
