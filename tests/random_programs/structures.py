"""Random statements about iterators, generators, closures, properties, linked objects, `with` and `match`."""

from __future__ import annotations

from collections.abc import Callable

from tests.random_programs.containers import ContainerStatements, indented
from tests.random_programs.parts import Lines
from tests.random_programs.scope import Scope


class StructureStatements(ContainerStatements):
    """What `Statements` makes of these features."""

    def structure_simple(self) -> dict[str, Callable[[Scope, int], Lines | None]]:
        return {
            "closure": self.closure,
            "property": self.gauge,
            "linked": self.linked,
            "iterator": self.iterator,
            "generator": self.drawn,
            "fold": self.fold,
            "own_error": self.kept_errors,
        }

    def structure_compound(self) -> dict[str, Callable[[Scope, int], Lines | None]]:
        return {
            "generator": self.for_generator,
            "iterator": self.for_iterator,
            "manager": self.with_manager,
            "own_error": self.own_error,
            "pattern": self.pattern,
            "linked": self.walk,
        }

    # -- functions and objects that keep something

    def closure(self, scope: Scope, depth: int) -> Lines | None:
        if (add := self.one_of(scope, "counter")) is None:
            return None
        if self.choices.chance(25):
            name = self.fresh("count")
            scope.add("counter", name)
            return [f"{name} = {self.choices.pick([f'counter({self.number(scope)})', add])}"]
        return self.assigned(scope, f"{add}({self.number(scope)})")

    def gauge(self, scope: Scope, depth: int) -> Lines | None:
        if (gauge := self.one_of(scope, "gauge")) is None:
            return None
        number = self.number(scope)
        options = [[f"{gauge}.level = {number}"], [f"{gauge}.level -= {number}"], [f"{gauge}({number})"]]
        options += [
            self.assigned(scope, f"{gauge}.level"),
            self.assigned(scope, f"{gauge}[{self.position(scope)}]"),
        ]
        options += [[f"if not {gauge}:", f"    {gauge}._level = {number}"], [f"{gauge} = Gauge({number})"]]
        return self.choices.pick(options)

    def linked(self, scope: Scope, depth: int) -> Lines | None:
        if (head := self.one_of(scope, "linked")) is None:
            return None
        there = [f"{head}.v = {head}.v + {self.number(scope)}", f"{head} = {head}.after"]
        options = [[f"{head} = Node({self.number(scope)}, {head})"]]
        options += [[f"if {head} is not None:", f"    {one}"] for one in there]
        return self.choices.pick(options)

    def walk(self, scope: Scope, depth: int) -> Lines | None:
        head = self.one_of(scope, "linked")
        if head is None or (inner := self.loop_scope(scope)) is None:
            return None
        node, x = self.fresh("node"), self.fresh("x")
        inner.add("num", x)
        body = [f"{x} = {node}.v", f"{node} = {node}.after", *self.block(inner, depth - 1, 2)]
        return [f"{node} = {head}", f"while {node} is not None:", *indented(body)]

    # -- iterators and generators

    def made_generator(self, scope: Scope) -> str:
        array, number = self.expressions.make("fa", scope, 1), self.number(scope)
        options = [
            f"falling({number}, {self.expressions.make('int', scope, 0)})",
            f"until({array}, {number})",
        ]
        return self.choices.pick([*options, f"(v + 1 for v in {array} if v > {number})"])

    def drawn(self, scope: Scope, depth: int) -> Lines:
        generator, number = self.made_generator(scope), self.number(scope)
        values = [
            f"sum({generator}, {number})",
            f"next({generator}, {number})",
            f"max({generator}, default={number})",
        ]
        return self.assigned(scope, self.choices.pick(values))

    def for_generator(self, scope: Scope, depth: int) -> Lines | None:
        if (inner := self.loop_scope(scope)) is None:
            return None
        x = self.fresh("x")
        inner.add("num", x)
        head = f"for {x} in {self.made_generator(scope)}:"
        if self.choices.chance(30):
            i = self.fresh("i")
            inner.add("int", i)
            head = f"for {i}, {x} in enumerate({self.made_generator(scope)}, 1):"
        return [head, *indented(self.block(inner, depth - 1, 2))]

    def iterator(self, scope: Scope, depth: int) -> Lines:
        it = self.one_of(scope, "iterator")
        if it is None or self.choices.chance(20):
            it = self.fresh("it")
            scope.add("iterator", it)
            array = self.expressions.make("fa", scope, 1)
            made = self.choices.pick([f"iter({array})", f"reversed({array})", f"iter(list({array}))"])
            return [f"{it} = {made}"]
        drawn = self.assigned(scope, f"next({it})")
        tried = ["try:", *indented(drawn), "except StopIteration:", "    print('over')"]
        return self.choices.pick([self.assigned(scope, f"next({it}, {self.number(scope)})"), tried])

    def for_iterator(self, scope: Scope, depth: int) -> Lines | None:
        it = self.one_of(scope, "iterator")
        if it is None or (inner := self.loop_scope(scope)) is None:
            return None
        x = self.fresh("x")
        inner.add("num", x)
        return [f"for {x} in {it}:", *indented(self.block(inner, depth - 1, 2))]

    def fold(self, scope: Scope, depth: int) -> Lines:
        array, number = self.expressions.make("fa", scope, 1), self.number(scope)
        values = [
            f"functools.reduce(lambda p, q: p * q + 1, {array}, {number})",
            f"max({array}, key=lambda p: abs(p - {number}))",
            f"sorted({array}, reverse=True)[{self.position(scope)}]",
            f"list(itertools.accumulate({array}))[-1]",
            f"sum(map(lambda p, q: p - q, {array}, {array}[::-1]), {number})",
            f"np.float64(len([p for p in {array} if p > {number}]))",
            f"({number} if any(p > {number} for p in {array}) else np.float64(-1.0))",
            f"dict(zip(range(4), {array}))[{self.position(scope)}]",
        ]
        return self.assigned(scope, self.choices.pick(values))

    # -- with, exceptions, match

    def with_manager(self, scope: Scope, depth: int) -> Lines:
        error = self.choices.pick(["IndexError", "ValueError", "KeyError"])
        raised = [f"if {self.expressions.test(scope)}:", f"    raise {error}('left')"]
        if self.choices.chance(50):
            caught = self.choices.pick(["ValueError", "KeyError, IndexError"])
            body = [*self.block(scope.inner(), depth - 1, 2), *raised]
            return [f"with contextlib.suppress({caught}):", *indented(body)]
        held = self.fresh("held")
        inner = scope.inner()
        inner.add("num", held)
        head = f"with watched({self.number(scope)}) as {held}:"
        return [head, *indented([*self.block(inner, depth - 1, 2), *raised])]

    def kept_errors(self, scope: Scope, depth: int) -> Lines | None:
        if (faults := self.one_of(scope, "faults")) is None:
            return None
        code, number = self.expressions.make("int", scope, 0), self.number(scope)
        raised = [f"if {faults}:", f"    raise {faults}[{self.choices.pick(['0', '-1'])}]"]
        options = [
            [f"{faults}.append(Fault({code}, {number}))"],
            [f"{faults}.append(IndexError('kept', {code}))"],
            [f"print([(str(e), type(e).__name__, isinstance(e, Fault)) for e in {faults}])"],
            [f"for e in {faults}:", "    if isinstance(e, Fault):", f"        e.v += {number}"],
            ["try:", *indented(raised), "except Fault as e:", *indented(self.assigned(scope.inner(), "e.v"))],
            self.assigned(scope, f"max([e.v for e in {faults} if type(e) is Fault], default={number})"),
            [f"del {faults}[1:]"],
        ]
        return self.choices.pick(options)

    def own_error(self, scope: Scope, depth: int) -> Lines:
        code, number = self.expressions.make("int", scope, 0), self.number(scope)
        fault = self.choices.pick(
            [f"Fault({code}, {number})", f"Fault({code}, {number}) from KeyError('why')"]
        )
        body = [
            *self.block(scope.inner(), depth - 1, 2),
            f"if {self.expressions.test(scope)}:",
            f"    raise {fault}",
        ]
        inner = scope.inner()
        handler = ["print(e.code, e, type(e.__cause__).__name__)", *self.assigned(inner, "e.v")]
        faults = self.one_of(scope, "faults")
        if faults is not None and self.choices.chance(40):
            handler.append(f"{faults}.append(e)")
        if self.choices.chance(30):
            handler += [f"if e.v > {self.number(scope)}:", "    raise"]
        lines = ["try:", *indented(body), "except Fault as e:", *indented(handler)]
        if self.choices.chance(30):
            lines += ["except (ValueError, IndexError) as e:", "    print('other', type(e).__name__)"]
        return lines

    def pattern(self, scope: Scope, depth: int) -> Lines:
        k, x = self.fresh("k"), self.fresh("x")
        inner = scope.inner()
        inner.add("int", k)
        inner.add("num", x)
        only = scope.inner()
        only.add("num", x)
        cases = [
            (f"(0, {x})", only),
            (f"(1 | 2, {x}) if {x} > {self.number(scope)}", only),
            (f"({k}, {x}) if {k} > 3", inner),
            ("_", scope.inner()),
        ]
        lines = [f"match ({self.expressions.make('int', scope, 1)}, {self.number(scope)}):"]
        for case, block in cases[self.choices.integer(0, 2) :]:
            lines += indented([f"case {case}:", *indented(self.block(block, depth - 1, 1))])
        return lines
