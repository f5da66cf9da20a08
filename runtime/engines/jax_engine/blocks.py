"""Blocks in JAX: an `if` is `lax.cond`, a loop `lax.fori_loop` or `lax.while_loop`.

A block hands on a `State`: values, the newest versions of what is written, lists that are changed, which
argument an array is, and whether the call fails. Lists have room for what all branches or rounds may append:
a block is traced once before, to see how many items that is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def given_back(rows: Any, room: Any) -> Any:
    """What JAX carried: a dict in the order that it had, which JAX does not keep; a list with its length."""
    if isinstance(rows, dict):
        return {key: rows[key] for key in room}
    return rows if room.length is None else Rows(rows.leaves, room.length)


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


class Blocks:
    """The blocks of an operation that JAX runs, and what they hand on."""

    def __init__(self, graph: Any, op: Operation) -> None:
        self.graph, self.op, self.before = graph, op, graph.failed
        self.holders, self.cells = graph.written_by(op), changed_lists(graph, op)
        #: places among the outputs: of numbers and arrays, of arrays that may be an argument, of lists
        self.carried = [k for k, y in enumerate(op.outputs) if not isinstance(y.type, ObjectType)]
        self.unsure = [k for k, y in enumerate(op.outputs) if graph.may_be_argument(y)]
        self.listed: list[int] = []
        #: what each of the `rows` has room for
        self.rooms: list[Any] = []
        self.may_fail = False

    def rows(self, values: Sequence[Value]) -> list[Any]:
        found = [self.graph.value(values[k]) for k in self.listed]
        return [self.graph.names[cell] for cell in (*found, *self.cells)]

    def state(self, values: Sequence[Value], fit: bool = True) -> State:
        """What these values are now, and all that the blocks change."""
        graph, outputs, rows = self.graph, self.op.outputs, self.rows(values)
        return State(
            tuple([typed(graph.value(values[k]), outputs[k].type) for k in self.carried]),
            tuple([jnp.asarray(graph.value(holder)) for holder in self.holders]),
            tuple(map(fitted, rows, self.rooms) if fit else rows),
            tuple([as_place(graph.origin(values[k])) for k in self.unsure]),
            jnp.asarray(graph.failed),
        )

    def names(self, values: Sequence[Value], state: State) -> dict[Any, Any]:
        """What these values are, and all that the blocks change, where a block has left this state."""
        self.graph.origins.update(zip([values[k] for k in self.unsure], state.origins, strict=True))
        lists: Any = state.lists[len(self.listed) :]
        if self.rooms:
            lists = map(given_back, lists, self.rooms[len(self.listed) :])
        keys = [*[values[k] for k in self.carried], *self.holders, *self.cells]
        return dict(zip(keys, [*state.values, *state.versions, *lists], strict=True))

    def after(self, state: State) -> None:
        self.graph.hand_on(self.op, None)
        self.graph.names.update(self.names(self.op.outputs, state))
        self.graph.failed = state.failed if self.may_fail else self.before


class If(Blocks):
    """An `if` that JAX decides."""

    def __init__(self, graph: Any, op: Operation) -> None:
        super().__init__(graph, op)
        self.listed = [k for k, y in enumerate(op.outputs) if is_list(y.type)]
        self.chosen: list[list[Cell]] = []  # on each path
        self.may_fail = any(block.ends == "never" for block in op.blocks)

    def run(self, which: Any) -> None:
        graph, op = self.graph, self.op
        if self.listed or self.cells:
            for block in op.blocks:
                if block.ends != "never":
                    traced(partial(self.branch, block, self.note))
        then, orelse = [partial(self.branch, block, self.state) for block in op.blocks]
        plain = not (self.holders or self.cells) and all(map(is_plain, op.blocks))
        select = plain and (op in graph.exits or all(map(is_cheap, op.blocks)))
        after = (either if select else lax.cond)(which, then, orelse)
        self.after(after)
        for k, *cells, rows, room in zip(self.listed, *self.chosen, after.lists, self.rooms, strict=False):
            one = cells[0] if all(cell is cells[0] for cell in cells) else cells[0].like()
            one.may_be(cells)
            graph.names[op.outputs[k]] = one
            graph.names[one] = given_back(rows, room)

    def branch(self, block: Block, then: Any) -> Any:
        """What ``then`` says of the results of a block."""
        if block.ends == "never":  # zeros, of the shapes of the other one
            (other,) = [each for each in self.op.blocks if each is not block]
            shapes = jax.eval_shape(partial(self.branch, other, then))
            zeros = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes)
            return zeros._replace(failed=jnp.asarray(True))

        def work() -> Any:
            self.graph.block(block)
            self.may_fail |= self.graph.failed is not self.before
            return then(block.results)

        return self.graph.apart(work)

    def note(self, results: Sequence[Value]) -> None:
        self.chosen.append([self.graph.value(results[k]) for k in self.listed])
        found = list(map(Room.of, self.rows(results)))
        self.rooms = list(map(joined, self.rooms, found)) if self.rooms else found


class Loop(Blocks):
    """A loop that JAX runs.

    ``count``: of rounds; None where the test alone decides. ``most``: rounds, where a bound is known.
    """

    def __init__(
        self, graph: Any, op: Operation, count: Any, start: Any, step: Any, most: int | None
    ) -> None:
        super().__init__(graph, op)
        *tests, self.body = op.blocks
        self.test = tests[0] if tests else None
        self.counted = op.is_counted
        self.count, self.start, self.step, self.most = count, start, step, most
        self.given = op.inputs[3:] if self.counted else op.inputs
        self.others = {k: graph.value(x) for k, x in enumerate(self.given) if isinstance(x.type, ObjectType)}
        self.cells += [c for c in self.others.values() if isinstance(c, Cell) and c not in self.cells]
        self.grows: dict[int, int] = {}  # how many items a round appends to a list
        if self.test is not None:
            asked = {value for inner in walk(self.test) for value in inner.inputs}
            ends = zip(self.params(self.test), self.body.results, strict=True)
            graph.exits |= {v.owner for param, v in ends if param in asked and v.owner is not None}

    def params(self, block: Block) -> list[Value]:
        return block.params[1:] if self.counted else block.params

    def run(self) -> None:
        known = self.count if is_known(self.count) else None
        first = self.state(self.given, fit=False)
        lengths = self.make_room(first, known)
        last = self.looped(first._replace(lists=tuple(map(fitted, first.lists, self.rooms))), known)
        self.rooms = [
            a if n is None else a._replace(length=n) for a, n in zip(self.rooms, lengths, strict=True)
        ]
        self.after(last)
        self.graph.names.update({self.op.outputs[k]: x for k, x in self.others.items()})

    def make_room(self, first: State, known: int | None) -> list[int | None]:
        """Traces one round, to see what it appends. The lengths of the lists after the loop, where known."""
        if not self.cells:
            return []
        lengths: list[int | None] = []
        after: list[Any] = []

        def note(k: Any, state: State) -> None:
            after[:] = map(Room.of, self.round(k, state._replace(lists=first.lists)).lists)

        traced(note, as_place(0), first._replace(lists=()))
        for old, new in zip(map(Room.of, first.lists), after, strict=True):
            room, length = joined(old, new), None
            if isinstance(room, Room):
                grows = new.capacity - old.capacity
                if grows and self.most is None:
                    raise NoForm(
                        "a list grows in a loop, and XLA wants to know how often that is at most",
                        "loop over a range or an array of known length, with `break`",
                    )
                self.grows[len(self.rooms)] = grows
                room = Room(old.capacity + grows * (self.most or 0), room.shapes, None)
                if None not in (known, old.length, new.length) and self.test is None:
                    length = old.length + (new.length - old.length) * known
            self.rooms.append(room)
            lengths.append(length)
        return lengths

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

    def within(self, block: Block, k: Any, state: State, work: Callable[[], Any]) -> Any:
        """What some work gives that is done with the parameters of a block."""
        params = self.params(block)
        names = self.names(params, state) | {params[n]: x for n, x in self.others.items()}
        if self.counted:
            k = k if is_known(self.step) and self.step == 1 else k * as_place(self.step)
            starts_at_0 = is_known(self.start) and self.start == 0
            names[block.params[0]] = k if starts_at_0 else as_place(self.start) + k

        def done() -> Any:
            self.graph.failed = state.failed
            self.graph.block(block)
            self.may_fail |= self.graph.failed is not state.failed
            return work()

        return self.graph.apart(done, names)

    def asked(self, k: Any, state: State) -> Any:
        """Is there a next round, by the count and the test?"""
        there = k < self.count if self.counted else jnp.asarray(True)
        test = self.test
        if test is None:
            return k, there, state

        def answer() -> Any:
            failed = self.graph.failed
            if self.counted and failed is not state.failed:
                failed = jnp.where(there, failed, state.failed)
            on = typed(self.graph.value(test.results[0]), test.results[0].type)
            return k, there & on, state._replace(failed=failed)

        return self.within(test, k, state, answer)

    def round(self, k: Any, state: State) -> State:
        graph, results = self.graph, self.body.results

        def new_state() -> State:
            if self.body.ends == "never":
                self.may_fail = True
                return state._replace(failed=jnp.asarray(True))
            for n, x in self.others.items():
                if isinstance(x, Cell) and graph.value(results[n]) is not x:
                    raise NoForm("another list takes the place of one in a loop", "change the list in place")
            rows = self.rows(results)
            if self.rooms and any(
                rows[n].capacity - self.rooms[n].capacity > m for n, m in self.grows.items()
            ):
                raise NoForm("a list grows more from round to round")
            return self.state(results, fit=bool(self.rooms))

        return self.within(self.body, k, state, new_state)


Limits = tuple[float, float]


def limits(graph: Any, value: Value) -> Limits:
    """The least and the largest that an int of the graph may be, as far as its making tells."""
    known = graph.names.get(value)
    if is_known(known):
        return known, known
    maker, inputs = value.owner, [] if value.owner is None else value.owner.inputs
    name = "" if maker is None else maker.name
    if name == "list.len" and isinstance(cell := graph.names.get(inputs[0]), Cell):
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
