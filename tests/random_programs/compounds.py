"""Compound statements that the makers of several families write; what stands in them is each family's own."""

from __future__ import annotations

from typing import Any


class Compounds:
    """Needs `choices` and `_statement`; `counters` are the variables of its `while` loops so far."""

    choices: Any
    counters = 0

    def _statement(self, depth: int, indent: str) -> list[str]:
        raise NotImplementedError

    def _body(self, depth: int, indent: str) -> list[str]:
        count = self.choices.randint(1, 3)
        return [line for _ in range(count) for line in self._statement(depth - 1, indent + "    ")]

    def _else(self, kind: str, depth: int, indent: str) -> list[str]:
        return [f"{indent}else:", *self._body(depth, indent)] if kind == "else" else []

    def _counted(self, indent: str, body: list[str], counter: str, also: str = "") -> list[str]:
        """A `while` loop of `n` turns."""
        self.counters += 1
        counter = f"{counter}{self.counters}"
        head = [
            f"{indent}{counter} = 0",
            f"{indent}while {counter} < n{also}:",
            f"{indent}    {counter} += 1",
        ]
        return [*head, *body]
