"""Loops over tensors: the test and the body are traced once, and what changes is carried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import optree

from autograph.stages.slots import Slot as Place
from autograph.staging import State, Thunk
from runtime.gradients.scope import numeric
from runtime.graph import Block, Value
from runtime.ops.definition import Dynamic
from runtime.tf import attributes
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
from runtime.tf.tensors import SymbolicTensor, apply, convert, require, value_in
from runtime.tf.traces import Trace
from runtime.types import INT, ArrayType, Type, is_subtype


class Carried:
    """What a loop carries: for each variable of the statement, the tensors in its value."""

    def __init__(self, trace: Trace, state: State, kind: str) -> None:
        self.trace, self.state, self.kind = trace, state, kind
        options, trace.loop_options = trace.loop_options, {}
        self.options = options
        #: what the body said itself, by tf.autograph.experimental.set_loop_options
        self.given: dict[str, Any] | None = None
        self.invariants = {id(x): s for x, s in options.get("shape_invariants") or ()}
        self.maximum = options.get("maximum_iterations")
        self.initial = state.get()
        self.parts = [self._part(value) for value in self.initial]

    def _part(self, value: Any) -> tuple[list[Any], Any]:
        """The leaves of a value: for each that is carried its initial value and type, else itself."""
        if is_undefined(value) or value is None:
            return [value], None
        leaves, tree = flatten(value)
        return [self._leaf(x) for x in leaves], tree

    def _leaf(self, value: Any) -> Any:
        if not is_tensor_like(value):
            return value
        tensor = convert(value)
        initial = value_in(self.trace, tensor)
        found = initial.type
        shape = self.invariants.get(id(value))
        if shape is not None and isinstance(found, ArrayType):
            found = ArrayType(found.dtype, tuple(shape))
        return Slot(initial, found)

    def slots(self) -> list[Slot]:
        return [leaf for leaves, _ in self.parts for leaf in leaves if isinstance(leaf, Slot)]

    def enter(self, block: Block) -> list[Value]:
        """Set the variables to parameters of a block; gives these."""
        params: list[Value] = []

        def entered(leaf: Any) -> Any:
            if not isinstance(leaf, Slot):
                return leaf
            params.append(Value(leaf.type))
            self.trace.home[params[-1]] = block
            leaf.entered = SymbolicTensor(params[-1], self.trace)
            return leaf.entered

        self.state.set(self.rebuilt(entered))
        return params

    def rebuilt(self, made: Callable[[Any], Any]) -> tuple[Any, ...]:
        found = []
        for leaves, tree in self.parts:
            values = [made(leaf) for leaf in leaves]
            found.append(values[0] if tree is None else optree.tree_unflatten(tree, values))
        return tuple(found)

    def leave(self, outside: Callable[[Type], Value], body: Block) -> list[Value]:
        """The next state, as the body leaves the variables. Slots appear for those that the body makes:
        these have a parameter that is never read."""
        results: list[Value] = []
        for k, (name, value) in enumerate(zip(self.state.names, self.state.get(), strict=True)):
            leaves, tree = self.parts[k]
            if tree is None and (is_undefined(leaves[0]) or leaves[0] is None):
                results += self._appeared(k, name, leaves[0], value, outside)
                continue
            found, found_tree = flatten(value)
            if found_tree != tree:
                raise TypeError(
                    f"'{name}' does not have the same nested structure after one iteration:"
                    f" {self.initial[k]!r} and {value!r}"
                )
            for leaf, new in zip(leaves, found, strict=True):
                results += self._next(name, leaf, new)
        return results

    def _appeared(
        self, k: int, name: str, old: Any, value: Any, outside: Callable[[Type], Value]
    ) -> list[Value]:
        if value is old or is_undefined(value) or value is None:
            return []
        leaves, tree = flatten(value)
        if not all(map(is_tensor_like, leaves)):
            what = "may not be None" if old is None else "must be defined"
            raise ValueError(f"'{name}' {what} before the loop")
        made = [value_in(self.trace, convert(x)) for x in leaves]
        self.parts[k] = ([Slot(outside(v.type), v.type, name) for v in made], tree)
        return made

    def _next(self, name: str, leaf: Any, new: Any) -> list[Value]:
        if not isinstance(leaf, Slot):
            if leaf is not new and leaf != new:
                raise TypeError(
                    f"'{name}' changes from {leaf!r} to {new!r} in the loop: only tensors, numbers and"
                    " arrays can change"
                )
            return []
        if not is_tensor_like(new):
            raise TypeError(f"'{name}' is {new!r} after one iteration: it has to stay a tensor")
        like = SymbolicTensor(leaf.initial, self.trace)
        value = value_in(self.trace, convert(new, like=like_of(new, like)))
        if numeric(value).dtype != leaf.type.dtype:
            raise TypeError(
                f"'{name}' has dtype {leaf.type.dtype.name} before the loop, but dtype"
                f" {numeric(value).dtype.name}"
                f" after one iteration of the {self.kind} loop"
            )
        if not is_subtype(value.type, leaf.type):
            old, found = like.shape, SymbolicTensor(value, self.trace).shape
            raise ValueError(
                f"'{name}' has shape {old} before the loop, but shape {found} after one iteration of the"
                f" {self.kind} loop. Use tf.autograph.experimental.set_loop_options to set shape invariants."
            )
        return [value]

    def give(self, options: dict[str, Any]) -> None:
        """Options that the body says of itself, in terms of the tensors that it sees."""
        if self.given is not None or self.options:
            return
        seen = {
            id(slot.entered): leaf for slot, leaf in zip(self.slots(), self._initial_leaves(), strict=True)
        }
        pairs = [(seen.get(id(x), x), shape) for x, shape in options.get("shape_invariants") or ()]
        self.given = {**options, "shape_invariants": pairs}
        raise OptionsGiven(self)

    def _initial_leaves(self) -> list[Any]:
        leaves = [x for value in self.initial if value is not None for x in flatten(value)[0]]
        return [x for x in leaves if is_tensor_like(x)]


class OptionsGiven(Exception):
    """The body of a loop has said what the loop may change: it is traced again."""

    def __init__(self, loop: Carried) -> None:
        super().__init__()
        self.loop = loop


class Slot:
    """A tensor that a loop carries. made: the variable, where it is the body that makes it."""

    entered: Any = None

    def __init__(self, initial: Value, type: Any, made: str | None = None) -> None:
        self.initial, self.type, self.made = initial, type, made

    @property
    def fresh(self) -> bool:
        return self.made is not None


def while_loop(test: Thunk, body: Callable[[Any], Any], state: State) -> None:
    """`while test(): body()`, as an operation with two blocks."""
    trace = traced()
    _loop(trace, state, "while", test, body, None)


def for_loop(items: SymbolicTensor, test: Thunk | None, body: Callable[[Any], Any], state: State) -> None:
    """A loop over the rows of a tensor."""
    if not items.ndim:
        raise TypeError("Cannot iterate over a scalar tensor.")
    _loop(traced(), state, "for", test, body, items)


def _loop(
    trace: Trace,
    state: State,
    kind: str,
    test: Thunk | None,
    body: Callable[[Any], Any],
    items: Any,
    places: tuple[Place, ...] = (),
) -> None:
    carried = Carried(trace, state, kind)
    if carried.maximum is not None:
        maximum, carried.options["maximum_iterations"] = carried.maximum, None
        trace.loop_options = carried.options
        return _loop_at_most(trace, maximum, state, kind, test, body, items)
    counting = [Value(INT, "i"), Value(INT, "i")] if items is not None else []
    test_block, body_block = Block(), Block()
    scopes = []
    test_params: list[Value] = []
    if test is not None:
        test_params = carried.enter(test_block)
        with trace.scope(test_block) as scope:
            test_block.results = (value_in(trace, truth(test())),)
            if trace.assigned:
                raise NotImplementedError(
                    "a variable is assigned in the test of a loop: assign it in the body"
                )
            scopes.append(scope)
    body_params = carried.enter(body_block)
    heap = attributes.heap_of(state, (body,))
    own = {k for value in state.get() for k in attributes.containers_in(value)}
    with trace.scope(body_block) as scope:
        item = None
        if items is not None:
            count = SymbolicTensor(counting[1], trace)
            item = apply("getitem", items, count, index=(Dynamic(0),))
        trace.loops.append(carried)
        try:
            body(item)
        except OptionsGiven as options:
            if options.loop is not carried:
                raise
        finally:
            trace.loops.pop()
        shapes = [_shape_of_rows(a, b) for a, b in zip(carried.initial, state.get(), strict=True)]
        changed = [slot for slot, _ in attributes.taken_back(heap, places, own).values()]
        begun_again = bool(changed) or carried.given is not None or shapes.count(None) != len(shapes)
        results = [] if begun_again else carried.leave(_Outside(trace), body_block)
        assigned = dict(trace.assigned)
        scopes.append(scope)
    if begun_again:  # the body has said what it carries
        again = zip(carried.initial, shapes, strict=True)
        state.set(tuple([a if shape is None else a.with_rows(shape) for a, shape in again]))
        trace.loop_options = carried.given or carried.options
        state = attributes.extended(state, changed) if changed else state
        return _loop(trace, state, kind, test, body, items, (*places, *changed))
    slots = carried.slots()
    variables = dict.fromkeys([*assigned, *[v for scope in scopes for v in scope.params]])
    initial = [slot.initial for slot in slots] + [value_in(trace, v._as_tensor()) for v in variables]
    # the parameters: those of slots that the body made are new, and stand where their slots do
    for block, params, scope in zip(
        [test_block, body_block] if test is not None else [body_block],
        [test_params, body_params] if test is not None else [body_params],
        scopes,
        strict=True,
    ):
        given = iter(params)
        block.params = [Value(s.type) if s.fresh else next(given) for s in slots]
        block.params += [scope.value(v) for v in variables]
    body_block.results = (*results, *[assigned.get(v) or scopes[-1].value(v) for v in variables])
    if any(slot.fresh for slot in slots):  # a truth value more: has it run?
        initial.append(trace.constant(np.False_))
        for block in (test_block, body_block):
            block.params.append(Value(initial[-1].type))
        with trace.into(body_block):
            body_block.results += (trace.constant(np.True_),)
    types = tuple([value.type for value in body_block.params])
    if items is None:
        outputs = trace.append("while", initial, types, {}, (test_block, body_block))
    else:
        outputs = _append_for(trace, items, counting, test, test_block, body_block, initial, types)
    for variable, value in zip(variables, outputs[len(slots) :], strict=False):
        if variable in assigned:
            trace.assign(variable, value)
    left = dict(zip(slots, [SymbolicTensor(value, trace) for value in outputs], strict=False))
    for slot in slots:
        if slot.made is not None and is_of_program(slot.made):
            text = f"loop must iterate at least once to initialize '{slot.made}'"
            left[slot] = require(left[slot], SymbolicTensor(outputs[-1], trace), text)
    state.set(carried.rebuilt(lambda leaf: left[leaf] if isinstance(leaf, Slot) else leaf))


def _loop_at_most(
    trace: Trace,
    maximum: Any,
    state: State,
    kind: str,
    test: Thunk | None,
    body: Callable[[Any], Any],
    items: Any,
) -> None:
    """The loop, ended after so many iterations."""
    cell: list[Any] = [convert(0)]
    limit = convert(maximum, np.int32)

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
    _loop(trace, counting, kind, go_on, counted, items)


def _append_for(
    trace: Trace,
    items: Any,
    counting: list[Value],
    test: Any,
    test_block: Block,
    body_block: Block,
    initial: list[Value],
    types: tuple[Type, ...],
) -> tuple[Value, ...]:
    length = items.shape[0]
    stop = trace.constant(length) if length is not None else trace.emit("dim", [items._value], {"axis": 0})[0]
    bounds = [trace.constant(0), stop, trace.constant(1)]
    body_block.params.insert(0, counting[1])
    blocks: tuple[Block, ...] = (body_block,)
    if test is not None:
        test_block.params.insert(0, counting[0])
        blocks = (test_block, body_block)
    return trace.append("for", [*bounds, *initial], types, {}, blocks)


def _shape_of_rows(before: Any, after: Any) -> Any:
    """The shape of the rows of a TensorArray that had none before this iteration."""
    if not isinstance(before, TensorArray) or not isinstance(after, TensorArray):
        return None
    return after.element_shape if before.element_shape is None else None


class _Outside:
    """Makes placeholders before the loop, while its body is traced."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def __call__(self, type: Type) -> Value:
        with self.trace.into(self.trace.blocks[-2]):
            return placeholder(self.trace, type)
