"""Random statements: each method returns the lines of one statement, and may bind names in the scope."""

from __future__ import annotations

from collections.abc import Callable

from tests.random_programs.choices import Choices
from tests.random_programs.containers import Lines, indented
from tests.random_programs.expressions import Expressions
from tests.random_programs.more_statements import MoreStatements
from tests.random_programs.scope import ARRAYS, ITEM, MIXED, NUMBERS, Scope
from tests.random_programs.structures import StructureStatements

ASSIGNED = ("num", "int", "float", "idx", "bool", "fa", "ia")
ERRORS = ("ValueError", "IndexError", "ZeroDivisionError", "KeyError")


class Statements(MoreStatements, StructureStatements):
    """Makes blocks of statements until the budget is spent."""

    def __init__(self, choices: Choices, features: frozenset[str], budget: int) -> None:
        self.choices = choices
        self.features = features
        self.expressions = Expressions(choices, features)
        self.budget = budget
        self.names = 0

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def block(self, scope: Scope, depth: int, most: int = 3) -> Lines:
        lines: Lines = []
        for _ in range(self.choices.integer(1, most)):
            if self.budget <= 0:
                break
            self.budget -= 1
            new = self.statement(scope, depth)
            lines += new
            if new and new[-1].split()[0] in ("break", "continue", "return", "raise"):
                break
        return lines

    def statement(self, scope: Scope, depth: int) -> Lines:
        simple = [self.assign, self.assign, self.augment]
        simple += [maker for feature, maker in self.optional().items() if feature in self.features]
        compound = [self.if_, self.if_]
        tables = [self.compound(), self.more_compound(), self.container_compound(), self.structure_compound()]
        for table in tables:
            compound += [maker for feature, maker in table.items() if feature in self.features]
        makers = simple + (compound if depth > 0 else [])
        if depth > 0 and self.choices.chance(35):
            makers = compound
        maker: Callable[[Scope, int], Lines | None] = self.choices.pick(makers)
        return maker(scope, depth) or self.assign(scope, depth)

    def optional(self) -> dict[str, Callable[[Scope, int], Lines | None]]:
        return {
            "write_item": self.write_item,
            "write_slice": self.write_slice,
            "write_augmented": self.write_augmented,
            "mask": self.write_mask,
            "alias": self.alias,
            "view": self.view,
            "print": self.print_,
            "assert": self.assert_,
            "tuple": self.tuple_,
            "list": self.list_,
            "dict": self.dict_,
            "object": self.object_,
            "global": self.global_,
            "nested": self.nested_call,
            "helper_writes": self.helper_writes,
            "zero_d": self.write_zero_d,
            "unbound": self.read_maybe,
            "lambda": self.lambda_,
            **self.more_simple(),
            **self.container_simple(),
            **self.structure_simple(),
        }

    def compound(self) -> dict[str, Callable[[Scope, int], Lines | None]]:
        return {
            "while": self.while_,
            "for_range": self.for_range,
            "for_array": self.for_array,
            "for_zip": self.for_zip,
            "finally": self.try_finally,
            "except": self.try_except,
            "match": self.match_,
            "with": self.with_,
            "walrus": self.walrus,
            "break": self.break_,
            "continue": self.continue_,
            "early_return": self.return_early,
            "raise": self.raise_,
            "none": self.none,
        }

    # -- simple statements

    def assign(self, scope: Scope, depth: int) -> Lines:
        kind = self.choices.pick(ASSIGNED)
        targets = scope.assignable(kind)
        is_mixed = "mixed" in self.features and kind in MIXED and targets and self.choices.chance(40)
        value = self.expressions.make(self.choices.pick(MIXED[kind]) if is_mixed else kind, scope)
        if targets and (is_mixed or self.choices.chance(70)):
            return [f"{self.choices.pick(targets)} = {value}"]
        name = self.fresh("v")
        scope.add(kind, name)
        scope.maybe.setdefault(kind, []).append(name)
        return [f"{name} = {value}"]

    def augment(self, scope: Scope, depth: int) -> Lines | None:
        kind = self.choices.pick(NUMBERS)
        targets = scope.assignable(kind)
        if not targets:
            return None
        operator = self.choices.pick(["+", "-"] + (["*"] if kind in ("float", "num") else []))
        value = self.expressions.make(self.expressions._partner(kind), scope, 1)
        return [f"{self.choices.pick(targets)} {operator}= {value}"]

    def array(self, scope: Scope) -> tuple[str, str] | None:
        kinds = [kind for kind in ARRAYS if scope.of(kind)]
        if not kinds:
            return None
        kind = self.choices.pick(kinds)
        return kind, self.choices.pick(scope.of(kind))

    def write_item(self, scope: Scope, depth: int) -> Lines | None:
        if (found := self.array(scope)) is None:
            return None
        kind, name = found
        value = self.expressions.make(ITEM[kind], scope)
        operator = self.choices.pick(["=", "=", "+=", "-=", "*="])
        return [f"{name}[{self.expressions.index(scope)}] {operator} {value}"]

    def write_slice(self, scope: Scope, depth: int) -> Lines | None:
        if (found := self.array(scope)) is None:
            return None
        kind, name = found
        value = self.expressions.make(self.choices.pick([ITEM[kind], kind]), scope, 1)
        where = self.choices.pick([":", "::-1", "..."])
        return [f"{name}[{where}] {self.choices.pick(['=', '+='])} {value}"]

    def write_mask(self, scope: Scope, depth: int) -> Lines | None:
        if (found := self.array(scope)) is None:
            return None
        kind, name = found
        limit = self.expressions.make(ITEM[kind], scope, 1)
        return [f"{name}[{name} > {limit}] = {self.expressions.make(ITEM[kind], scope, 1)}"]

    def write_augmented(self, scope: Scope, depth: int) -> Lines | None:
        if (found := self.array(scope)) is None:
            return None
        kind, name = found
        if name in scope.fixed:
            return None
        value = self.expressions.make(self.choices.pick([ITEM[kind], kind]), scope, 1)
        return [f"{name} {self.choices.pick(['+=', '-=', '*='])} {value}"]

    def write_zero_d(self, scope: Scope, depth: int) -> Lines | None:
        names = scope.of("zero_d")
        if not names:
            return None
        value = self.expressions.make("num", scope, 1)
        return [f"{self.choices.pick(names)}{self.choices.pick(['[()] =', ' +='])} {value}"]

    def alias(self, scope: Scope, depth: int) -> Lines | None:
        if (found := self.array(scope)) is None:
            return None
        name = self.fresh("same")
        scope.add(found[0], name)
        return [f"{name} = {found[1]}"]

    def view(self, scope: Scope, depth: int) -> Lines | None:
        if (found := self.array(scope)) is None:
            return None
        name = self.fresh("view")
        scope.add(found[0], name)
        return [f"{name} = {found[1]}[{self.choices.pick(['::-1', ':'])}]"]

    def print_(self, scope: Scope, depth: int) -> Lines:
        values = [self.expressions.make(self.choices.pick(ASSIGNED), scope, 1) for _ in range(2)]
        if "fstring" in self.features and self.choices.chance(50):
            number = self.expressions.make("num", scope, 1)
            return [f'print(f"{{{values[0]}}} and {{{number}:.3f}}")']
        return [f"print({self.choices.pick(ERRORS)!r}, {values[0]}, {values[1]})"]

    def assert_(self, scope: Scope, depth: int) -> Lines:
        test = self.expressions.test(scope)
        message = self.expressions.make(self.choices.pick(NUMBERS), scope, 0)
        if "fstring" in self.features:
            return [f'assert {test}, f"because of {{{message}}}"']
        return [f"assert {test}, 'no'"]

    def tuple_(self, scope: Scope, depth: int) -> Lines | None:
        kind, other = self.choices.pick(NUMBERS), self.choices.pick(NUMBERS)
        a, b = scope.assignable(kind), scope.assignable(other)
        if not a or not b:
            return None
        first, second = self.choices.pick(a), self.choices.pick(b)
        if first == second:
            return None
        values = self.expressions.make(kind, scope, 1), self.expressions.make(other, scope, 1)
        return [f"{first}, {second} = {values[0]}, {values[1]}"]

    def list_(self, scope: Scope, depth: int) -> Lines | None:
        names = scope.of("list")
        if not names:
            return None
        name, value = self.choices.pick(names), self.expressions.make("num", scope, 1)
        options = [[f"{name}.append({value})"], [f"if {name}:", f"    {name}.pop()"]]
        options += [[f"if len({name}) > 0:", f"    {name}[-1] = {value}"]]
        return self.choices.pick(options)

    def dict_(self, scope: Scope, depth: int) -> Lines:
        key = self.choices.pick([("'i'", "int"), ("'n'", "num")])
        operator = self.choices.pick(["=", "+="])
        return [f"table[{key[0]}] {operator} {self.expressions.make(key[1], scope, 1)}"]

    def object_(self, scope: Scope, depth: int) -> Lines:
        value = self.expressions.make("num", scope, 1)
        box = self.choices.pick(["box", "BOX"])
        return [self.choices.pick([f"{box}.add({value})", f"{box}.total = {value}", f"{box}.count += 1"])]

    def global_(self, scope: Scope, depth: int) -> Lines:
        value = self.expressions.make("num", scope, 1)
        return [self.choices.pick([f"counted = counted + {value}", f"note({value})"])]

    def nested_call(self, scope: Scope, depth: int) -> Lines:
        return [f"bump({self.expressions.make('num', scope, 1)})"]

    def helper_writes(self, scope: Scope, depth: int) -> Lines | None:
        names = scope.of("fa")
        if not names:
            return None
        return [f"fill({self.choices.pick(names)}, {self.expressions.make('num', scope, 1)})"]

    def lambda_(self, scope: Scope, depth: int) -> Lines | None:
        targets = scope.assignable("num")
        if not targets:
            return None
        name = self.fresh("fn")
        body = self.expressions.make("num", scope, 1)
        target = self.choices.pick(targets)
        return [f"{name} = lambda p: p + {body}", f"{target} = {name}({target})"]

    def read_maybe(self, scope: Scope, depth: int) -> Lines | None:
        kinds = [kind for kind in NUMBERS if scope.maybe.get(kind) and scope.assignable(kind)]
        if not kinds:
            return None
        kind = self.choices.pick(kinds)
        return [f"{self.choices.pick(scope.assignable(kind))} = {self.choices.pick(scope.maybe[kind])}"]

    # -- statements with blocks

    def if_(self, scope: Scope, depth: int) -> Lines:
        lines = [f"if {self.expressions.test(scope)}:"]
        lines += indented(self.block(scope.inner(), depth - 1))
        if self.choices.chance(20):
            lines += [f"elif {self.expressions.test(scope)}:"]
            lines += indented(self.block(scope.inner(), depth - 1))
        if self.choices.chance(60):
            lines += ["else:", *indented(self.block(scope.inner(), depth - 1))]
        return lines

    def loop_else(self, scope: Scope, depth: int) -> Lines:
        if "else" not in self.features or not self.choices.chance(40):
            return []
        return ["else:", *indented(self.block(scope.inner(), depth - 1, 2))]

    def loop_scope(self, scope: Scope) -> Scope | None:
        if scope.loops >= 2:
            return None
        return scope.inner(in_loop=True, in_finally=False, loops=scope.loops + 1)

    def while_(self, scope: Scope, depth: int) -> Lines | None:
        if (inner := self.loop_scope(scope)) is None:
            return None
        count = self.fresh("i")
        inner.add("int", count)
        inner.fixed.add(count)
        bound = self.choices.pick(["3", "5", f"{self.expressions.make('int', scope, 0)} % 4"])
        test = f"{count} < {bound}"
        if self.choices.chance(60):
            test = f"{test} and {self.expressions.test(scope)}"
        elif "break" in self.features and self.choices.chance(40):
            body = [f"if {count} >= 3:", "    break", f"{count} += 1", *self.block(inner, depth - 1)]
            return [f"{count} = 0", "while True:", *indented(body)]
        body = [f"{count} += 1", *self.block(inner, depth - 1)]
        return [f"{count} = 0", f"while {test}:", *indented(body), *self.loop_else(scope, depth)]

    def for_range(self, scope: Scope, depth: int) -> Lines | None:
        if (inner := self.loop_scope(scope)) is None:
            return None
        i = self.fresh("i")
        inner.add("int", i)
        ranges = ["range(3)", f"range({self.expressions.make('int', scope, 1)} % 5)"]
        ranges += [
            f"range(3, -1, {self.choices.pick(['-1', '-2'])})",
            f"range(1, int({self.idx(scope)}) % 6)",
        ]
        head = f"for {i} in {self.choices.pick(ranges)}:"
        body = indented(self.block(inner, depth - 1))
        return [head, *body, *self.loop_else(scope, depth)]

    def idx(self, scope: Scope) -> str:
        return self.expressions.make("idx", scope, 0)

    def for_array(self, scope: Scope, depth: int) -> Lines | None:
        if (inner := self.loop_scope(scope)) is None:
            return None
        kind = self.choices.pick(ARRAYS)
        v = self.fresh("x")
        inner.add(ITEM[kind], v)
        array = self.expressions.make(kind, scope, 1)
        head = f"for {v} in {array}:"
        if self.choices.chance(30):
            i = self.fresh("i")
            inner.add("int", i)
            head = f"for {i}, {v} in enumerate({array}):"
        return [head, *indented(self.block(inner, depth - 1)), *self.loop_else(scope, depth)]

    def for_zip(self, scope: Scope, depth: int) -> Lines | None:
        if (inner := self.loop_scope(scope)) is None:
            return None
        u, v = self.fresh("x"), self.fresh("x")
        inner.add("num", u)
        inner.add("idx", v)
        arrays = self.expressions.make("fa", scope, 1), self.expressions.make("ia", scope, 1)
        head = f"for {u}, {v} in zip({arrays[0]}, {arrays[1]}):"
        return [head, *indented(self.block(inner, depth - 1)), *self.loop_else(scope, depth)]

    def try_finally(self, scope: Scope, depth: int) -> Lines:
        body = indented(self.block(scope.inner(), depth - 1))
        last = indented(self.block(scope.inner(in_finally=True), 0, 2))
        return ["try:", *body, "finally:", *last]

    def try_except(self, scope: Scope, depth: int) -> Lines:
        body = indented(self.block(scope.inner(), depth - 1))
        caught = self.choices.pick([*ERRORS, "(ValueError, AssertionError)"])
        lines = ["try:", *body, f"except {caught}:", *indented(self.block(scope.inner(), 0, 2))]
        if self.choices.chance(25):
            lines += ["else:", *indented(self.block(scope.inner(), 0, 1))]
        return lines

    def match_(self, scope: Scope, depth: int) -> Lines:
        subject = self.expressions.make("int", scope, 1)
        got = self.fresh("m")
        cases = ["0", "1 | 2", f"{got} if {got} > {self.expressions.make('int', scope, 0)}", "_"]
        lines = [f"match {subject}:"]
        for case in cases[self.choices.integer(0, 2) :]:
            lines += indented([f"case {case}:", *indented(self.block(scope.inner(), depth - 1, 1))])
        return lines

    def with_(self, scope: Scope, depth: int) -> Lines:
        return ["with Log():", *indented(self.block(scope.inner(), depth - 1))]

    def walrus(self, scope: Scope, depth: int) -> Lines:
        name = self.fresh("w")
        value = self.expressions.make("num", scope, 1)
        inner = scope.inner()
        inner.add("num", name)
        lines = [f"if ({name} := {value}) > {self.expressions.make('float', scope, 0)}:"]
        lines += indented(self.block(inner, depth - 1))
        scope.add("num", name)
        return lines

    def none(self, scope: Scope, depth: int) -> Lines:
        name = self.fresh("none")
        value = self.expressions.make("num", scope, 1)
        inner = scope.inner()
        inner.add("num", name)
        lines = [f"{name} = None", f"if {self.expressions.test(scope)}:", f"    {name} = {value}"]
        return [*lines, f"if {name} is not None:", *indented(self.block(inner, depth - 1, 2))]

    # -- leaving

    def guarded(self, scope: Scope, lines: Lines) -> Lines:
        """Under a condition mostly, so that what follows is reached."""
        if self.choices.chance(80):
            return [f"if {self.expressions.test(scope)}:", *indented(lines)]
        return lines

    def break_(self, scope: Scope, depth: int) -> Lines | None:
        return self.guarded(scope, ["break"]) if scope.in_loop and not scope.in_finally else None

    def continue_(self, scope: Scope, depth: int) -> Lines | None:
        return self.guarded(scope, ["continue"]) if scope.in_loop and not scope.in_finally else None

    def return_early(self, scope: Scope, depth: int) -> Lines | None:
        return None if scope.in_finally else self.guarded(scope, self.return_(scope))

    def return_(self, scope: Scope) -> Lines:
        values = [self.expressions.make(kind, scope, 1) for kind in scope.returns]
        values += scope.also_returned
        return [f"return {', '.join(values)}"]

    def raise_(self, scope: Scope, depth: int) -> Lines:
        error = self.choices.pick(ERRORS)
        message = self.expressions.make(self.choices.pick(NUMBERS), scope, 0)
        text = f'f"found {{{message}}}"' if "fstring" in self.features else "'found'"
        return self.guarded(scope, [f"raise {error}({text})"])
