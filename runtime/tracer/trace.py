"""A trace: the graph under construction, and what it knows of the world outside.

Nothing that happens during a trace changes the world: reads from outside become guards or implicit inputs
(`outside.py`), stores become operations. So a trace can be thrown away at any time and begun
again with another decision: `raise Restart(...)`.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from types import CodeType, FrameType
from typing import Any

from autograph.errors import AutographError, StagingError, user_frame
from autograph.operators import Undefined
from autograph.staging import State
from runtime.graph import Location, Operation, Value
from runtime.graph.effects import effects_of
from runtime.graph.user_locations import location_in
from runtime.heap.places import StaticPlace
from runtime.tracer import callers as caller_frames
from runtime.tracer import spec
from runtime.tracer.builder import Staged, current
from runtime.tracer.cells import SharedVariables
from runtime.tracer.decisions import MAX_OPERATIONS, Control, Decisions, Loops, PathEnded, too_large
from runtime.tracer.faults import internal_error, unrefused
from runtime.tracer.spec import Choice
from runtime.tracer.static_places import Frame, TraceBase
from runtime.types import Type


class Trace(TraceBase):
    """One attempt to trace one function for one signature: the part that all rooms share."""

    shared: SharedVariables

    def __init__(self, decisions: Decisions) -> None:
        super().__init__(decisions)
        self.shared = SharedVariables(self)
        self.loops = Loops()
        self.taking_in = ""  # the argument that is looked at before the function begins
        self.effects = 0  # operations so far that somebody outside could observe
        self.raising = 0  # those of them that may well raise
        self.writes = 0  # stores to static places so far
        self.consuming: tuple[State, ...] = ()  # of loops over the generators whose code runs
        self.pushing: list[tuple[CodeType, Frame | None]] = []  # generators whose code runs, and where
        self.base: FrameType | None = None  # the frame from which the function that is traced was called
        self.running: tuple[Any, ...] = ()  # the generators whose code runs
        self.handling: list[Any] = []  # exceptions whose handlers are being traced
        self.raised: Any = None  # the exception that the next operation raises, where the trace knows it
        self.generators: list[weakref.ref[Any]] = []  # those of the user's code
        self.peeled = 0  # loops around whose first iteration stands before them
        self.has_returned = False  # the function: its frame is gone
        self.given_up: BaseException | None = (
            None  # what unwound the trace, and a `try` of Python's may swallow
        )
        self.regions: list[Any] = []  # bodies of staged `try` statements around, innermost last
        self.max_unrolled = 5_000
        #: (file, line, what became of the statement), for explain()
        self.notes: list[tuple[str, int, str]] = []
        self.variables_made: list[Location] = []  # where
        self.budget = MAX_OPERATIONS

    @cached_property
    def implied(self) -> spec.Implied:
        """What conditions around say of values."""
        return spec.Implied(self)

    def has_part(self, name: str) -> bool:
        """Has it met what the part of this name is there for? Such a part is made when it is asked for."""
        return name in vars(self)

    # -- operations ---------------------------------------------------------------------------------

    def append(self, operation: Operation) -> Operation:
        self.budget -= 1
        if self.unfinished:
            self._finish_operands(operation)
        if self.budget < 0:
            too_large(self.decisions, self.loops)
        if self.block.ends == "never":
            if self.calls.unfinished:  # what really ends here, the next trace of the function shows
                return operation
            raise self.refuse(
                "a `finally` or a context manager acts after an exception that is raised at run time",
                "raise the exception outside the `try` or `with` statement",
            )
        effects = effects_of(operation)
        if effects.may_raise or (effects.ordered and effects.touches == "world"):  # somebody may observe it
            self.effects += 1
            if effects.raises in ("anything", "division"):
                self.raising += 1
                caller_frames.check_library_tries(self.base)
            region = next((one for one in reversed(self.regions) if one.covers(self.block)), None)
            if region is not None and effects.raises != "memory":
                region.land(operation)
            if operation.location is None:
                operation.location = self.location or self.here()
        elif operation.is_try and operation.location is None:
            operation.location = self.here()
        super().append(operation)
        self.heap.follow(operation)
        return operation

    def _finish_operands(self, operation: Operation) -> None:
        """An object whose constructor runs may be seen by this operation, unless it only stores or loads."""
        is_plain = operation.is_attribute or operation.is_attribute_deletion
        for value in operation.inputs[1 if is_plain else 0 :]:
            self.references.finish(value)

    def here(self) -> Location:
        """The user's line that runs now, and those of the calls that led to it."""
        frame = user_frame(sys._getframe(1))
        if frame is None:
            return Location("<unknown>", 0)
        place = location_in(frame.f_code, frame.f_lasti)
        caller = caller_frames.callers(frame, self.base)
        return place if caller is None else replace(place, caller=caller)

    def value_of(self, item: object) -> Value:
        """The graph value of an operand; of an object of the run, what the stand-in stands for."""
        known = self.references.value(item)
        if known is not None and known in self.unfinished:
            self.references.finish(known)
        return super().value_of(item) if known is None else known

    def reference_of(self, value: Any) -> Staged | None:
        return self.references.staged(value)

    def unite_containers(self, a: Type, b: Type) -> None:
        self.containers.unite(a, b)

    # -- errors -------------------------------------------------------------------------------------

    def end_path(self) -> None:
        """The current block ends in a raise."""
        self.block.ends = "never"
        raise PathEnded

    def raise_at_run_time(self, error: BaseException) -> None:
        """Append ``raise`` for an exception that Python code raised while it was traced."""
        self.location = caller_frames.location_of(error, self.base)
        try:
            self.append_raise(error)
        except StagingError as refusal:
            raise caller_frames.at_raise(refusal, error) from refusal.__cause__
        finally:
            self.location = None
        self.block.ends = "never"

    def write(self, place: StaticPlace, value: Any) -> None:
        """A store by converted code: a fact from here on, and an operation."""
        was_there = bool(self.frames) and not isinstance(self.heap.held(place), Undefined | Choice)
        self.writes += 1
        self.heap.hold(place, value)
        place.record(value, was_there)

    # -- blocks -------------------------------------------------------------------------------------

    def trace_top(self, run: Callable[[], Any]) -> Any:
        """Trace the whole function into the outermost block; what it returns."""
        self.base = sys._getframe()
        try:
            result = run()
            self.has_returned = True
            self._require_not_given_up()
            return result
        except PathEnded:
            self._require_not_given_up()
            if self.body.ends != "never":  # a block of ours ended, and with it what is no part of it
                raise internal_error(
                    AssertionError("the trace ended, and the function did not"), None
                ) from None
            return None
        except (AutographError, Control):
            self._close_generators()
            raise
        except Exception as error:  # noqa: BLE001  any error of the user's code is staged
            self._require_not_given_up()
            self.raise_at_run_time(unrefused(error))
            return None

    def _close_generators(self) -> None:
        """What the user's generators do where they end, they do while this is a trace, with no effect."""
        for reference in self.generators:
            generator = reference()
            if generator is not None and hasattr(generator._inner, "close"):
                with suppress(Exception, Control):
                    generator._inner.close()

    def _require_not_given_up(self) -> None:
        """Raise again what unwound the trace, and the user's code has swallowed."""
        if self.given_up is not None:
            raise self.given_up


def current_trace() -> Trace | None:
    builder = current()
    return builder if isinstance(builder, Trace) else None


def require_trace() -> Trace:
    trace = current_trace()
    if trace is None:
        raise StagingError("a staged value is used outside the trace that made it")
    return trace
