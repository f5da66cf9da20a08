"""What was refused: known at once the second time, and run as plain Python with ``fallback="python"``.

A trace that is refused may have taken seconds. It read from the world what its guards say; where these hold
again, for arguments of the same signature, the same attempts would end in the same refusal.

Not kept is what was refused while something was read from outside, for no guard speaks of that yet (a list
that was too long may be shorter now), nor because a callee is not converted, which `autograph.include` may
change (`Outside.stands_in_the_way`); nor where settings have changed since of which no guard speaks.

Staging is refused while tracing, and a trace has no effect on the world; so a fallback begins with everything
as it was. (What only a run can refuse is raised, for the run may have had effects.) An exception that the
user's own code raises is never taken for a refusal."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from autograph.errors import ArgumentError, AutographError, StagingError, error_at_frame
from runtime.functions.retracing import warn_at_caller
from runtime.guards.paths import Guard, compile_guards

#: of one function; the one that was met longest ago goes
MAX_REFUSALS = 32
_Kept = tuple[Callable[[Sequence[Any]], bool], StagingError, Hashable]


def hold_themselves(name: str) -> StagingError:
    """The error for arguments of the function that have no end."""
    return error_at_frame(
        StagingError,
        f"`{name}` gets a list, tuple or dict that holds itself",
        hint="make it of objects of a class of your own, which may refer to each other",
    )


class Refusals:
    """The refusals of one function, by signature."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    def known(self, key: Hashable, leaves: Sequence[Any]) -> StagingError | None:
        """The refusal of a call like this one, or None."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        check, error, settings = kept
        if settings != _settings() or not check(leaves):
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return error.copy()

    def keep(
        self, key: Hashable, leaves: Sequence[Any], error: StagingError, guards: Sequence[Guard]
    ) -> None:
        """Remember a refusal, where the guards of all attempts say that it would come again."""
        check = compile_guards(_each_once(guards))
        if not check(leaves):
            return
        self._kept[key] = check, error.copy(), _settings()
        self._kept.move_to_end(key)
        if len(self._kept) > MAX_REFUSALS:
            self._kept.popitem(last=False)


def _settings() -> Hashable:
    """What a refusal may hang on that no guard speaks of."""
    return sys.getrecursionlimit(), threading.active_count(), tuple(np.geterr().values()), np.geterrcall()


def _each_once(guards: Sequence[Guard]) -> list[Guard]:
    """Attempts read much the same."""
    return [*{(guard.path, guard.expected, type(guard)): guard for guard in guards}.values()]


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
