"""`if`, conditional expressions, `and`, `or` and `not` become `lax.cond`.

>>> import jax
>>> jax.jit(lambda x: choose(x > 0, lambda: x, lambda: -x))(-3.0)
Array(3., dtype=float32, weak_type=True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp

from autograph.errors import StagingError, error_at_frame
from autograph.operators import Undefined, and_, or_
from autograph.stages._jax import aliases, paths
from autograph.stages._jax.choices import Choice, assuming, facts_of, remember, simplified
from autograph.stages._jax.contents import UNCHANGED, Unsized, View, opened
from autograph.stages._jax.implied import implications, note, union
from autograph.stages._jax.places import Outcome, PathEnds, Place, Places
from autograph.stages._jax.shared import after_branches, note_views
from autograph.stages._jax.specs import (
    Spec,
    adapt,
    check_no_tracer_inside,
    describe,
    fillers,
    join,
    leaves,
    rebuild,
)
from autograph.stages._jax.tracing import Traced, is_staged
from autograph.stages.slots import Contents
from autograph.staging import State, Thunk


def truth(value: Any) -> Any:
    """`bool(value)`: a Python bool, or a staged one."""
    if isinstance(value, Choice):
        return _truth_of_choice(value)
    if isinstance(value, Unsized):
        return value.holds_any()
    if not is_staged(value):
        return bool(value)
    if value.size != 1:
        raise error_at_frame(
            StagingError,
            f"the truth value of an array of shape {value.shape} is ambiguous",
            hint="say which you mean with .any() or .all(), or choose per element with jnp.where",
        )
    if value.dtype == bool and value.ndim == 0:
        return value
    answer = jnp.reshape(value != 0, ())
    remember(answer, *facts_of(value))
    return answer


def _truth_of_choice(value: Choice) -> Any:
    options = [value.options[k] for k in value.possible()]
    if any(isinstance(option, Undefined) for option in options):
        raise value.unknown(value.possible())
    if not any(map(is_staged, options)):
        return value.is_option(bool)
    return truth(dispatch(value, truth))


def dispatch(choice: Choice, run: Callable[[Any], Any]) -> Any:
    """`run` of the option that is meant, by conditionals on which it is."""
    possible = choice.possible()
    options = [choice.options[k] for k in possible]
    if any(isinstance(option, Undefined) or option is None and len(options) > 1 for option in options):
        raise choice.unknown(possible)

    def among(positions: list[int]) -> Any:
        first, *rest = positions
        if not rest:
            return run(choice.options[first])
        return choose(choice.which == first, lambda: run(choice.options[first]), lambda: among(rest), [run])

    return among(possible)


def negation(value: Any) -> Any:
    """`not value`."""
    condition = truth(value)
    if not is_staged(condition):
        return not condition
    answer = jnp.logical_not(condition)
    when_true, when_false = facts_of(condition)
    remember(answer, when_false, when_true)
    return answer


def if_statement(
    cond: Any, body: Thunk, orelse: Thunk, state: State, blocks: Iterable[Any] | None = None
) -> None:
    """Run the block that `cond` says, at run time. `blocks`: the user's code in them."""
    condition = truth(cond)
    if not is_staged(condition):
        (body if condition else orelse)()
        return
    places = Places(state, (body, orelse) if blocks is None else blocks)
    sides = [Side(places, condition, True, body), Side(places, condition, False, orelse)]
    conditional(places, condition, sides)


def choose(
    cond: Any, then: Callable[[], Any], orelse: Callable[[], Any], blocks: Iterable[Any] | None = None
) -> Any:
    """The value of one of two thunks. `blocks`: the user's code in them, where they are not that."""
    condition = truth(cond)
    if not is_staged(condition):
        return then() if condition else orelse()
    held: list[Any] = [Undefined("this expression")]

    def store(values: tuple[Any, ...]) -> None:
        held[0] = values[0]

    def run(thunk: Callable[[], Any]) -> Callable[[], None]:
        def block() -> None:
            held[0] = thunk()

        return block

    state = State(("this expression",), lambda: (held[0],), store)
    places = Places(state, (then, orelse) if blocks is None else blocks)
    sides = [Side(places, condition, True, run(then)), Side(places, condition, False, run(orelse))]
    conditional(places, condition, sides)
    return held[0]


def both(a: Any, thunks: tuple[Thunk, ...]) -> Any:
    """`a and thunks[0]() and ...`, where `a` is staged."""
    if not thunks:
        return a
    said: list[Any] = []
    answer = choose(a, lambda: _noting(said, and_(thunks[0](), *thunks[1:])), lambda: a, thunks)
    remember(answer, facts_of(truth(a))[0] + said[0], [])
    return answer


def either(a: Any, thunks: tuple[Thunk, ...]) -> Any:
    """`a or thunks[0]() or ...`, where `a` is staged."""
    if not thunks:
        return a
    said: list[Any] = []
    answer = choose(a, lambda: a, lambda: _noting(said, or_(thunks[0](), *thunks[1:])), thunks)
    remember(answer, [], facts_of(truth(a))[1] + said[1])
    return answer


def _noting(said: list[Any], value: Any) -> Any:
    said += facts_of(value)
    return value


class Side:
    """One branch, traced once: what it changes, and the arrays that it computes."""

    def __init__(self, places: Places, condition: Any, when: bool, block: Thunk) -> None:
        self.places, self.condition, self.when = places, condition, when
        self.outcome = Outcome([])
        self.specs: dict[Any, Spec] = {}
        self.view = UNCHANGED

        def run() -> list[Any]:
            guard = condition if when else jnp.logical_not(condition)
            with assuming(condition, when), paths.entered(guard):
                self.outcome = places.run(block)
                self.view = self.outcome.view()
                arrays: list[Any] = []
                for place, value in self.outcome.changed:
                    self.specs[place.key], parts = take_apart(places, place, value, self.view)
                    arrays += parts
                note_views(arrays)
            return arrays

        self.traced = Traced(run)

    def values(self, arrays: list[Any]) -> dict[Any, Any]:
        """What the changed places hold, with these arrays as computed."""
        parts = iter(arrays)
        return {p.key: rebuild(self.specs[p.key], parts, p.name) for p, _ in self.outcome.changed}

    def before(self, place: Place) -> Any:
        """What a place holds that this branch does not change, by what its condition says."""
        with assuming(self.condition, self.when):
            return simplified(opened(self.places.read_before(place)))

    def value(self, place: Place) -> Any:
        """What a place holds after this branch, in the terms of its own trace."""
        for other, value in self.outcome.changed:
            if other.key == place.key:
                return opened(value)
        return self.before(place)

    def leaves(self, changed: dict[Any, Place], specs: dict[Any, Spec]) -> list[Any]:
        """The arrays that the changed places hold after this branch, in the terms of its own trace."""
        return [
            leaf for k, place in changed.items() for leaf in leaves(self.value(place), specs[k], self.view)
        ]

    def spec(self, place: Place) -> Spec:
        """What a place holds after this branch."""
        found = self.specs.get(place.key)
        if found is not None:
            return found
        return describe(self.before(place), self.places.heap.identities, self.view)


def take_apart(places: Places, place: Place, value: Any, view: View) -> tuple[Spec, list[Any]]:
    """The spec of what a place holds after a block, and the arrays of it."""
    parts = opened(value)
    spec = describe(parts, places.heap.identities, view)
    check_no_tracer_inside(spec, place.name, places.heap.identities)
    return spec, adapt(parts, spec, view)


def closed(place: Place, value: Any) -> Any:
    """The opposite of `opened`."""
    return Contents(value[0].keys, value[1]) if place.slot and place.slot.key == "contents" else value


def conditional(places: Places, condition: Any, sides: list[Side]) -> None:
    """Join what two branches left behind."""
    alive = [side for side in sides if not side.outcome.ends]
    changed = {place.key: place for side in sides for place, _ in side.outcome.changed}
    specs: dict[Any, Spec] = {}
    for key, place in changed.items():
        found = [side.spec(place) for side in alive]
        specs[key] = found[0]
        for other in found[1:]:
            specs[key] = join(specs[key], other, place.name)

    def branch(side: Side) -> Callable[[], list[Any]]:
        def run() -> list[Any]:
            arrays = side.traced()
            if side.outcome.ends:
                return [part for spec in specs.values() for part in fillers(spec)]
            values = side.values(arrays)
            view = View(values)
            return [
                part
                for key, place in changed.items()
                for part in adapt(values[key] if key in values else side.before(place), specs[key], view)
            ]

        return run

    for side in alive:
        aliases.refuse_shared(((p.name, side.value(p), specs[k]) for k, p in changed.items()), side.view)
    related = union(implications(specs, {k: s.value(p) for k, p in changed.items()}) for s in alive)
    arrays = list(jax.lax.cond(condition, *map(branch, sides)))
    after_branches(arrays, [side.leaves(changed, specs) for side in alive])
    results = iter(arrays)
    values = {key: rebuild(specs[key], results, place.name) for key, place in changed.items()}
    note(related, values)
    places.write((place, closed(place, values[key])) for key, place in changed.items())
    for key, place in changed.items():
        lost = (c for side in alive for c in aliases.copied(side.value(place), specs[key], side.view))
        made = list(aliases.copied(values[key], specs[key]))
        aliases.note_merge(place.name, [c for c in lost if c in places.heap], made)
    if not alive:
        raise PathEnds
