"""Blocks in JAX: an `if` is `lax.cond`, a loop `lax.fori_loop` or `lax.while_loop`.

A block hands on a `State`: values, the newest versions of what is written, lists that are changed, which
argument an array is, and whether the call fails. Lists have room for what all branches or rounds may append:
a block is traced once before, to see how many items that is.
"""

from __future__ import annotations

from functools import partial
from math import ceil, inf
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from runtime.engines.jax_engine.control import bounded_while, either
from runtime.engines.jax_engine.lists import Cell, Rows, is_list
from runtime.engines.jax_engine.operations import is_known, typed
from runtime.engines.jax_engine.stores import is_store
from runtime.graph import item_places
from runtime.graph.effects import effects_of
from runtime.graph.operations import Block, Operation, Value, walk
from runtime.graph.versions import NoForm
from runtime.types import NumberType, ObjectType, ScalarType

#: a branch of so many operations on numbers at most is computed whether it is taken or not
CHEAP = 10


def places_dtype() -> np.dtype[Any]:
    """Of counts and places: 64 bits, or what JAX is told to take."""
    return jax.dtypes.canonicalize_dtype(np.dtype("int64"))


def as_place(x: Any) -> Any:
    return jnp.asarray(x, places_dtype())


class State(NamedTuple):
    """What a block takes and hands on."""

    values: tuple[Any, ...]
    versions: tuple[Any, ...]
    lists: tuple[Any, ...]
    origins: tuple[Any, ...]
    failed: Any


class Room(NamedTuple):
    """How many items a list may have, their shapes, and how many it has where that is known."""

    capacity: int
    shapes: list[tuple[int, ...]]
    length: int | None

    @staticmethod
    def of(rows: Any) -> Any:
        if isinstance(rows, dict):
            return list(rows)
        count = int(rows.count) if is_known(rows.count) else None
        return Room(rows.capacity, [x.shape[1:] for x in rows.leaves], count)


def joined(a: Any, b: Any) -> Any:
    """The room that holds the items of one list or of the other."""
    if isinstance(a, list):
        if a != b:
            raise NoForm("a dict has these keys or those", "give it the same keys on all paths")
        return a
    if a.capacity and b.capacity and a.shapes != b.shapes:
        raise NoForm("a list holds arrays of several shapes")
    count = a.length if a.length == b.length else None
    return Room(max(a.capacity, b.capacity), a.shapes if a.capacity else b.shapes, count)


def fitted(rows: Any, room: Any) -> Any:
    if isinstance(rows, dict):
        joined(list(rows), room)
        return rows
    count = as_place(rows.count)
    if not rows.capacity:
        kinds = zip(room.shapes, rows.leaves, strict=True)
        return Rows(tuple([jnp.zeros((room.capacity, *s), x.dtype) for s, x in kinds]), count)
    return Rows(rows.grown(room.capacity).leaves, count)


def given_back(rows: Any, room: Any, count: int | None) -> Any:
    """What JAX carried: a dict in the order that it had, which JAX does not keep; a list with its length."""
    if isinstance(rows, dict):
        return {key: rows[key] for key in room}
    return rows if count is None else Rows(rows.leaves, count)


def changed_lists(graph: Any, op: Operation) -> list[Cell]:
    """The lists made before an operation that its blocks change."""
    inside = [inner for block in op.blocks for inner in walk(block) if not inner.blocks]
    targets = [graph.names.get(inner.inputs[0]) for inner in inside
               if inner.inputs and is_list(inner.inputs[0].type) and effects_of(inner).writes]  # fmt: skip
    if graph.stores is not None:
        targets += [graph.stores.cell(inner) for inner in inside if is_store(inner)]
    return list(dict.fromkeys([cell for cell in targets if isinstance(cell, Cell)]))


def traced(work: Any, *arguments: Any) -> None:
    """Traces some work, of which only what it notes is wanted."""
    jax.eval_shape(lambda *xs: (work(*xs), ())[1], *arguments)


def is_plain(block: Block) -> bool:
    """Does it end, and do nothing but compute?"""
    return block.ends != "never" and all(op.outputs and not op.blocks for op in block.operations)


def is_cheap(block: Block) -> bool:
    """A few numbers, made of numbers, which are sooner computed on both paths than a path is chosen."""
    made = [value for op in block.operations for value in op.outputs]
    used = [value for op in block.operations if not op.is_load for value in op.inputs]
    are_numbers = all(isinstance(value.type, NumberType | ScalarType) for value in (*made, *used))
    return are_numbers and len(made) <= CHEAP


# -- if ----------------------------------------------------------------------------------------------------


def if_(graph: Any, op: Operation) -> None:
    test = graph.value(op.inputs[0])
    if is_known(test):
        block = op.blocks[0] if test else op.blocks[1]
        graph.block(block)
        graph.hand_on(op, None if block.ends == "never" else block.results)
    elif all(block.ends == "never" for block in op.blocks):
        graph.fails(True)
        graph.hand_on(op, None)
    else:
        If(graph, op).run(typed(test, op.inputs[0].type))


class If:
    """An `if` that JAX decides."""

    def __init__(self, graph: Any, op: Operation) -> None:
        self.graph, self.op, self.before = graph, op, graph.failed
        self.holders, self.cells = graph.written_by(op), changed_lists(graph, op)
        self.values = [value for value in op.outputs if not isinstance(value.type, ObjectType)]
        self.lists = [value for value in op.outputs if is_list(value.type)]
        self.unsure = [value for value in op.outputs if graph.may_be_argument(value)]
        self.chosen: dict[Value, list[Cell]] = {value: [] for value in self.lists}  # on each path
        self.rooms: list[Any] = []
        self.may_fail = any(block.ends == "never" for block in op.blocks)

    def run(self, which: Any) -> None:
        graph, op = self.graph, self.op
        if self.lists or self.cells:
            for block in op.blocks:
                if block.ends != "never":
                    traced(partial(self.branch, block, self.note))
        then, orelse = [partial(self.branch, block, self.state) for block in op.blocks]
        plain = not (self.holders or self.cells) and all(map(is_plain, op.blocks))
        select = plain and (op in graph.exits or all(map(is_cheap, op.blocks)))
        after = (either if select else lax.cond)(which, then, orelse)
        graph.failed = after.failed if self.may_fail else self.before
        graph.origins.update(zip(self.unsure, after.origins, strict=True))
        graph.hand_on(op, None)
        graph.names.update(zip(self.values, after.values, strict=True))
        graph.names.update(zip(self.holders, after.versions, strict=True))
        for value, cells in self.chosen.items():
            same = all(cell is cells[0] for cell in cells)
            graph.names[value] = cells[0] if same else cells[0].like()
            graph.names[value].may_be(cells)
        for cell, rows, room in zip(
            [*[graph.names[value] for value in self.lists], *self.cells], after.lists, self.rooms, strict=True
        ):
            graph.names[cell] = given_back(rows, room, getattr(room, "length", None))

    def branch(self, block: Block, then: Any) -> Any:
        """What ``then`` says of what a block gives."""
        if block.ends == "never":  # zeros, of the shapes of the other one
            (other,) = [each for each in self.op.blocks if each is not block]
            shapes = jax.eval_shape(partial(self.branch, other, then))
            zeros = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes)
            return zeros._replace(failed=jnp.asarray(True))

        def work() -> Any:
            self.graph.failed = self.before
            self.graph.block(block)
            self.may_fail |= self.graph.failed is not self.before
            return then(dict(zip(self.op.outputs, block.results, strict=True)))

        return self.graph.apart(work, {})

    def rows(self, given: dict[Value, Value]) -> list[Any]:
        own = [self.graph.value(given[value]) for value in self.lists]
        return [self.graph.names[cell] for cell in (*own, *self.cells)]

    def note(self, given: dict[Value, Value]) -> None:
        for value, cells in self.chosen.items():
            cells.append(self.graph.value(given[value]))
        found = list(map(Room.of, self.rows(given)))
        self.rooms = list(map(joined, self.rooms, found)) if self.rooms else found

    def state(self, given: dict[Value, Value]) -> State:
        graph = self.graph
        return State(
            tuple([typed(graph.value(given[value]), value.type) for value in self.values]),
            tuple([jnp.asarray(graph.value(holder)) for holder in self.holders]),
            tuple(map(fitted, self.rows(given), self.rooms)),
            tuple([as_place(graph.origin(given[value])) for value in self.unsure]),
            jnp.asarray(graph.failed),
        )


# -- loops -------------------------------------------------------------------------------------------------


class Loop:
    """A loop that JAX runs.

    ``count``: of rounds; None where the test alone decides. ``most``: rounds, where a bound is known.
    """

    def __init__(
        self, graph: Any, op: Operation, count: Any, start: Any, step: Any, most: int | None
    ) -> None:
        *tests, self.body = op.blocks
        self.graph, self.op, self.test = graph, op, tests[0] if tests else None
        self.counted = op.is_counted
        self.count, self.start, self.step, self.most = count, start, step, most
        given = op.inputs[3:] if self.counted else op.inputs
        params = self.params(self.body)
        self.carried = [k for k, param in enumerate(params) if not isinstance(param.type, ObjectType)]
        self.unsure = [k for k in self.carried if graph.may_be_argument(params[k])]
        self.kinds = [params[k].type for k in self.carried]
        self.others = {k: graph.value(given[k]) for k in range(len(params)) if k not in self.carried}
        self.first = [graph.value(given[k]) for k in self.carried]
        self.origins = tuple([as_place(graph.origin(given[k])) for k in self.unsure])
        if self.test is not None:
            asked = {value for inner in walk(self.test) for value in inner.inputs}
            ends = zip(self.params(self.test), self.body.results, strict=True)
            graph.exits |= {v.owner for param, v in ends if param in asked and v.owner is not None}
        self.holders, self.cells = graph.written_by(op), changed_lists(graph, op)
        self.cells += [c for c in self.others.values() if isinstance(c, Cell) and c not in self.cells]
        self.rooms: list[Any] = []
        self.may_fail = False  # in a round, or in its test
        self.grows: dict[int, int] = {}  # how many items a round appends to a list

    def params(self, block: Block) -> list[Value]:
        return block.params[1:] if self.counted else block.params

    def run(self) -> None:
        graph, known = self.graph, self.count if is_known(self.count) else None
        first = State(
            tuple(map(typed, self.first, self.kinds)),
            tuple([jnp.asarray(graph.value(holder)) for holder in self.holders]),
            (),
            self.origins,
            np.asarray(graph.failed) if is_known(graph.failed) else graph.failed,
        )
        counts = self.make_room(first, known)
        first = first._replace(lists=tuple(map(fitted, [graph.names[c] for c in self.cells], self.rooms)))
        last = self.looped(first, known)
        graph.failed = last.failed if self.may_fail else graph.failed
        outputs = [self.op.outputs[k] for k in self.carried]
        graph.origins.update(zip([self.op.outputs[k] for k in self.unsure], last.origins, strict=True))
        graph.names.update(zip([*outputs, *self.holders], [*last.values, *last.versions], strict=True))
        graph.names.update(zip(self.cells, map(given_back, last.lists, self.rooms, counts), strict=True))
        graph.names.update({self.op.outputs[k]: x for k, x in self.others.items()})

    def make_room(self, first: State, known: int | None) -> list[int | None]:
        """Traces one round, to see what it appends. The lengths of the lists after the loop, where known."""
        if not self.cells:
            return []
        before = [Room.of(self.graph.names[cell]) for cell in self.cells]
        after: list[Any] = []

        def note(k: Any, state: State) -> None:
            lists = tuple([self.graph.names[cell] for cell in self.cells])
            after[:] = map(Room.of, self.round(k, state._replace(lists=lists), fit=False).lists)

        traced(note, as_place(0), first)
        counts: list[int | None] = []
        for old, new in zip(before, after, strict=True):
            room, count = joined(old, new), None
            if isinstance(room, Room):
                grows = new.capacity - old.capacity
                if grows and self.most is None:
                    raise NoForm(
                        "a list grows in a loop, and XLA wants to know how often that is at most",
                        "loop over a range or an array of known length, with `break`",
                    )
                self.grows[len(self.rooms)] = grows
                room = room._replace(capacity=old.capacity + grows * (self.most or 0))
                if None not in (known, old.length, new.length) and self.test is None:
                    count = old.length + (new.length - old.length) * known
            self.rooms.append(room)
            counts.append(count)
        return counts

    def looped(self, first: State, known: int | None) -> State:
        if self.counted and self.test is None and (self.most is None or known is not None):
            return lax.fori_loop(0, self.count, lambda k, s: self.round(as_place(k), s), first)

        def one(k: Any, state: State) -> Any:
            return k if k is None else k + 1, self.round(k, state)

        loop: Any = lax.while_loop if self.most is None else partial(bounded_while, most=self.most)
        begin = as_place(0) if self.counted else None, first
        asked = self.asked(*begin)
        if asked[2].failed is first.failed:  # to ask does nothing else
            return loop(lambda c: self.asked(*c)[1] & ~c[1].failed, lambda c: one(*c), begin)[1]
        return loop(lambda c: c[1] & ~c[2].failed, lambda c: self.asked(*one(c[0], c[2])), asked)[2]

    def names(self, block: Block, k: Any, state: State) -> dict[Any, Any]:
        """What a block knows in a round."""
        params = self.params(block)
        found: dict[Any, Any] = dict(zip([params[n] for n in self.carried], state.values, strict=True))
        found.update({params[n]: x for n, x in self.others.items()})
        if self.counted:
            k = k if is_known(self.step) and self.step == 1 else k * as_place(self.step)
            found[block.params[0]] = (
                k if is_known(self.start) and self.start == 0 else as_place(self.start) + k
            )
        lists = state.lists
        if self.rooms:
            lists = tuple([given_back(x, room, None) for x, room in zip(lists, self.rooms, strict=True)])
        found.update(zip(self.holders, state.versions, strict=True))
        found.update(zip(self.cells, lists, strict=True))
        return found

    def asked(self, k: Any, state: State) -> Any:
        """Is there a next round, by the count and the test?"""
        there = k < self.count if self.counted else jnp.asarray(True)
        test = self.test
        if test is None:
            return k, there, state

        def work() -> Any:
            self.graph.failed = state.failed
            self.graph.block(test)
            failed = self.graph.failed
            self.may_fail |= failed is not state.failed
            if self.counted and failed is not state.failed:
                failed = jnp.where(there, failed, state.failed)
            on = typed(self.graph.value(test.results[0]), test.results[0].type)
            return k, there & on, state._replace(failed=failed)

        return self.graph.apart(work, self.names(test, k, state))

    def round(self, k: Any, state: State, fit: bool = True) -> State:
        graph, results = self.graph, self.body.results

        def work() -> Any:
            graph.failed = state.failed
            graph.origins.update(
                zip([self.params(self.body)[n] for n in self.unsure], state.origins, strict=True)
            )
            graph.block(self.body)
            if self.body.ends == "never":
                self.may_fail = True
                return state._replace(failed=jnp.asarray(True))
            for n, x in self.others.items():
                if isinstance(x, Cell) and graph.value(results[n]) is not x:
                    raise NoForm("another list takes the place of one in a loop", "change the list in place")
            self.may_fail |= graph.failed is not state.failed
            lists = [graph.names[cell] for cell in self.cells]
            if fit:
                for n, grows in self.grows.items():
                    if lists[n].capacity - self.rooms[n].capacity > grows:
                        raise NoForm("a list grows more from round to round")
                lists = list(map(fitted, lists, self.rooms))
            return State(
                tuple(
                    [typed(graph.value(results[n]), t) for n, t in zip(self.carried, self.kinds, strict=True)]
                ),
                tuple([jnp.asarray(graph.value(holder)) for holder in self.holders]),
                tuple(lists),
                tuple([as_place(graph.origin(results[n])) for n in self.unsure]),
                jnp.asarray(graph.failed),
            )

        return graph.apart(work, self.names(self.body, k, state))


Limits = tuple[float, float]


def limits(graph: Any, value: Value) -> Limits:
    """The least and the largest that an int of the graph may be, as far as its making tells."""
    known = graph.names.get(value)
    if is_known(known):
        return known, known
    maker, inputs = value.owner, [] if value.owner is None else value.owner.inputs
    name = "" if maker is None else maker.name
    if name in ("list.len", "buffer.len") and isinstance(cell := graph.names.get(inputs[0]), Cell):
        return 0, len(graph.names[cell]) if cell.is_dict else graph.names[cell].capacity
    sign = item_places.SIGNS.get(name)
    if sign is not None:
        (a, b), (c, d) = limits(graph, inputs[0]), limits(graph, inputs[1])
        return (a + c, b + d) if sign > 0 else (a - d, b - c)
    if name == "py.mul" and is_known(n := graph.names.get(inputs[0])) and n > 0:  # or the call has failed
        bits = np.iinfo(places_dtype())
        return bits.min // -n * -n, bits.max // n * n
    if maker is not None and maker.is_int_again:
        return limits(graph, inputs[0])
    if name in ("py.mod", "remainder") and is_known(n := graph.names.get(inputs[1])) and n > 0:
        return 0, n - 1
    return graph.limits.get(value, (-inf, inf))


def most_rounds(graph: Any, op: Operation) -> int | None:
    """A bound of the rounds of a `for`, where there is one; its counter has limits then."""
    (a, b), (c, d), (step, same) = [limits(graph, value) for value in op.inputs[:3]]
    if step != same or step == 0:
        return None
    graph.limits[op.blocks[-1].params[0]] = (a, d - 1) if step > 0 else (c + 1, b)
    most = (d - a) / step if step > 0 else (c - b) / step
    return max(0, ceil(most)) if abs(most) < inf else None
