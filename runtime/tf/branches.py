"""`if` over tensors: both branches are traced, and what they leave in a variable becomes one tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import optree

from autograph.operators import Undefined
from autograph.staging import State, Thunk
from runtime.gradients.scope import numeric
from runtime.graph import Block, Value
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
from runtime.tf.tensor_array import TensorArray
from runtime.tf.tensors import SymbolicTensor, Tensor, convert, value_in
from runtime.tf.traces import Trace
from runtime.types import JoinError, Type, join


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
        ta, tb = numeric(a), numeric(b)
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
