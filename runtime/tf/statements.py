"""Loops over tensors: the test and the body are traced once, and what changes is carried.

`if` over tensors: both branches are traced, and what they leave in a variable becomes one tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import optree

from autograph.operators import Undefined
from autograph.stages.heap import Slot as Place
from autograph.staging import State, Thunk
from runtime.graph import Block, Value
from runtime.ops.definition import Dynamic
from runtime.tf import block_values
from runtime.tf.block_values import (
    flatten,
    is_of_program,
    is_tensor_like,
    is_undefined,
    like_of,
    placeholder,
    traced,
    truth,
)
from runtime.tf.carried import Carried, OptionsGiven, Slot
from runtime.tf.tensor_array import TensorArray
from runtime.tf.tensors import SymbolicTensor, Tensor, apply, convert, require, value_in
from runtime.tf.traces import Scope, Trace
from runtime.types import INT, JoinError, Type, join


def while_loop(test: Thunk, body: Callable[[Any], Any], state: State) -> None:
    """`while test(): body()`, as an operation with two blocks."""
    _Loop(state, "while", test, body).run()


def for_loop(items: SymbolicTensor, test: Thunk | None, body: Callable[[Any], Any], state: State) -> None:
    """A loop over the rows of a tensor."""
    if not items.ndim:
        raise TypeError("Cannot iterate over a scalar tensor.")
    _Loop(state, "for", test, body, items).run()


class _Block:
    """The test or the body of a loop, as it was traced."""

    def __init__(self, params: list[Value], block: Block, scope: Scope) -> None:
        self.params, self.block, self.scope = params, block, scope

    def take(self, slots: list[Slot], variables: Iterable[Any], also: Sequence[Value]) -> None:
        """Its parameters. Those of slots that the body made are new, and stand where their slots do."""
        given = iter(self.params)
        self.block.params = [Value(slot.type) if slot.fresh else next(given) for slot in slots]
        self.block.params += [self.scope.value(v) for v in variables]
        self.block.params += [Value(value.type) for value in also]


#: places that the body changes, and for each part of the state the shape of rows that it gave a TensorArray
_News = tuple[list[Place], list[Any]]


class _Loop:
    """One loop: its blocks are traced, then it is an operation.

    items: what a `for` goes over. places: attributes and items of dicts that the body changes.
    """

    def __init__(
        self,
        state: State,
        kind: str,
        test: Thunk | None,
        body: Callable[[Any], Any],
        items: Any = None,
        places: tuple[Place, ...] = (),
    ) -> None:
        self.trace = traced()
        self.state, self.kind, self.test, self.body = state, kind, test, body
        self.items, self.places = items, places
        self.carried = Carried(self.trace, state, kind)
        #: the numbers of the iteration in the test and in the body
        self.counting = [Value(INT, "i"), Value(INT, "i")] if items is not None else []
        self.blocks: list[_Block] = []

    def run(self) -> None:
        maximum = self.carried.maximum
        if maximum is not None:
            self.carried.options["maximum_iterations"] = None
            self.trace.loop_options = self.carried.options
            return self._at_most(maximum).run()
        if self.test is not None:
            self._trace_test(self.test)
        results, assigned, news = self._trace_body()
        return self._append(results, assigned) if news is None else self._again(news).run()

    # -- tracing ---------------------------------------------------------------------------------------

    def _trace_test(self, test: Thunk) -> None:
        block = Block()
        params = self.carried.enter(block)
        with self.trace.scope(block) as scope:
            block.results = (value_in(self.trace, truth(test())),)
            if self.trace.assigned:
                raise NotImplementedError(
                    "a variable is assigned in the test of a loop: assign it in the body"
                )
        self.blocks.append(_Block(params, block, scope))

    def _trace_body(self) -> tuple[list[Value], dict[Any, Value], _News | None]:
        """The next state, the variables assigned; or what the body shows, for which it is traced again."""
        block = Block()
        params = self.carried.enter(block)
        heap = block_values.heap_of(self.state, (self.body,))
        own = {k for value in self.state.get() for k in block_values.containers_in(value)}
        with self.trace.scope(block) as scope:
            self._run_body()
            changed = [slot for slot, _ in block_values.taken_back(heap, self.places, own).values()]
            shapes = _shapes_of_rows(self.carried.initial, self.state.get())
            self.blocks.append(_Block(params, block, scope))
            if changed or self.carried.given is not None or any(shape is not None for shape in shapes):
                return [], {}, (changed, shapes)
            return self.carried.leave(self._nothing, block), dict(self.trace.assigned), None

    def _nothing(self, type: Type) -> Value:
        """A value that nobody reads, made before the loop, while its body is traced."""
        with self.trace.into(self.trace.blocks[-2]):
            return placeholder(self.trace, type)

    def _run_body(self) -> None:
        item = None
        if self.items is not None:
            count = SymbolicTensor(self.counting[1], self.trace)
            item = apply("getitem", self.items, count, index=(Dynamic(0),))
        self.trace.loops.append(self.carried)
        try:
            self.body(item)
        except OptionsGiven as options:
            if options.loop is not self.carried:
                raise
        finally:
            self.trace.loops.pop()

    def _again(self, news: _News) -> _Loop:
        """The loop, to be traced once more, now that it is known what its body carries."""
        changed, shapes = news
        initial: Any = self.carried.initial
        leaves, structure = optree.tree_flatten(initial)
        if shapes:
            leaves = [a if n is None else a.with_rows(n) for a, n in zip(leaves, shapes, strict=True)]
        made: Any = optree.tree_unflatten(structure, leaves)
        self.state.set(made)
        self.trace.loop_options = self.carried.given or self.carried.options
        state = block_values.extended(self.state, changed) if changed else self.state
        return _Loop(state, self.kind, self.test, self.body, self.items, (*self.places, *changed))

    def _at_most(self, maximum: Any) -> _Loop:
        """The loop, ended after so many iterations."""
        cell: list[Any] = [convert(0)]
        limit = convert(maximum, np.int32)
        test, body, state = self.test, self.body, self.state

        def go_on() -> Any:
            below = cell[0] < limit
            return below if test is None else apply("logical_and", below, truth(test()))

        def counted(item: Any) -> None:
            body(item)
            cell[0] = cell[0] + 1

        def set_all(values: tuple[Any, ...]) -> None:
            cell[0] = values[0]
            state.set(values[1:])

        counting = State(("the number of iterations", *state.names), lambda: (cell[0], *state.get()), set_all)
        return _Loop(counting, self.kind, go_on, counted, self.items)

    # -- the operation ---------------------------------------------------------------------------------

    def _append(self, results: list[Value], assigned: dict[Any, Value]) -> None:
        trace, slots = self.trace, self.carried.slots()
        read = [variable for each in self.blocks for variable in each.scope.params]
        variables = dict.fromkeys([*assigned, *read])
        #: has it run? asked for where the body makes variables
        ran = [trace.constant(np.False_)] if any(slot.fresh for slot in slots) else []
        initial = [*[s.initial for s in slots], *[value_in(trace, v._as_tensor()) for v in variables], *ran]
        for each in self.blocks:
            each.take(slots, variables, ran)
        body = self.blocks[-1]
        body.block.results = (*results, *[assigned.get(v) or body.scope.value(v) for v in variables])
        if ran:
            with trace.into(body.block):
                body.block.results += (trace.constant(np.True_),)
        outputs = self._operation(initial)
        for variable, value in zip(variables, outputs[len(slots) :], strict=False):
            if variable in assigned:
                trace.assign(variable, value)
        self._leave(slots, outputs)

    def _operation(self, initial: list[Value]) -> tuple[Value, ...]:
        trace, items = self.trace, self.items
        types = tuple([value.type for value in self.blocks[-1].block.params])
        blocks = tuple([each.block for each in self.blocks])
        if items is None:
            return trace.append("while", initial, types, {}, blocks)
        n = items.shape[0]
        stop = trace.constant(n) if n is not None else trace.emit("dim", [items._value], {"axis": 0})[0]
        for block, number in zip(reversed(blocks), reversed(self.counting), strict=False):
            block.params.insert(0, number)
        return trace.append("for", [trace.constant(0), stop, trace.constant(1), *initial], types, {}, blocks)

    def _leave(self, slots: list[Slot], outputs: tuple[Value, ...]) -> None:
        """Set the variables to what the loop gives."""
        left = dict(zip(slots, [SymbolicTensor(value, self.trace) for value in outputs], strict=False))
        for slot in slots:
            if slot.made is not None and is_of_program(slot.made):
                text = f"loop must iterate at least once to initialize '{slot.made}'"
                left[slot] = require(left[slot], SymbolicTensor(outputs[-1], self.trace), text)
        self.carried.end(lambda leaf: left[leaf] if isinstance(leaf, Slot) else leaf)


def _shapes_of_rows(before: Any, after: Any) -> list[Any]:
    """`_shape_of_rows` of the parts of a state; nothing where its structure changes."""
    (a, tree), (b, other) = optree.tree_flatten(before), optree.tree_flatten(after)
    return list(map(_shape_of_rows, a, b)) if tree == other else []


def _shape_of_rows(before: Any, after: Any) -> Any:
    """The shape of the rows of a TensorArray that had none before this iteration."""
    if not isinstance(before, TensorArray) or not isinstance(after, TensorArray):
        return None
    return after.element_shape if before.element_shape is None else None


def branches(cond: Any, body: Thunk, orelse: Thunk, state: State) -> None:
    """Trace both branches, and set the variables to what they have afterwards."""
    trace = traced()
    predicate = value_in(trace, truth(cond))
    before, assigned = state.get(), trace.assigned
    blocks, left, assignments = [], [], []
    heap = block_values.heap_of(state, (body, orelse))
    changes = []
    for run in (body, orelse):
        trace.assigned = dict(assigned)
        block = Block()
        with trace.into(block):
            run()
        blocks.append(block)
        left.append(state.get())
        assignments.append(trace.assigned)
        state.set(before)
        changes.append(block_values.taken_back(heap))
    trace.assigned = assigned
    merge = Merge(trace, (blocks[0], blocks[1]))
    sides = _with_rows(trace, blocks, left)
    places = {key: slot for several in changes for key, (slot, _) in several.items()}
    for values, several in zip(sides, changes, strict=True):
        values += [several[key][1] if key in several else slot.read() for key, slot in places.items()]
    whole = block_values.extended(state, list(places.values()))
    after = [merge.place(*each) for each in zip(whole.names, *sides, strict=True)]
    changed = dict.fromkeys([*assignments[0], *assignments[1]])
    changed = {v: None for v in changed if any(a.get(v) is not assigned.get(v) for a in assignments)}
    for variable in changed:
        then, orelse_value = [a.get(variable) or trace.read(variable) for a in assignments]
        merge.results.append((then, orelse_value))
        merge.types.append(trace.read(variable).type)
    outputs = merge.finish(predicate)
    for variable, value in zip(changed, outputs[len(outputs) - len(changed) :], strict=True):
        trace.assign(variable, value)
    whole.set(tuple([build(outputs) for build in after]))


def _with_rows(trace: Trace, blocks: list[Block], left: list[tuple[Any, ...]]) -> list[list[Any]]:
    """Where one branch writes to a TensorArray for the first time, it has rows in the other one, too."""
    found = [list(values) for values in left]
    for k, pair in enumerate(zip(*left, strict=True)):
        for at, other in ((0, 1), (1, 0)):
            mine, rows = pair[at], getattr(pair[other], "element_shape", None)
            if isinstance(mine, TensorArray) and mine.element_shape is None and rows is not None:
                with trace.into(blocks[at]):
                    found[at][k] = mine.with_rows(rows)
    return found


class Merge:
    """Joins what two branches leave."""

    def __init__(self, trace: Trace, blocks: tuple[Block, Block]) -> None:
        self.trace = trace
        self.blocks = blocks
        self.results: list[tuple[Value, Value]] = []
        self.types: list[Type] = []

    def place(self, name: str, a: Any, b: Any) -> Callable[[tuple[Value, ...]], Any]:
        """One variable. Gives what makes its value of the outputs of the `if`."""
        if a is b or (type(a) is type(b) and isinstance(a, bool | int | float | str) and a == b):
            return lambda _: a
        if is_undefined(a) or is_undefined(b):
            return self._half_defined(name, a, b)
        (leaves_a, tree_a), (leaves_b, tree_b) = flatten(a), flatten(b)
        if tree_a != tree_b:
            raise TypeError(
                f"'{name}' does not have the same nested structure in the main and else branches:"
                f" {a!r} and {b!r}"
            )
        parts = [self._leaf(name, x, y) for x, y in zip(leaves_a, leaves_b, strict=True)]
        return lambda outputs: optree.tree_unflatten(tree_a, [part(outputs) for part in parts])

    def _half_defined(self, name: str, a: Any, b: Any) -> Callable[[tuple[Value, ...]], Any]:
        """A variable of the conversion's own is not read before it is set; one of the user's has to be."""
        missing, other = ("main", b) if is_undefined(a) else ("else", a)
        if name and is_of_program(name):
            raise ValueError(f"'{name}' must also be initialized in the {missing} branch")
        leaves, tree = flatten(other)
        pairs = [(None, x) if is_undefined(a) else (x, None) for x in leaves]
        parts = [self._leaf(name, x, y, filled=True) for x, y in pairs]
        return lambda outputs: optree.tree_unflatten(tree, [part(outputs) for part in parts])

    def _leaf(self, name: str, a: Any, b: Any, filled: bool = False) -> Callable[[tuple[Value, ...]], Any]:
        if a is b:
            return lambda _: a
        if filled and not is_tensor_like(b if a is None else a):
            return lambda _: b if a is None else a
        if (a is None or b is None) and not filled:
            branch = "main" if a is None else "else"
            if name.startswith("retval"):
                raise ValueError(f"the {branch} branch must also have a return statement.")
            raise ValueError(f"'{name}' is None at the end of the {branch} branch.")
        for value in (a, b):
            if value is not None and not is_tensor_like(value):
                raise TypeError(
                    f"'{name}' is {value!r} in one branch, and the other leaves something else: only"
                    " tensors, numbers and arrays can differ"
                )
        values = self._values(name, a, b)
        self.results.append(values)
        self.types.append(self._joined(name, *values))
        k = len(self.results) - 1
        return lambda outputs: SymbolicTensor(outputs[k], self.trace)

    def _values(self, name: str, a: Any, b: Any) -> tuple[Value, Value]:
        """Both as values of the graph; a Python number takes the element type of the other."""
        likes = [x for x in (a, b) if isinstance(x, Tensor)]
        like = likes[0] if len(likes) == 1 else None
        found: list[Any] = []
        for value, block in zip((a, b), self.blocks, strict=True):
            with self.trace.into(block):
                found.append(
                    None if value is None else value_in(self.trace, convert(value, like=like_of(value, like)))
                )
        for k in (0, 1):
            if found[k] is None:
                with self.trace.into(self.blocks[k]):
                    found[k] = placeholder(self.trace, found[1 - k].type)
        return found[0], found[1]

    def _joined(self, name: str, a: Value, b: Value) -> Type:
        ta, tb = a.numeric, b.numeric
        if ta.dtype != tb.dtype:
            raise TypeError(
                f"'{name}' has dtype {ta.dtype.name} in the main branch, but dtype {tb.dtype.name}"
                f" in the else"
                " branch"
            )
        try:
            return join(ta, tb)
        except JoinError:
            raise NotImplementedError(
                f"'{name}' has shape {ta.shape} in the main branch and {tb.shape} in the else"
                f" branch: tensors with"
                " an unknown number of dimensions are not supported"
            ) from None

    def finish(self, predicate: Value) -> tuple[Value, ...]:
        for k, block in enumerate(self.blocks):
            block.results = tuple([values[k] for values in self.results])
        return self.trace.append("if", (predicate,), tuple(self.types), {}, self.blocks)


def choice(cond: Any, then: Thunk, orelse: Thunk) -> Any:
    """`then() if cond else orelse()`, by the value that both give."""
    cell: list[Any] = [Undefined("value")]

    def run(thunk: Thunk) -> Thunk:
        return lambda: cell.__setitem__(0, thunk())

    state = State(("the result",), lambda: (cell[0],), lambda values: cell.__setitem__(0, values[0]))
    branches(cond, run(then), run(orelse), state)
    return cell[0]
