"""`while` becomes `lax.while_loop`; `for` becomes `lax.scan` where the number of iterations is known.

A loop over at most `UNROLLED` items stays a Python loop, as it is under `jit` without us. A `scan` goes on
to its end when a `break` was met, doing nothing, so that reverse mode works; beyond `MASKED` iterations a
loop with `break` becomes a `while_loop`, which stops, and has forward mode only.

>>> import jax
>>> def total(xs):
...     held = [0.0]
...     state = State(("total",), lambda: (held[0],), lambda values: held.__setitem__(0, values[0]))
...     for_statement(xs, None, lambda x: state.set((held[0] + x,)), state)
...     return held[0]
>>> float(jax.jit(total)(jnp.arange(20.0)))
190.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp

from autograph.errors import StagingError, error_at_frame
from autograph.stages._jax import aliases, bounds, paths
from autograph.stages._jax.branches import closed, if_statement, take_apart, truth
from autograph.stages._jax.choices import Choice
from autograph.stages._jax.contents import UNCHANGED, View, opened
from autograph.stages._jax.filtered import Filtered
from autograph.stages._jax.implied import Implied, implications, note, union
from autograph.stages._jax.iteration import Source, refuse_iterator, source_of
from autograph.stages._jax.places import Place, Places
from autograph.stages._jax.pushed import PushedGenerator, iterated
from autograph.stages._jax.shared import Carried, link, note_views
from autograph.stages._jax.specs import (
    OneOf,
    Spec,
    adapt,
    describe,
    join,
    leaves,
    position_of,
    rebuild,
    types_of,
)
from autograph.stages._jax.tracing import Traced, is_array, is_staged, weak_type
from autograph.stages.heap import is_iterator
from autograph.stages.slots import user_code
from autograph.staging import State, Thunk

_MOST_ROUNDS = 50
UNROLLED = 8
MASKED = 10_000
_MOST_UNROLLED = 1000
# What says that a body needs to know the number of its iteration while it is traced.
_NEEDS_PYTHON = (StagingError, TypeError, OverflowError)


@dataclass
class Carry:
    """What a loop carries from one iteration to the next: places, with specs that hold all their values."""

    places: Places
    specs: dict[Any, tuple[Place, Spec]] = field(default_factory=dict)
    implied: Implied = field(default_factory=dict)
    shared: Carried = field(default_factory=Carried)

    def types(self) -> list[Any]:
        return [t for _, spec in self.specs.values() for t in types_of(spec)]

    def begin(self) -> list[Any]:
        """The arrays before the first iteration."""
        return [
            part
            for place, spec in self.specs.values()
            for part in adapt(opened(self.places.read_before(place)), spec)
        ]

    def values(self, arrays: Any, after_one: bool = False) -> list[tuple[Place, Any]]:
        """What the places hold, when these are the arrays; `after_one`: after one iteration at least."""
        parts = iter(arrays)
        values = {key: rebuild(spec, parts, place.name) for key, (place, spec) in self.specs.items()}
        note(self.implied, values)
        self.shared.note(self.leaves(values), after_one)
        return [(place, closed(place, values[key])) for key, (place, _) in self.specs.items()]

    def leaves(self, values: dict[Any, Any], view: View = UNCHANGED) -> list[tuple[Any, Any]]:
        """The arrays in what the places hold, by place and number."""
        return [
            ((key, number), leaf)
            for key, (_, spec) in self.specs.items()
            for number, leaf in enumerate(leaves(values[key], spec, view))
        ]

    def finish(self, values: list[tuple[Place, Any]]) -> None:
        """What the places hold after the loop."""
        self.places.write(values)
        for place, value in values:
            spec = self.specs[place.key][1]
            old = list(aliases.copied(opened(self.places.read_before(place)), spec))
            made = list(aliases.copied(opened(value), spec)) if not isinstance(spec, OneOf) else []
            aliases.note_merge(place.name, old, made)

    def relate(self, given: dict[Any, Any], after: dict[Any, Any], view: View) -> bool:
        """Note how values are related before and after an iteration; False when that was known."""
        specs = {key: spec for key, (_, spec) in self.specs.items()}
        before = {key: opened(self.places.read_before(place)) for key, (place, _) in self.specs.items()}
        known, self.implied = self.implied, union([implications(specs, before), implications(specs, after)])
        self.shared.begin(self.leaves(before))
        known_arrays = self.shared.relate(self.leaves(before | given), self.leaves(after, view))
        return known != self.implied or known_arrays

    def widen(self, place: Place, spec: Spec) -> bool:
        """Make room for what an iteration left; False when there was room."""
        known = self.specs.get(place.key)
        before = (
            known[1]
            if known is not None
            else describe(opened(self.places.read_before(place)), self.places.heap.identities)
        )
        joined = join(before, spec, place.name)
        if known is not None and joined == known[1]:
            return False
        self.specs[place.key] = place, joined
        return True


class Iteration:
    """The body of a loop, traced until what it carries is stable."""

    def __init__(self, carry: Carry, block: Callable[..., Any], guard: Any, leading: list[Any]) -> None:
        self.carry = carry
        for _ in range(_MOST_ROUNDS):
            self.traced = self._trace(block, guard, leading)
            if not self._widen():
                return
        raise error_at_frame(StagingError, "the types of this loop's variables change in every iteration")

    def _trace(self, block: Callable[..., Any], guard: Any, leading: list[Any]) -> Traced:
        def run(*arrays: Any) -> list[Any]:
            first, rest = arrays[: len(leading)], arrays[len(leading) :]
            self.given = self.carry.values(rest)
            results: list[Any] = []
            with paths.entered(guard(*first)):
                places = self.carry.places
                self.outcome = places.run(lambda: results.extend(block(*first)), self.given)
                self.view = View(dict(self._opened(self.given)) | dict(self._opened(self.outcome.changed)))
                self.found: dict[Any, tuple[Place, Spec]] = {}
                for place, value in self.outcome.changed:
                    spec, parts = take_apart(places, place, value, self.view)
                    self.found[place.key] = place, spec
                    results += parts
                note_views(results)
            return results

        return Traced(run, [*leading, *self.carry.types()])

    def _widen(self) -> bool:
        widened = [self.carry.widen(place, spec) for place, spec in self.found.values()]
        after = self.view.found
        specs = self.carry.specs.items()
        aliases.refuse_shared(((p.name, after[k], spec) for k, (p, spec) in specs), self.view)
        return self.carry.relate(dict(self._opened(self.given)), after, self.view) or any(widened)

    def __call__(self, leading: list[Any], arrays: list[Any], results: int) -> tuple[list[Any], list[Any]]:
        """One iteration: what the block gave, and the arrays to carry on."""
        made = self.traced(*leading, *arrays)
        parts = iter(made[results:])
        after = {key: rebuild(spec, parts, place.name) for key, (place, spec) in self.found.items()}
        now = dict(self._opened(self.carry.values(arrays))) | after
        view = View(now)
        carried = [
            part for key, (_, spec) in self.carry.specs.items() for part in adapt(now[key], spec, view)
        ]
        return made[:results], carried

    @staticmethod
    def _opened(values: Iterable[tuple[Place, Any]]) -> Iterator[tuple[Any, Any]]:
        return ((place.key, opened(value)) for place, value in values)

    def is_static(self) -> bool:
        """Does the body touch no staged value? Python's loop then gives Python's numbers, of any size."""
        held = [opened(self.carry.places.read_before(place)) for place, _ in self.carry.specs.values()]
        inputs = [*self.traced.closed.consts, *jax.tree_util.tree_leaves(held, is_leaf=_is_choice)]
        return not any(is_staged(value) or _is_choice(value) for value in inputs)

    def surely(self, place: Place, value: Any) -> Any:
        """The value after at least one iteration: what the body always leaves is there."""
        found = self.found.get(place.key)
        if isinstance(value, Choice) and found is not None and not isinstance(found[1], OneOf):
            return value.options[position_of(found[1], value_spec(self.carry, place))]
        return value


def _is_choice(value: Any) -> bool:
    return isinstance(value, Choice)


class _Static(Exception):
    """The loop is about Python's own values."""


def value_spec(carry: Carry, place: Place) -> OneOf:
    spec = carry.specs[place.key][1]
    assert isinstance(spec, OneOf)
    return spec


def while_statement(go_on: Any, test: Thunk, body: Thunk, state: State) -> None:
    """`while test(): body()`, where the first `test()` gave `go_on`."""
    go_on = truth(go_on)
    carry = Carry(Places(state, (test, body)))

    def block(_: Any) -> list[Any]:
        body()
        return [jnp.asarray(truth(test()))]

    flag = jax.ShapeDtypeStruct((), jnp.bool_)
    iteration = Iteration(carry, block, lambda go: go, [flag])

    def step(carried: Any) -> Any:
        (go,), arrays = iteration([carried[0]], carried[1], 1)
        return go, arrays

    _, arrays = jax.lax.while_loop(lambda carried: carried[0], step, (go_on, carry.begin()))
    carry.finish(carry.values(arrays))


def for_statement(
    iterable: Any,
    test: Thunk | None,
    body: Callable[[Any], Any],
    state: State,
    blocks: Sequence[Any] | None = None,
) -> Any:
    """`for`, or NotImplemented where Python is to iterate. `blocks`: the user's code in it."""
    blocks = (body, test) if blocks is None else blocks
    if isinstance(iterable, Filtered):
        iterable.visit(body, state, blocks, test)
        return None
    iterable = iterated(iterable)
    source = source_of(iterable)
    if isinstance(iterable, PushedGenerator) and iterable.can_be_pushed():
        refuse_iterator(iterable)
        iterable.push(test, body, tuple(user_code(block for block in blocks if block is not None)))
        return None
    if source is None:
        return refuse_iterator(iterable) if paths.inside() and is_iterator(iterable) else NotImplemented
    if not source.is_static:
        run = _until if source.most > MASKED else _at_most
        run(source, test, body, Places(state, blocks))
        return None
    if source.length <= UNROLLED:
        return _unrolled(iterable, source, test, body, state)
    try:
        if test is not None and source.length > MASKED:
            _until(source, test, body, Places(state, blocks))
        else:
            _scan(source, test, body, Places(state, blocks))
    except _Static:
        return _unrolled(iterable, source, test, body, state)
    except _NEEDS_PYTHON:
        if source.length > _MOST_UNROLLED:
            raise
        return _unrolled(iterable, source, test, body, state)
    return None


def _unrolled(iterable: Any, source: Source, test: Thunk | None, body: Any, state: State) -> Any:
    """Let Python go through the items, as far as it can."""
    if not isinstance(iterable, Source) and not is_array(iterable):
        return NotImplemented
    iterator = iter(source)
    for item in iterator:
        body(item)
        if test is not None:
            go_on = truth(test())
            if is_staged(go_on):
                rest_of_loop(iterator, test, body, state)
                return None
            if not go_on:
                return None
    return None


def rest_of_loop(iterator: Any, test: Thunk, body: Callable[[Any], Any], state: State) -> None:
    """What Python began: each further item under the condition that the loop still goes on."""
    for number, item in enumerate(iterator):
        if number > _MOST_UNROLLED:
            raise error_at_frame(
                StagingError,
                f"a loop over a {type(iterator).__name__} ends at a condition known only at run time",
                hint="go through a range or an array, or write a `while` loop",
            )
        go_on = truth(test())
        if not is_staged(go_on) and not go_on:
            return
        once = lambda item=item: body(item)
        if_statement(go_on, once, lambda: None, state, (body, test))


def _items(source: Source) -> tuple[list[Any], Callable[[Any, list[Any]], Any]]:
    types = [jax.ShapeDtypeStruct(a.shape[1:], a.dtype, weak_type=weak_type(a)) for a in source.arrays]
    return types, source.build


def _scan(source: Source, test: Thunk | None, body: Callable[[Any], Any], places: Places) -> None:
    carry = Carry(places)
    number = jax.ShapeDtypeStruct((), jnp.asarray(0).dtype, weak_type=True)
    flag = jax.ShapeDtypeStruct((), jnp.bool_)
    row_types, build = _items(source)

    def block(go: Any, k: Any, *rows: Any) -> list[Any]:
        for row, array in zip(rows, source.arrays, strict=True):
            link(row, array)
        bounds.note(k, 0, source.length - 1)
        body(build(k, list(rows)))
        return [jnp.asarray(True if test is None else truth(test()))]

    masked = test is not None
    iteration = Iteration(carry, block, lambda go, *_: go if masked else True, [flag, number, *row_types])
    if iteration.is_static() and not any(map(is_staged, source.arrays)):
        raise _Static

    def step(carried: Any, rows: Any) -> Any:
        go, k, arrays = carried
        run = lambda: iteration([go, k, *rows], arrays, 1)
        (go,), arrays = jax.lax.cond(go, run, lambda: ([go], arrays)) if masked else run()
        return (go, k + 1, arrays), None

    begin = (jnp.asarray(True), jnp.asarray(0), carry.begin())
    rows = [jnp.asarray(array) for array in source.arrays]
    (_, _, arrays), _ = jax.lax.scan(step, begin, rows, length=source.length)
    values = carry.values(arrays, after_one=True)
    carry.finish([(place, iteration.surely(place, value)) for place, value in values])


def _at_most(source: Source, test: Thunk | None, body: Callable[[Any], Any], places: Places) -> None:
    """A `scan` as long as the loop can be, so that reverse mode works; past the end it does nothing."""
    carry = Carry(places)
    number = jax.ShapeDtypeStruct((), jnp.asarray(0).dtype, weak_type=True)
    flag = jax.ShapeDtypeStruct((), jnp.bool_)

    def block(_: Any, k: Any) -> list[Any]:
        bounds.note(k, 0, source.most - 1)
        body(source.item(k))
        return [jnp.asarray(True if test is None else truth(test()))]

    iteration = Iteration(carry, block, lambda go, _: go, [flag, number])
    length = jnp.asarray(source.length)

    def step(carried: Any, k: Any) -> Any:
        go, arrays = carried
        run = lambda: iteration([jnp.asarray(True), k], arrays, 1)
        (go,), arrays = jax.lax.cond(go & (k < length), run, lambda: ([go], arrays))
        return (go, arrays), None

    (_, arrays), _ = jax.lax.scan(step, (jnp.asarray(True), carry.begin()), jnp.arange(source.most))
    carry.finish(carry.values(arrays))


def _until(source: Source, test: Thunk | None, body: Callable[[Any], Any], places: Places) -> None:
    carry = Carry(places)
    number = jax.ShapeDtypeStruct((), jnp.asarray(0).dtype, weak_type=True)
    flag = jax.ShapeDtypeStruct((), jnp.bool_)

    def block(_: Any, k: Any) -> list[Any]:
        body(source.item(k))
        return [jnp.asarray(True if test is None else truth(test()))]

    iteration = Iteration(carry, block, lambda go, _: go, [flag, number])
    if source.is_static and iteration.is_static():
        raise _Static
    length = jnp.asarray(source.length)

    def step(carried: Any) -> Any:
        go, k, arrays = carried
        (go,), arrays = iteration([go, k], arrays, 1)
        return jnp.logical_and(go, k + 1 < length), k + 1, arrays

    begin = (length > 0, jnp.asarray(0), carry.begin())
    _, _, arrays = jax.lax.while_loop(lambda carried: carried[0], step, begin)
    carry.finish(carry.values(arrays))
