"""What the handler of a staged ``try`` is given: a landing before each operation of the body that may raise.

Which values variables have at that moment is known wherever an operation may raise, for the trace has
just run the Python code up to there. So before such an operation a ``landing`` says what the handler would
see. What it hands over is of specs that are known when the whole body is traced.
"""

from __future__ import annotations

import itertools
from functools import reduce
from typing import Any, NamedTuple

from autograph.staging import State
from runtime.graph import Block, Operation
from runtime.graph.liveness import walk_blocks
from runtime.handlers.raised import may_raise_anything, view_of
from runtime.heap.places import StaticPlace
from runtime.heap.shadow import Moment
from runtime.specs.spec import Const, Spec, Variant, kinds_of
from runtime.tracer.builder import Staged
from runtime.tracer.cells import watch_landing
from runtime.tracer.flattening import adapt
from runtime.tracer.spec import Choice, join, spec_of
from runtime.tracer.trace import Trace

_numbers = itertools.count(1)

#: so many exceptions that a body may raise are told apart
MAX_EXCEPTIONS = 12


class Landing(NamedTuple):
    """A place in the body where an operation may raise: what a handler would see then."""

    block: Block
    operation: Operation
    error: Any  # what is known of the exception
    values: tuple[Any, ...]  # of the variables
    stored: dict[StaticPlace, Any]  # the static places that differ from before the body


class Region:
    """The body of a ``try`` while it is traced."""

    def __init__(self, trace: Trace, state: State, began: Moment) -> None:
        self.trace = trace
        self.state = state
        self.number = next(_numbers)
        self.depth = len(trace.frames)
        self.began = began
        self.blocks = list(trace.blocks)  # those around
        self.last: Any = None
        self.landings: list[Landing] = []

    def covers(self, block: Block) -> bool:
        """Is this block part of the body?"""
        return not any(block is outer for outer in self.blocks)

    def land(self, operation: Operation) -> None:
        """Called before an operation that may raise."""
        values = self.state.get()
        self.trace.references.finish_parts(values)
        left = [*values, *self._stored().values()]
        watch_landing(self.trace, left, self.trace.frames[self.depth :], self.state)
        stored = self._stored()
        raised = self.trace.raised
        if raised is None:
            raised = may_raise_anything(self.trace, operation)
        now = (self.trace.block, raised, *values, *stored.values())
        if (
            self.last is not None
            and len(now) == len(self.last)
            and all(map(lambda a, b: a is b, now, self.last))
        ):
            return
        landing = self.trace.append(Operation("landing", (), (), {"region": self.number}))
        view = not raised if isinstance(raised, bool) else view_of(self.trace, raised)
        held = {place: _as_now(value) for place, value in stored.items()}
        self.landings.append(Landing(self.trace.block, landing, view, _as_now(values), held))
        self.last = now

    def _stored(self) -> dict[StaticPlace, Any]:
        """What static places hold now, where that is not what they held before the body."""
        changes = self.trace.heap.stored_on_paths(self.began, self.began.references, [self.trace.block])
        return {change.place: change.values[0] for change in changes}

    def roll_back(self) -> None:
        """Operations were taken back, landings perhaps among them."""
        self.last = None
        self.landings = [
            one for one in self.landings if any(op is one.operation for op in one.block.operations)
        ]

    # -- when the body is traced ----------------------------------------------------------------------

    def may_raise(self, body: Block) -> bool:
        """Are there landings? Some were in blocks of a loop that was traced once more."""
        blocks = set(walk_blocks(body))
        self.landings = [landing for landing in self.landings if landing.block in blocks]
        return bool(self.landings)

    def settle(self) -> tuple[Spec, list[Spec], list[tuple[StaticPlace, Spec]]]:
        """What the handler gets of the exception, the variables, static places. The landings hand it over."""
        error = self._settle_exception()
        variables = [
            self._settle([landing.values[position] for landing in self.landings])
            for position in range(len(self.state.names))
        ]
        found = []
        for place in dict.fromkeys([place for landing in self.landings for place in landing.stored]):
            before = self.trace.heap.held(place)
            values = [landing.stored.get(place, before) for landing in self.landings]
            found.append((place, self._settle(values)))
        return error, variables, found

    def _settle_exception(self) -> Spec:
        kinds = [kind for landing in self.landings for kind in kinds_of(spec_of(landing.error))]
        kinds = [kind for number, kind in enumerate(kinds) if kind not in kinds[:number]]
        few = len(kinds) <= MAX_EXCEPTIONS
        spec: Spec = Const(False) if not few else kinds[0] if len(kinds) == 1 else Variant(tuple(kinds))
        return self._hand_over([landing.error if few else False for landing in self.landings], spec)

    def _settle(self, values: list[Any]) -> Spec:
        return self._hand_over(values, reduce(join, map(spec_of, values)))

    def _hand_over(self, values: list[Any], spec: Spec) -> Spec:
        """Each landing has one value more to hand over."""
        for value, landing in zip(values, self.landings, strict=True):
            made = Block()
            with self.trace.into(made):
                landing.operation.inputs += tuple(adapt(value, spec, self.trace))
            operations = landing.block.operations
            position = next(k for k, op in enumerate(operations) if op is landing.operation)
            operations[position:position] = made.operations
        return spec


def _as_now(value: Any) -> Any:
    """A value as it is now: the end of a statement gives what a block has left other values of the graph."""
    if isinstance(value, Staged):
        return type(value)(value.value, value.builder)
    if type(value) is tuple:
        return tuple(map(_as_now, value))
    if isinstance(value, Choice):
        return Choice(_as_now(value.tag), _as_now(value.values), _as_now(value.promoted))
    return value
