"""Random programs about things of the function that many places outside come to hold, whatever lies between.

    python -m tests.random_programs.holders --count 1000 --seed 5000

A program makes things of one kind (lists, dicts, objects, arrays ...), stores them in attributes, class
attributes, cells, globals, containers, default arguments and properties, changes them there or here, and
does so in branches, loops, `try`, `with`, closures, recursion and generators, which may end early. What
is what afterwards (`is`) is compared with plain Python, too.
"""

from __future__ import annotations

import collections
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import AutographError
from tests.differential import check_scenario
from tests.modules import module_of
from tests.random_programs.families import Family
from tests.random_programs.holder_words import HEAD, KINDS, PLACES, STORES, TAKEN

_CALLS = ((3,), (1,), (0,), (4,), (3,), (2,))


class Maker:
    """Makes one program."""

    def __init__(self, seed: int) -> None:
        self.choices = random.Random(seed)
        self.kind = KINDS[self.choices.choice(sorted(KINDS))]
        self.loops = 0
        self.names = 0
        self.functions = 0  # around what is being written

    def source(self) -> str:
        made = self.kind.made[0]
        lines = HEAD.format(start=made.replace("$n", "7"), made=made.replace("$n", "n")).splitlines()
        for _ in range(self.choices.randint(3, 6)):
            lines += self._statement(2, "    ")
        ends = ("a", "(a, b)", "[a, k]", self._pick(*PLACES), "(b, BOX.v, k)", "(c, a)", "c")
        lines.append(f"    return {self._pick(*ends)}")
        return "\n".join([*lines, ""])

    def _pick(self, *options: str) -> str:
        return self.choices.choice(options)

    def _fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def _number(self) -> str:
        return self._pick("n", "k", "1", "5", "n + 1", "-n")

    def _thing(self) -> str:
        return self._pick("a", "a", "b", "a if n > 1 else b", self._pick(*PLACES), self._made())

    def _known(self) -> str:
        return self._pick("a", "a", "b", self._pick(*PLACES))

    def _made(self) -> str:
        return self._pick(*self.kind.made).replace("$n", self._number())

    def _change(self) -> str:
        return self._pick(*self.kind.changes).replace("$x", self._known()).replace("$n", self._number())

    def _test(self) -> str:
        read = self.kind.read.replace("$x", self._known())
        return self._pick(
            "n > 1", "n > 2", "n == 0", "n % 2", "a is b", f"{read} > 2", f"{self._known()} is a", "k"
        )

    def _taken(self) -> str:
        way = self._pick(*TAKEN).replace("$x", self._known())
        return way.replace("$r", self.kind.read.replace("$x", "thing"))

    def _simple(self) -> str:
        way = self.choices.randrange(11)
        if way == 10:
            return f"{self._pick('a', 'b')} = {self._taken()}"
        if way < 4:
            return self._pick(*STORES).replace("$x", self._thing())
        if way < 7:
            return self._change()
        read = self.kind.read.replace("$x", self._known())
        return self._pick(
            f"a = {self._thing()}",
            f"b = {self._thing()}",
            "a, b = b, a",
            f"k += {read}",
            f"a = {self._made()}",
        )

    def _statement(self, depth: int, indent: str) -> list[str]:
        if depth <= 0 or self.choices.random() < 0.5:
            return [indent + self._simple()]
        return self._compound(depth, indent)

    def _body(self, depth: int, indent: str) -> list[str]:
        inner = indent + "    "
        lines = [
            line for _ in range(self.choices.randint(1, 3)) for line in self._statement(depth - 1, inner)
        ]
        return lines

    def _ending(self, indent: str, *ways: str) -> list[str]:
        """Now and then, an early end under a condition."""
        if self.choices.random() < 0.5:
            return []
        return [f"{indent}    if {self._test()}:", f"{indent}        {self._pick(*ways)}"]

    def _compound(self, depth: int, indent: str) -> list[str]:
        loops = ["for", "while", "each"] if self.loops < 2 else []
        kind = self._pick(
            "if",
            "if",
            "try",
            "finally",
            "with",
            "lent",
            "carried",
            "match",
            "forever",
            "suppress",
            "local",
            "recursion",
            "early",
            *loops,
        )
        self.loops += kind in loops
        if kind in ("local", "recursion"):
            return self._function(kind, depth, indent)
        body = self._body(depth, indent)
        raised = self._ending(
            indent, "raise ValueError(n)", "raise ValueError", "raise KeyError(k)", "return a"
        )
        if kind == "if":
            return [f"{indent}if {self._test()}:", *body, f"{indent}else:", *self._body(depth, indent)]
        if kind == "early":
            both = "return b" if self.functions else "return b, k"
            end = self._pick("return a", both, "raise ValueError(n)")
            return [f"{indent}if {self._test()}:", *body, f"{indent}    {end}"]
        if kind == "try":
            handler = self._pick("except ValueError:", "except (ValueError, KeyError) as error:")
            return [f"{indent}try:", *body, *raised, *self._body(1, indent), f"{indent}{handler}",
                    *self._body(depth, indent)]  # fmt: skip
        if kind == "finally":
            return [f"{indent}try:", *body, *raised, f"{indent}finally:", *self._body(depth, indent)]
        if kind == "with":
            thing, swallow = self._known(), self._pick("True", "False", "n > 1")
            return [f"{indent}with Held({thing}, {swallow}) as b:", *body, *raised]
        if kind == "lent":
            return [f"{indent}with lent({self._known()}) as {self._pick('a', 'b')}:", *body]
        if kind == "carried":
            thrown = [f"{indent}    if {self._test()}:", f"{indent}        throw({self._known()})"]
            handler = [
                f"{indent}except Carrier as error:",
                f"{indent}    {self._pick('a', 'b')} = error.thing",
            ]
            return [f"{indent}try:", *body, *thrown, *handler, *self._body(1, indent)]
        if kind == "match":
            head = [f"{indent}match {self._pick('n', '(n, 0)', 'k')}:", f"{indent}    case 0 | (2, _):"]
            return [*head, *self._body(1, indent + "    "), f"{indent}    case _:",
                    *self._body(depth, indent + "    ")]  # fmt: skip
        if kind == "suppress":
            return [f"{indent}with contextlib.suppress(ValueError):", *body, *raised]
        if kind == "forever":
            count = self._fresh("i")
            end = [f"{indent}    {count} += 1", f"{indent}    if {count} > n:", f"{indent}        break"]
            return [f"{indent}{count} = 0", f"{indent}while True:", *end, *body, *raised]
        ends = self._ending(indent, "break", "continue", "return a", "raise ValueError(k)")
        if kind == "each":
            return [f"{indent}for a in each({self._known()}, {self._thing()}):", *body, *ends]
        index = self._fresh("i")
        if kind == "for":
            return [f"{indent}for {index} in range(n):", *body, *ends, *self._body(1, indent)]
        return [
            f"{indent}{index} = 0",
            f"{indent}while {index} < n:",
            f"{indent}    {index} += 1",
            *body,
            *ends,
        ]

    def _function(self, kind: str, depth: int, indent: str) -> list[str]:
        self.functions += 1
        body = self._body(depth, indent)
        self.functions -= 1
        name, inner = self._fresh("inner"), indent + "    "
        head = [f"{inner}global G, KEPT, TABLE, RECORD", f"{inner}nonlocal a, b, c, k"]
        ends = self._ending(indent, "return a", "raise ValueError(n)")
        if kind == "local":
            call = self._pick(f"{name}()", f"a = {name}()", f"KEPT.append({name}())")
            return [f"{indent}def {name}():", *head, *body, *ends, f"{inner}return b", f"{indent}{call}"]
        again = [f"{inner}if d > 0:", f"{inner}    {name}(d - 1)"]
        parts = [*again, *body] if self.choices.random() < 0.5 else [*body, *again]
        return [f"{indent}def {name}(d):", *head, *parts, *ends, f"{inner}return a",
                f"{indent}b = {name}(n)"]  # fmt: skip


class Picture:
    """What is reachable as text, in which a number stands for what was there before.

    >>> row = [1]
    >>> Picture().of([row, row, ([2], row)])
    '#0[#1[1], #1, (#2[2], #1)]'
    """

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}

    def of(self, value: Any) -> str:
        if isinstance(value, tuple):
            return f"({', '.join(map(self.of, value))})"
        if value is None or isinstance(value, int | str | np.generic):
            return repr(value)
        known = id(value) in self.numbers
        mark = f"#{self.numbers.setdefault(id(value), len(self.numbers))}"
        return mark if known else mark + self._inside(value)

    def _inside(self, value: Any) -> str:
        if isinstance(value, np.ndarray):
            return repr(value)
        if isinstance(value, set):
            return str(sorted(value))
        if isinstance(value, list | collections.deque):
            return f"[{', '.join(map(self.of, value))}]"
        if isinstance(value, dict):
            return f"{{{', '.join(f'{k}: {self.of(v)}' for k, v in value.items())}}}"
        slots = getattr(type(value), "__slots__", ())
        held = {name: getattr(value, name) for name in slots} if slots else vars(value)
        return f"{type(value).__name__}({', '.join(f'{k}={self.of(v)}' for k, v in held.items())})"


def _pictures(source: str, decorate: Callable[[Any], Any]) -> list[str]:
    """The program in a module of its own: what each call returned or raised, and what is outside after it."""
    module = module_of(source, np=np, __name__="holders")
    f, pictures = decorate(module["f"]), []
    for args in _CALLS:
        try:
            result = f(*args)
        except AutographError:
            raise
        except (ValueError, LookupError, AttributeError, module["Carrier"]) as error:
            result = type(error).__name__, error.args, getattr(error, "thing", None)
        shared, note = module["Shared"], module["note"]
        outside = [module[name] for name in ("G", "KEPT", "TABLE", "BOX", "SHELF", "QUEUE", "RECORD", "MINE")]
        outside += [
            module["GET"](),
            shared.kept,
            shared.rows,
            module["Child"].made,
            note.last,
            note.__defaults__,
        ]
        pictures.append(Picture().of((result, *outside)))
    return pictures


class _Holders(Family):
    def judge(self, seed: int, engine: str, deeper: bool = False) -> bool:
        source = self.source(seed, deeper)
        return check_scenario(lambda decorate: _pictures(source, decorate), engines=[engine], may_refuse=True)


HOLDERS = _Holders("holders", lambda seed, deeper: Maker(seed).source(), lambda: _CALLS)
if __name__ == "__main__":
    HOLDERS.main()
