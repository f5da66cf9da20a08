"""A tape outside of decorated functions: what it recorded becomes a graph, which is differentiated as one
that was traced.

The gradient of a record, one step after the other.

The graph of a whole record is worth its price where its structure comes again and again: a training step.
Where each gradient has a structure of its own, a loop of another length, nothing of it would be used twice.
The derivatives of the steps are: each is a `Gradient` of one step, kept by what the step is. So this is the
same differentiation in pieces of one step, for records without writes, where pieces have values in common
and no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime import recording
from runtime.arguments import wrong_argument
from runtime.differentiation.replay import Gradient, Plan, gradient_of, is_rare, keep
from runtime.gradients.errors import GradientError
from runtime.gradients.expand import Fragment
from runtime.recording import Record, Slot, Step, held
from runtime.staged.operands import ArrayHolder, Boxed
from runtime.tensor import Tensor
from runtime.tracer.builder import Staged
from runtime.types import ScalarType, Type


class EagerTape:
    """What `GradientTape` does outside of decorated functions."""

    def __init__(self, watches_accessed: bool) -> None:
        self.record = Record(watches_accessed)
        self.is_recording = False
        self._was_used = False

    def note_use(self) -> bool:
        """Is this the first use?"""
        first, self._was_used = not self._was_used, True
        return first

    def start(self) -> None:
        self.is_recording = True
        recording.start(self.record)

    def stop(self) -> None:
        self.is_recording = False
        recording.stop(self.record)

    @contextmanager
    def paused(self) -> Iterator[None]:
        self.is_recording = False
        try:
            with recording.paused(self.record):
                yield
        finally:
            self.is_recording = True

    def reset(self) -> None:
        self.record.clear()
        self._was_used = False

    def watch(self, leaf: Any) -> None:
        if isinstance(leaf, ArrayHolder):
            self.record.watch_variable(leaf)
        else:
            self.record.watch(array_of(leaf))

    def variables(self) -> list[Any]:
        return list(self.record.variables.values())

    def target(self, what: str, leaf: Any, name: str) -> Any:
        if not isinstance(leaf, Boxed | ArrayHolder):
            raise refuse_target(what, leaf, name)
        array = array_of(leaf)
        if array.dtype.kind not in "fc":
            raise refuse_int_target(what, array.dtype, name)
        return array

    def dtype(self, leaf: Any) -> Any:
        return array_of(leaf).dtype

    def shape(self, target: Any) -> tuple[int, ...]:
        return np.shape(target)

    def zeros(self, source: Any, lead: tuple[Any, ...] = ()) -> Tensor:
        array = array_of(source)
        return Tensor(np.zeros((*lead, *array.shape), array.dtype))

    def gradient(
        self, targets: Sequence[Any], weights: Sequence[Any], sources: Sequence[Any]
    ) -> list[Tensor | None]:
        arrays = [array_of(source) for source in sources]

        def seed(k: int) -> Any:
            y, weight = targets[k], weights[k]
            return np.ones_like(y)[()] if weight is None else Tensor(weight, y.dtype)._array

        made = adjoints(self.record, targets, seed, arrays)
        return [Tensor(made[id(x)]) if id(x) in made else None for x in arrays]

    def check_rows(self, target: Any) -> None:
        """As many as there are."""


def adjoints(
    record: Record,
    targets: Sequence[Any],
    seed: Callable[[int], Any],
    sources: Sequence[Any],
    box: Callable[[Any], Any] = lambda x: x,
) -> dict[int, Any]:
    """The adjoints of the sources that targets depend on, by identity; ``seed`` gives that of a target."""
    slots = record.slots
    kept = [k for k, y in enumerate(targets) if id(y) in slots]
    xs = [slots[id(x)] for x in sources if id(x) in slots]
    if not kept or not xs:
        return {}
    plan = Plan(record, [slots[id(targets[k])] for k in kept], xs)
    seeds, reached = [seed(k) for k in kept], None
    if is_rare(plan) and not any(one.on for one in recording.records()):
        reached = stepwise(plan, list(map(held, seeds)), _agree)
    if reached is None:
        found = gradient_of(record, plan)
        made = played(record, found, plan, seeds, [targets[k] for k in kept], box)
        reached = {place: made[k] for place, k in found.reached.items()}
    else:
        reached = {place: box(x if np.ndim(x) else x[()]) for place, x in reached.items()}
    return {id(x.array): reached[k] for k, x in zip(plan.sources, xs, strict=True) if k in reached}


def played(
    record: Record,
    gradient: Gradient,
    plan: Plan,
    seeds: Sequence[Any],
    targets: Sequence[Any],
    box: Callable[[Any], Any],
) -> list[Any]:
    """The adjoints; tapes around record them as one call.

    Raises ArgumentError where the steps do not give what was computed.
    """
    leaves = [plan.leaves[k] for k in gradient.places]
    arguments = [*[leaf.kept if type(leaf) is Slot else leaf for leaf in leaves], *seeds]
    own = {id(leaf.kept): leaf for leaf in leaves if type(leaf) is Slot}
    steps = []
    for one in recording.records():
        given = own if one is record else one.slots
        known = {id(x): given[id(x)] for x in arguments if id(x) in given and hasattr(x, "dtype")}
        if known and one.on:
            inputs = {id(slot.array): slot for slot in known.values()}
            args = tuple([known.get(id(x)) or (Slot(x, x) if hasattr(x, "dtype") else x) for x in arguments])
            steps.append(recording.Step(one, gradient, inputs, args, {}))
    found = list(gradient.run([_copied(held(x)) for x in arguments]))
    if not _agree(found[gradient.count :], targets):  # machine code rounds in another way than NumPy
        plain = gradient.run_plainly([_copied(held(x)) for x in arguments])
        if not _agree(plain[gradient.count :], targets):
            raise wrong_argument(
                "a tape computes another value of the target than the program did: something was written "
                "that it did not see",
                "write into Tensors only, inside the `with`, not into the array that .numpy() or "
                "rt.Tensor(x) shares",
            )
    made = [box(x if np.ndim(x) else x[()]) for x in found[: gradient.count]]
    recording.end(steps, [*made, *[None] * len(targets)])
    return made


def _agree(found: Sequence[Any], targets: Sequence[Any]) -> bool:
    """Are these the targets, but for rounding?"""
    for again, target in zip(found, map(held, targets), strict=True):
        tolerance = 4096 * np.finfo(target.dtype).eps
        if np.array_equal(again, target):  # the cheap one
            continue
        if np.shape(again) != np.shape(target):
            return False
        if not np.allclose(again, target, tolerance, tolerance, equal_nan=True):
            return False
    return True


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def array_of(leaf: Any) -> Any:
    """The array of a Tensor or a variable."""
    return leaf._storage if isinstance(leaf, ArrayHolder) else leaf.numpy()


def refuse_target(what: str, target: Any, name: str) -> Exception:
    """The error for a target that no tape can follow."""
    kind = target.type if isinstance(target, Staged) else f"of type {type(target).__name__}"
    return wrong_argument(
        f"GradientTape.{what}: `{name}` is {kind}, which no tape follows",
        "compute it of Tensors and Variables inside the `with`; .numpy() and rt.stop_gradient leave the tape",
        name,
    )


def refuse_int_target(what: str, dtype: Any, name: str) -> Exception:
    return wrong_argument(
        f"GradientTape.{what}: `{name}` is of dtype {dtype}; derivatives are of floats",
        "compute it with floats all the way",
        name,
    )


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
