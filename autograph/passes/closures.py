"""What `convert_control_flow` offers to those that convert one kind of statement: blocks become closures."""

from __future__ import annotations

from typing import Any, Protocol

from autograph.passes.context import Context


class Closures(Protocol):
    """The conversion of one function, as far as a statement needs it."""

    context: Context

    def closure(
        self,
        kind: str,
        parameter: str | None,
        statements: list[Any],
        state: tuple[str, ...],
        at: Any,
        first: list[Any] | None = None,
        depth: int = 0,
        last: Any = None,
    ) -> Any:
        """A block as a function without result."""

    def call(self, kind: str, arguments: list[Any], state: tuple[str, ...], at: Any) -> Any:
        """`ag__.kind(arguments, get_state, set_state, names)`."""

    def undefined_again(self, variable: str, at: Any) -> Any:
        """`variable` is unbound from here on."""
