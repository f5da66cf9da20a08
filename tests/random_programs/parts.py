"""What the makers of statements ask of `Statements`, which puts them together."""

from __future__ import annotations

from typing import Any

from tests.random_programs.choices import Choices
from tests.random_programs.scope import Scope

Lines = list[str]


class StatementParts:
    """A name that is not taken, a block, the scope of a loop's body."""

    choices: Choices
    features: frozenset[str]
    expressions: Any

    def fresh(self, prefix: str) -> str:
        raise NotImplementedError

    def block(self, scope: Scope, depth: int, most: int = 3) -> Lines:
        raise NotImplementedError

    def loop_scope(self, scope: Scope) -> Scope | None:
        raise NotImplementedError
