"""The stages that there are, and which of them claims a value.

>>> class Symbol: ...
>>> class Symbols(Stage):
...     name = "symbols"
...     def claims(self, value): return isinstance(value, Symbol)
>>> symbols = Symbols()
>>> register_stage(symbols)
>>> claiming(Symbol()) is symbols, claiming(3) is None
(True, True)
>>> unregister_stage(symbols)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from autograph.errors import StagingError, error_at_frame
from autograph.plain_items import plain_items
from autograph.registered import stages
from autograph.staging import Stage

_stages: list[Stage] = stages

# Values of exactly these types belong to no stage, so that the common case asks nobody.
NEVER_STAGED: frozenset[type] = frozenset({bool, int, float, complex, str, bytes, type(None)})


def register_stage(stage: Stage) -> None:
    """Let `stage` claim values from now on. Registering it twice changes nothing."""
    if stage not in _stages:
        _stages.append(stage)


def unregister_stage(stage: Stage) -> None:
    """The opposite of `register_stage`."""
    _stages[:] = [other for other in _stages if other is not stage]


def registered_stages() -> Sequence[Stage]:
    """The stages, in the order of registration."""
    return _stages


def claiming(value: Any) -> Stage | None:
    """The first stage that claims `value`."""
    if type(value) not in NEVER_STAGED:
        for stage in _stages:
            if stage.claims(value):
                return stage
    return None


def claiming_any(values: Iterable[Any]) -> Stage | None:
    """The first stage that claims one of `values`."""
    if _stages:
        for value in values:
            stage = claiming(value)
            if stage is not None:
                return stage
    return None


def claiming_within(values: tuple[Any, ...] | list[Any], depth: int = 4) -> Stage | None:
    """The first stage that claims one of `values`, or something in the tuples and lists among them."""
    if not _stages or all_asleep():
        return None
    for value in plain_items(values):
        stage = claiming(value)
        if stage is None and depth and isinstance(value, (tuple, list)):  # a list may hold itself
            stage = claiming_within(value, depth - 1)
        if stage is not None:
            return stage
    return None


def all_asleep() -> bool:
    """Can no value be claimed now? Asked on entry to every converted function."""
    for stage in _stages:
        if stage.awake():
            return False
    return True


def active_stage() -> Stage | None:
    """The stage that has a trace under way in this thread; refused where two have."""
    found = None
    for stage in _stages:
        if stage.active():
            if found is not None:
                raise error_at_frame(
                    StagingError,
                    f"a trace of stage {found.name!r} and one of stage {stage.name!r} are under way at once",
                    hint="call the function of the one before the function of the other is traced,"
                    " and pass its result",
                )
            found = stage
    return found
