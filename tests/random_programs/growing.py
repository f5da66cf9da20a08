"""Random programs about containers that grow, with containers in them, under keys that only a run knows.

    python -m tests.random_programs.growing --count 1000 --seed 5000

A program has a list of rows, a table of rows under keys, and a set; ``row`` is a name for one of the rows.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.compounds import Compounds
from tests.random_programs.families import Family

_HEAD = """\
def longest(rows):
    best = []
    for one in rows:
        if len(one) > len(best):
            best = one
    return best

def f(x, n):
    rows = {rows}
    table = {table}
    seen = {seen}
    row = rows[0]
    total = 0.0
    k = n
"""

_CALLS = (
    (np.array([1.0, -2.0, 3.0]), 2),
    (np.array([-1.0, 2.0, 0.5]), 3),
    (np.array([1.0, 2.0, 0.5]), 0),
)


class Maker(Compounds):
    """Makes one program."""

    def __init__(self, seed: int) -> None:
        self.choices = random.Random(seed)
        self.kind = self.choices.choice(["numbers", "numbers", "pairs"])
        self.loops = 0

    def source(self) -> str:
        lines = _HEAD.format(
            rows=self.choices.choice([f"[[{self._item()}]]", f"[[{self._item()}], [{self._item()}]]"]),
            table=self.choices.choice(["{}", f"{{0: [{self._item()}]}}", "{i: [] for i in range(n)}"]),
            seen=self.choices.choice(["set()", "{1}", "{k for k in range(n)}"]),
        ).splitlines()
        for _ in range(self.choices.randint(3, 6)):
            lines += self._statement(2, "    ")
        return "\n".join([*lines, "    return rows, table, sorted(seen), row, total, k", ""])

    def _pick(self, *options: str) -> str:
        return self.choices.choice(options)

    def _number(self) -> str:
        return self._pick("x[0]", "x[k % 3]", "1.5", "float(k)", "total", "x[1] * 2")

    def _item(self) -> str:
        number = self._pick("x[0]", "1.5", "x[2] * 2", "float(n)")
        return number if self.kind == "numbers" else f"({number}, {self._pick('n', '1', 'n + 1')})"

    def _made(self) -> str:
        return self._number() if self.kind == "numbers" else f"({self._number()}, {self._key()})"

    def _value(self, item: str) -> str:
        return item if self.kind == "numbers" else f"{item}[0]"

    def _key(self) -> str:
        return self._pick("k", "n", "k % 2", "k + 1", "len(row)", "len(rows) - 1", "int(x[0])", "0")

    def _row(self) -> str:
        return self._pick("row", "row", "rows[-1]", "rows[0]", "longest(rows)", "table.get(k, row)")

    def _test(self) -> str:
        return self._pick(
            "x[k % 3] > 0", "len(row) < 4", "k in seen", "k in table", "k not in table", f"{self._key()} > 1",
            "rows[0] is row", "not row", "len(rows) > len(table)", "n in seen and len(table) < 4",
        )  # fmt: skip

    def _simple(self) -> str:
        row = self._row()
        return self._pick(
            f"{row}.append({self._made()})", f"{row}.append({self._made()})",
            f"rows.append([{self._made()}])", "rows.append(row)", f"row = {self._row()}",
            f"row = [{self._made()}]", "row = rows[k % len(rows)]",
            f"table[{self._key()}] = [{self._made()}]", f"table[{self._key()}] = {self._row()}",
            f"table.setdefault({self._key()}, []).append({self._made()})", f"seen.add({self._key()})",
            f"seen.discard({self._key()})", f"{row}.insert(0, {self._made()})",
            f"{row}.extend({self._row()}[:2])", f"table.pop({self._key()}, None)",
            "rows = [one[:] for one in rows]", "rows = rows[:3]", "row = row[::-1]", "row = list(row)",
            "total += len(table)", "k += 1", "rows.reverse()",
            f"if {self._row()}: {self._row()}[-1:] = [{self._made()}]", "row = row + row[:1]",
            f"total += sum([{self._value('e')} for e in {self._row()}][:5])", "row = sorted(row)",
            "rows.sort(key=len)", "table = dict(table)",
            "table = {a: b for a, b in table.items() if b is not row}", "row = max(rows, key=len)",
            f"print(len(rows), {self._key()}, {self._row()}[:2])",
        )  # fmt: skip

    def _statement(self, depth: int, indent: str) -> list[str]:
        if depth == 0 or self.choices.random() < 0.6:
            return [indent + self._simple()]
        return self._compound(depth, indent)

    def _compound(self, depth: int, indent: str) -> list[str]:
        kinds = ["if", "else", "else", "try"]
        loops = ["range", "while", "rows", "items", "row", "seen"]
        kind = self._pick(*kinds, *(loops if self.loops < 2 else []))
        if kind in loops:
            self.loops += 1
        body = self._body(depth, indent)
        if kind in ("if", "else"):
            other = self._else(kind, depth, indent)
            return [f"{indent}if {self._test()}:", *body, *other]
        if kind == "range":
            return [f"{indent}for i in range(n):", *body]
        if kind == "rows":
            return [f"{indent}for row in rows[:3]:", *body]
        if kind == "row":
            return [f"{indent}for e in row[:4]:", f"{indent}    total += {self._value('e')}", *body]
        if kind == "seen":
            return [f"{indent}for k in sorted(seen):", *body]
        if kind == "items":
            return [f"{indent}for key, row in list(table.items()):", f"{indent}    total += key", *body]
        if kind == "while":
            return self._counted(indent, body, "c", " and len(rows) < 6")
        inside = [f"{indent}    if {self._test()}:", f"{indent}        raise ValueError(k, len(row))"]
        handler = [f"{indent}except ValueError as error:", f"{indent}    total += len(error.args)"]
        handler = self.choices.choice([handler, [f"{indent}except (ValueError, IndexError, KeyError):"]])
        return [
            f"{indent}try:",
            *body,
            *inside,
            *self._body(depth, indent),
            *handler,
            *self._body(depth, indent),
        ]


GROWING = Family("growing", lambda seed, deeper: Maker(seed).source(), lambda: _CALLS)
if __name__ == "__main__":
    GROWING.main()
