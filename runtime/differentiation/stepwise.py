"""The gradient of a record, one step after the other.

The graph of a whole record is worth its price where its structure comes again and again: a training step.
Where each gradient has a structure of its own, a loop of another length, nothing of it would be used twice.
The derivatives of the steps are: each is a `Gradient` of one step, kept by what the step is. So this is the
same differentiation in pieces of one step, for records without writes, where pieces have values in common
and no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from runtime.differentiation.replay import Gradient, Plan, keep
from runtime.gradients.errors import GradientError
from runtime.gradients.fragments import Fragment
from runtime.recording import Record, Slot, Step, held
from runtime.types import ScalarType, Type


class _Alone(Plan):
    """The plan of a gradient of one step: its leaves have places of their own, then its results."""

    def __init__(self, fragment: Fragment, wanted: Sequence[int], targets: Sequence[int]) -> None:
        count = 1 + max(fragment.params)
        self.leaves = [Slot(None) for _ in range(count + len(fragment.graph.results))]
        params = zip(fragment.params, fragment.graph.params, strict=True)
        self.types = {self.leaves[k]: param.type for k, param in params}
        self.watched = self.sources = list(wanted)
        self.steps = [(None, fragment, range(count), range(count, len(self.leaves)))]
        self.used_by_gradients = set()
        self.targets = [count + k for k in targets]
        self.engine = fragment.engine


#: a step, with respect to which of its leaves, of which of its results
_alone: dict[tuple[Fragment, tuple[int, ...], tuple[int, ...]], Gradient] = {}
_MOST = 4096


def _gradient_alone(fragment: Fragment, wanted: tuple[int, ...], targets: tuple[int, ...]) -> Gradient:
    key = fragment, wanted, targets
    found = _alone.get(key)
    if found is None:
        found = Gradient(Record(), _Alone(fragment, wanted, targets))
        keep(_alone, key, found, _MOST)
    return found


def stepwise(
    plan: Plan, seeds: Sequence[Any], agree: Callable[[Sequence[Any], Sequence[Any]], bool]
) -> Mapping[int, Any] | None:
    """The adjoints of the plan's sources that are reached, by place.

    None where the whole record has to be one graph: memory is written, a gradient was taken inside, or a step
    alone has no derivative, or gives something else than it did.
    """
    is_plain = all(
        type(item) is Step and not item.written and not fragment.written for item, fragment, *_ in plan.steps
    )
    if not is_plain or plan.used_by_gradients:
        return None
    try:
        return _Walk(plan).back(seeds, agree)
    except GradientError:  # perhaps of a path that does not count
        return None


class _Walk:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        #: what depends on the sources, by place
        self.depends = set(plan.sources)
        for _, _, places, outputs in plan.steps:
            if not self.depends.isdisjoint(places):
                self.depends.update([place for place in outputs if place is not None])

    def back(
        self, seeds: Sequence[Any], agree: Callable[[Sequence[Any], Sequence[Any]], bool]
    ) -> Mapping[int, Any] | None:
        """From the last step to the first."""
        adjoints: dict[int, Any] = {}
        for place, seed in zip(self.plan.targets, seeds, strict=True):
            adjoints[place] = adjoints[place] + seed if place in adjoints else seed
        for _, fragment, places, outputs in reversed(self.plan.steps):
            targets = tuple(
                [k for k, place in enumerate(outputs) if place in adjoints and place not in places]
            )
            wanted = tuple([k for k in fragment.params if places[k] in self.depends])
            if not targets or not wanted:
                continue
            gradient = _gradient_alone(fragment, wanted, targets)
            given = [adjoints[outputs[k]] for k in targets]
            count = len(gradient.places)
            arguments = [
                self._value(places[k], param.type)
                for k, param in zip(gradient.places, gradient.graph.params[:count], strict=True)
            ] + given
            for k in gradient.written:
                arguments[k] = np.copy(arguments[k])
            found = gradient.run(arguments)
            if not agree(found[gradient.count :], [self._held(outputs[k]) for k in targets]):
                return None
            for k, at in gradient.reached.items():
                place, more = places[k], found[at]
                adjoints[place] = adjoints[place] + more if place in adjoints else more
        return {place: np.copy(adjoints[place]) for place in self.plan.sources if place in adjoints}

    def _held(self, place: int) -> Any:
        leaf = self.plan.leaves[place]
        if type(leaf) is not Slot:
            return leaf
        return held(leaf.array if leaf.kept is None else leaf.kept)

    def _value(self, place: int, wanted: Type) -> Any:
        """NumPy gives a scalar where a graph has an array of no dimensions, or the other way round."""
        value = self._held(place)
        is_scalar = isinstance(wanted, ScalarType)
        if isinstance(value, np.ndarray):
            return value[()] if is_scalar else value
        return value if is_scalar or not isinstance(value, np.generic) else np.asarray(value)
