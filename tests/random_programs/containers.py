"""Random statements about lists, dicts, sets, deques and strings that grow, and loops over copies of them."""

from __future__ import annotations

from collections.abc import Callable

from tests.random_programs.parts import Lines, StatementParts
from tests.random_programs.scope import Scope


def indented(lines: Lines) -> Lines:
    """The lines of a block, one level deeper; an empty block is `pass`.

    >>> indented([])
    ['    pass']
    """
    return ["    " + line for line in lines or ["pass"]]


class ContainerStatements(StatementParts):
    """What `Statements` makes of these features, and the parts of such statements."""

    def container_simple(self) -> dict[str, Callable[[Scope, int], Lines | None]]:
        return {
            "deque": self.deque,
            "set": self.set_,
            "mapping": self.mapping,
            "words": self.words,
            "grid": self.grid,
            "lists": self.lists,
        }

    def container_compound(self) -> dict[str, Callable[[Scope, int], Lines | None]]:
        return {
            "deque": self.for_gathered,
            "mapping": self.for_gathered,
            "lists": self.for_gathered,
            "set": self.if_gathered,
        }

    # -- parts

    def number(self, scope: Scope) -> str:
        return str(self.expressions.make("num", scope, 1))

    def position(self, scope: Scope) -> str:
        """A number from 0 to 3, static or staged."""
        return self.choices.pick(["0", "1"] + [f"({name} % 4)" for name in scope.of("int") + scope.of("idx")])

    def key(self, scope: Scope) -> str:
        """A Python int of few values."""
        return self.choices.pick(["1", "2"] + [f"({name} % 3)" for name in scope.of("int")])

    def target(self, scope: Scope) -> str | None:
        names = scope.assignable("num")
        return self.choices.pick(names) if names else None

    def one_of(self, scope: Scope, kind: str) -> str | None:
        names = scope.of(kind)
        return self.choices.pick(names) if names else None

    def assigned(self, scope: Scope, value: str) -> Lines:
        target = self.target(scope)
        return [f"{target} = {value}" if target else f"print({value})"]

    # -- containers

    def deque(self, scope: Scope, depth: int) -> Lines | None:
        if (queue := self.one_of(scope, "queue")) is None:
            return None
        number = self.number(scope)
        options = [[f"{queue}.append({number})"], [f"{queue}.appendleft({number})"]]
        options += [[f"{queue}.rotate({self.position(scope)})"]]
        taken = self.choices.pick([f"{queue}.popleft()", f"{queue}.pop()", f"{queue}[-1]"])
        options += [[f"if {queue}:", *indented(self.assigned(scope, taken))]] * 2
        return self.choices.pick(options)

    def set_(self, scope: Scope, depth: int) -> Lines | None:
        if (seen := self.one_of(scope, "seen")) is None:
            return None
        key, other = self.key(scope), self.key(scope)
        return [
            self.choices.pick(
                [f"{seen}.add({key})", f"{seen}.discard({key})", f"{seen}.update([{key}, {other}])"]
                + [f"{seen} |= {{{key}}}", f"print(len({seen}), {key} in {seen})"]
            )
        ]

    def if_gathered(self, scope: Scope, depth: int) -> Lines | None:
        names = scope.of("seen") + scope.of("counts")
        if not names:
            return None
        test = f"{self.key(scope)} {self.choices.pick(['in', 'not in'])} {self.choices.pick(names)}"
        return [f"if {test}:", *indented(self.block(scope.inner(), depth - 1, 2))]

    def mapping(self, scope: Scope, depth: int) -> Lines | None:
        if (counts := self.one_of(scope, "counts")) is None:
            return None
        key, value = self.key(scope), self.expressions.make("int", scope, 1)
        return [
            self.choices.pick(
                [f"{counts}[{key}] = {counts}.get({key}, 0) + 1", f"{counts}[{key}] = {value}"]
                + [f"{counts}.setdefault({key}, {value})", f"{counts}.pop({key}, None)"]
                + [f"print(sorted({counts}), sum({counts}.values()))"]
            )
        ]

    def words(self, scope: Scope, depth: int) -> Lines | None:
        if (words := self.one_of(scope, "words")) is None:
            return None
        number, small = self.number(scope), self.position(scope)
        last = f"{words}[-1]"
        texts = [f'f"{{{number}:.1f}}"', f"{last}.upper()", f"{last}[{small}:]", f"'-'.join({words})"]
        texts += [f"{last}.replace('.', 'w')", f"{last} * {small}", f"str({last}.find('w'))"]
        return [f"{words}.append({self.choices.pick(texts)})"]

    def grid(self, scope: Scope, depth: int) -> Lines | None:
        if (grid := self.one_of(scope, "grid")) is None:
            return None
        i, j = f"{self.position(scope)} % 2", f"{self.position(scope)} % 2"
        row = self.fresh("row")
        options = [
            [f"{grid}[{i}][{j}] = {self.number(scope)}"],
            [f"{grid}[{i}][{j}] += {self.number(scope)}"],
        ]
        options += [self.assigned(scope, f"{grid}[{i}][{j}]")]
        options += [[f"for {row} in {grid}:", f"    {row}[{j}] += {self.number(scope)}"]]
        options += [[f"{grid}[{i}] = [{self.number(scope)}, {self.number(scope)}]"]]
        return self.choices.pick(options)

    def lists(self, scope: Scope, depth: int) -> Lines | None:
        if (items := self.one_of(scope, "list")) is None:
            return None
        number, small = self.number(scope), self.position(scope)
        changes = [
            f"{items}.insert({small}, {number})",
            f"{items}.extend({self.expressions.make('fa', scope, 1)})",
        ]
        changes += [
            f"{items}.sort()",
            f"{items}.reverse()",
            f"{items}[{small}:] = [{number}]",
            f"del {items}[{small}:]",
        ]
        changes += [f"{items} += [{number}]", f"{items}.sort(key=lambda p: -p)"]
        return [self.choices.pick(changes)]

    def for_gathered(self, scope: Scope, depth: int) -> Lines | None:
        """A loop over a copy, for its block may change the container."""
        names = scope.of("queue") + scope.of("list") + scope.of("counts")
        if not names or (inner := self.loop_scope(scope)) is None:
            return None
        name = self.choices.pick(names)
        x = self.fresh("x")
        if name in scope.of("counts"):
            k = self.fresh("k")
            inner.add("int", k)
            inner.add("int", x)
            head = f"for {k}, {x} in list({name}.items()):"
        else:
            inner.add("num", x)
            head = f"for {x} in list({name})[:6]:"
        return [head, *indented(self.block(inner, depth - 1, 2))]
