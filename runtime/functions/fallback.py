"""``fallback="python"``: where staging is refused, the plain function runs, and a warning says so once.

Staging is refused while tracing, and a trace has no effect on the world; so the plain function begins with
everything as it was. (What only a run can refuse is raised, for the run may have had effects.) An exception
that the user's own code raises is never taken for a refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from autograph.errors import ArgumentError, AutographError
from runtime.functions.retracing import warn_at_caller

FALLBACKS = (None, "python")


class FallbackWarning(UserWarning):
    """A function, or a part of it, cannot be staged: it runs as the plain Python that it is."""


class Fallback:
    """What one function does where staging is refused."""

    def __init__(self, name: str, allowed: bool) -> None:
        self.name = name
        self.allowed = allowed
        self.always: AutographError | None = None  # why it cannot be staged at all
        self.refused: dict[Hashable, AutographError] = {}  # signatures that were refused, and why
        self._said: set[str] = set()

    def allows(self, error: AutographError) -> bool:
        return self.allowed and not isinstance(error, ArgumentError)

    def run(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        error: AutographError,
    ) -> Any:
        """Run the plain function, and say why, once for each reason."""
        reason = str(error)
        if reason not in self._said:
            self._said.add(reason)
            warn_at_caller(
                f"{self.name}() runs as plain Python, because it cannot be staged: {reason}", FallbackWarning
            )
        return function(*args, **kwargs)
