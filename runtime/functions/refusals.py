"""What was refused is refused at once the second time: a refusal is kept with the guards of its attempts.

A trace that is refused may have taken seconds. It read from the world what its guards say; where these hold
again, for arguments of the same signature, the same attempts would end in the same refusal.

Not kept is what was refused while something was read from outside, for no guard speaks of that yet (a list
that was too long may be shorter now), nor because a callee is not converted, which `autograph.include` may
change (`Outside.stands_in_the_way`); nor where settings have changed since of which no guard speaks.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from autograph.errors import StagingError, error_at_frame
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
