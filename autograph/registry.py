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

from autograph.errors import ArgumentError, StagingError, error_at_frame
from autograph.plain_items import plain_items
from autograph.registered import present, stages, thread
from autograph.staging import Stage

_stages: list[Stage] = stages
_present: list[Stage] = present

# Values of exactly these types belong to no stage, so that the common case asks nobody.
NEVER_STAGED: frozenset[type] = frozenset({bool, int, float, complex, str, bytes, type(None)})


def check_stage(stage: Any) -> None:
    """Raise ArgumentError where this is no stage, or lacks what a stage of its kind must have."""
    if not isinstance(stage, Stage):
        hint = f"make one: `{stage.__name__}()`" if isinstance(stage, type) else None
        raise error_at_frame(ArgumentError, f"a stage is an autograph.Stage, not {stage!r}", hint=hint)
    lacking = stage.lacks()
    if lacking is not None:
        raise error_at_frame(ArgumentError, f"stage {stage.name!r} has no {lacking}")


def register_stage(stage: Stage) -> None:
    """Let `stage` claim values from now on, wherever they turn up. Registering it twice changes nothing.

    Raises ArgumentError for one that lacks a method.
    """
    check_stage(stage)
    if not any(other is stage for other in _stages):
        _stages.append(stage)
        _present.append(stage)


def unregister_stage(stage: Stage) -> None:
    """The opposite of `register_stage`."""
    if any(other is stage for other in _stages):
        _stages[:] = [other for other in _stages if other is not stage]
        _present.remove(stage)


class trace_of:  # a function to those who use it
    """`with autograph.trace_of(stage):` a trace of the stage is under way in this thread.

    It claims its values and is active, registered or not; of several the innermost is active, and is asked
    first. Other threads do not see it.

    >>> with trace_of(Stage()) as stage:
    ...     active_stage() is stage
    True
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._outer: tuple[Stage, ...] = ()

    def __enter__(self) -> Stage:
        self._outer = outer = thread.traces
        if not outer or outer[0] is not self.stage:
            self._enter((self.stage, *outer))
        _present.append(self.stage)
        return self.stage

    def _enter(self, traces: tuple[Stage, ...]) -> None:
        thread.traces = traces
        thread.stages_if = bool(traces) and type(traces[0]).stages_if is not Stage.stages_if

    def __exit__(self, kind: object, *raised: object) -> None:
        if thread.traces is not self._outer:
            self._enter(self._outer)
        _present.remove(self.stage)
        if self.stage not in self._outer:
            self.stage.trace_ended(kind is not None)


def registered_stages() -> Sequence[Stage]:
    """The stages, in the order of registration."""
    return _stages


def present_stages() -> Sequence[Stage]:
    """The stages that some thread may ask: the registered ones, and those of traces under way."""
    return _present


def claiming(value: Any) -> Stage | None:
    """The stage that claims `value`: that of the innermost trace that does, or the registered one."""
    if type(value) not in NEVER_STAGED:
        for stage in thread.traces:
            if stage.claims(value):
                return stage
        for stage in _stages:
            if stage.claims(value):
                return stage if len(_stages) == 1 else _only(stage, value)
    return None


def _only(stage: Stage, value: Any) -> Stage:
    for other in _stages:
        if other is not stage and other.claims(value):
            raise error_at_frame(
                StagingError,
                f"{stage.text_of(value)} is claimed by stage {stage.name!r} and by stage {other.name!r}",
                hint="say which one a function is for: autograph.convert(function, stage=stage)",
            )
    return stage


def claiming_any(values: Iterable[Any]) -> Stage | None:
    """The first stage that claims one of `values`."""
    if _present:
        for value in values:
            stage = claiming(value)
            if stage is not None:
                return stage
    return None


def claiming_within(values: tuple[Any, ...] | list[Any], depth: int = 4) -> Stage | None:
    """The first stage that claims one of `values`, or something in the tuples and lists among them."""
    if not _present or all_asleep():
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
    if thread.traces:
        return False
    for stage in _stages:
        if stage.awake():
            return False
    return True


def active_stage() -> Stage | None:
    """The stage of the innermost trace in this thread; refused where a registered one says it has another."""
    traces = thread.traces
    found: Stage | None = traces[0] if traces else None
    for stage in _stages:
        if stage not in traces and stage.active():
            if found is not None:
                raise error_at_frame(
                    StagingError,
                    f"a trace of stage {found.name!r} and one of stage {stage.name!r} are under way at once",
                    hint="call the function of the one before the function of the other is traced,"
                    " and pass its result",
                )
            found = stage
    return found
