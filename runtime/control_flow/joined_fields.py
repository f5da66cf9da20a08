"""Attributes of objects of the run as if they were variables: where paths meet, and around a loop.

The stores stand in the blocks. That a load need not ask the object, each path hands on what it knows the
attribute to hold, and a loop carries what its body reads and stores. What nobody asks for goes again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.staging import State
from runtime.control_flow.blocks import Outcome
from runtime.heap.shadow import Change, Moment
from runtime.tracer.spec import Leaf, generalise, spec_of
from runtime.tracer.trace import Trace
from runtime.types import ArrayType, InstanceType, NumberType, ScalarType

#: an attribute can be a variable where it holds things of one of these types on all paths
_KINDS = (NumberType, ScalarType, ArrayType, InstanceType)


def fields_left(trace: Trace, before: Moment, count: int, outcomes: Sequence[Outcome]) -> list[Change]:
    """Attributes of which all paths that go on know what they hold, and which one value can stand for.

    ``before``, ``count``: as of `ShadowHeap.on_paths`.
    """
    ends = [outcome.block for outcome in outcomes if not outcome.ended]
    found = trace.heap.on_paths(before, count, ends) if ends else ()
    return [change for change in found if _are_one_kind(change.values)]


def hand_on(fields: Sequence[Change], going_on: Sequence[Outcome]) -> None:
    """Each path leaves what it knows of the attributes, beside the values of variables."""
    for number, outcome in enumerate(going_on):
        outcome.result = (*outcome.result, *(field.values[number] for field in fields))


def learn_fields(trace: Trace, fields: Sequence[Change], values: Sequence[Any]) -> None:
    """From here on the attributes are known to hold these values."""
    for field, value in zip(fields, values, strict=True):
        trace.heap.learn(field.reference, field.name, value)


def fields_carried(trace: Trace, head: Moment, body: Outcome) -> list[Change]:
    """Attributes of objects from before a loop that its body reads and stores to."""
    if body.ended:
        return []
    changes = trace.heap.changed_in(body.block, head)
    return [change for change in changes if _are_one_kind(change.values)]


def with_fields(trace: Trace, state: State, fields: Sequence[Change]) -> State:
    """The variables of a loop, and these attributes beside them."""
    count = len(state.names)

    def get() -> tuple[Any, ...]:
        held = [trace.references.held(field.reference, field.name) for field in fields]
        return (*state.get(), *held)

    def set_all(values: tuple[Any, ...]) -> None:
        state.set(values[:count])
        learn_fields(trace, fields, values[count:])

    return State((*state.names, *(field.name for field in fields)), get, set_all)


def _are_one_kind(values: list[Any]) -> bool:
    """Numbers of one type, arrays of one, or objects of one class."""
    kinds = {generalise(spec_of(value)) for value in values}
    kind = kinds.pop()
    return not kinds and isinstance(kind, Leaf) and isinstance(kind.type, _KINDS)
