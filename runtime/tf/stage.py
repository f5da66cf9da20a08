"""The stage that converted code asks while a `tf.function` is traced: `if`, `while` and `for` over tensors.

Each block is traced once. What the branches of an `if` leave in a variable becomes one tensor, whose
shape is what both have in common; what a loop changes keeps its element type and shape.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import optree

from autograph.config import exclude
from autograph.operators import Undefined
from autograph.registry import register_stage
from autograph.stages.slots import Slot as Place
from autograph.staging import Stage, State, Thunk
from runtime.gradients.scope import numeric
from runtime.graph import Block, Value
from runtime.ops.definition import Dynamic
from runtime.tf import attributes, math
from runtime.tf.debugging import Assert
from runtime.tf.structures import NAMESPACE, iterator_of
from runtime.tf.tensor_array import TensorArray
from runtime.tf.tensors import SymbolicTensor, Tensor, apply, cast, convert, equal, shape_of, value_in
from runtime.tf.traces import Trace, current
from runtime.types import INT, ArrayType, JoinError, ScalarType, Type, is_subtype, join

BOOL = ScalarType(np.dtype("bool"))


class TensorStage(Stage):
    """Stages control flow over symbolic tensors."""

    name = "tf"

    def active(self) -> bool:
        return current() is not None

    def awake(self) -> bool:
        return current() is not None

    def claims(self, value: Any) -> bool:
        return isinstance(value, SymbolicTensor) or (current() is not None and hasattr(value, "_as_tensor"))

    def checkpoint(self) -> Any:
        trace = traced()
        return len(trace.block.operations), dict(trace.assigned)

    def rollback(self, checkpoint: Any) -> None:
        trace = traced()
        count, trace.assigned = checkpoint
        del trace.block.operations[count:]

    def if_stmt(self, cond: Any, body: Thunk, orelse: Thunk, state: State) -> None:
        state.set(branches(cond, body, orelse, state))

    def while_stmt(self, test: Thunk, body: Thunk, state: State) -> None:
        while_loop(test, lambda _: body(), state)

    def for_stmt(self, iterable: Any, test: Thunk | None, body: Callable[[Any], None], state: State) -> Any:
        if hasattr(iterable, "_as_tensor"):
            iterable = iterable._as_tensor()
        if isinstance(iterable, SymbolicTensor):
            return for_loop(iterable, test, body, state)
        stream = iterator_of(iterable)
        return NotImplemented if stream is None else stream.loop(test, body, state, while_loop)

    def for_rest(
        self, iterator: Iterator[Any], test: Thunk, body: Callable[[Any], None], state: State
    ) -> None:
        """A loop of Python whose end a tensor decides: its iterations are copies, each under an `if`."""
        for item in iterator:
            self.if_stmt(test(), functools.partial(body, item), lambda: None, state)

    def assert_stmt(self, test: Any, message: Thunk | None) -> Any:
        if not self.claims(test):
            return NotImplemented
        Assert(test, [] if message is None else [message()])
        return None

    def if_exp(self, cond: Any, then: Thunk, orelse: Thunk) -> Any:
        return choice(cond, then, orelse)

    def and_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        for thunk in thunks:
            a = choice(a, thunk, _constantly(a)) if self.claims(a) else (a and thunk())
        return a

    def or_(self, a: Any, thunks: tuple[Thunk, ...]) -> Any:
        for thunk in thunks:
            a = choice(a, _constantly(a), thunk) if self.claims(a) else (a or thunk())
        return a

    def not_(self, a: Any) -> Any:
        return apply("logical_not", truth(a))

    def in_(self, item: Any, container: Any) -> Any:
        if isinstance(container, SymbolicTensor):
            return apply("any", container == item, axis=None)
        if not isinstance(container, list | tuple):
            raise TypeError(
                f"a tensor is looked for in a {type(container).__name__}: use a list, or a tensor"
            )
        found: Any = convert(False)
        for each in container:
            found = apply("logical_or", found, equal(item, each))
        return found

    def fstr(self, pieces: tuple[Any, ...]) -> Any:
        convert_piece: dict[Any, Callable[[Any], Any]] = {"r": repr, "s": str, "a": ascii}
        texts = [
            p if isinstance(p, str) else format(convert_piece.get(p[1], lambda v: v)(p[0]), p[2] or "")
            for p in pieces
        ]
        return "".join(texts)

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        if isinstance(target, Tensor):
            raise TypeError(
                "'SymbolicTensor' object does not support item assignment: make a new tensor with"
                " tf.tensor_scatter_nd_update, tf.where or a tf.TensorArray"
            )
        return NotImplemented

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        replaced = _BUILTINS.get(function) if _is_hashable(function) else None
        if replaced is None or not args or not any(map(self.claims, args)):
            return NotImplemented
        return replaced(*args, **kwargs)


def _constantly(value: Any) -> Thunk:
    return lambda: value


def _is_hashable(function: Any) -> bool:
    return type(function).__hash__ is not None


def traced() -> Trace:
    trace = current()
    assert trace is not None
    return trace


def truth(cond: Any) -> Tensor:
    """A test as a boolean scalar."""
    cond = convert(cond)
    if cond.ndim:
        raise ValueError(
            f"The truth value of a tensor of shape {cond.shape} is ambiguous: use tf.reduce_any or"
            f" tf.reduce_all"
        )
    return cond if cond.dtype == np.bool_ else apply("not_equal", cond, convert(0, cond.dtype))


# -- what a block leaves in variables ----------------------------------------------------------------------


def is_undefined(value: Any) -> bool:
    return isinstance(value, Undefined)


def flatten(value: Any) -> tuple[list[Any], Any]:
    return optree.tree_flatten(value, none_is_leaf=True, namespace=NAMESPACE)


def is_tensor_like(value: Any) -> bool:
    """What becomes a tensor where it changes: tensors, numbers and arrays."""
    return isinstance(value, Tensor | bool | int | float | complex | np.ndarray | np.generic) or hasattr(
        value, "_as_tensor"
    )


# -- if ----------------------------------------------------------------------------------------------------


def branches(cond: Any, body: Thunk, orelse: Thunk, state: State) -> tuple[Any, ...]:
    """Trace both branches. Gives the values that the variables have afterwards."""
    trace = traced()
    predicate = value_in(trace, truth(cond))
    before, assigned = state.get(), trace.assigned
    blocks, left, assignments = [], [], []
    heap = attributes.heap_of(state, (body, orelse))
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
        changes.append(attributes.taken_back(heap))
    trace.assigned = assigned
    merge = Merge(trace, (blocks[0], blocks[1]))
    after = tuple(
        [
            merge.place(name, a, b, old)
            for name, a, b, old in zip(state.names, left[0], left[1], before, strict=True)
        ]
    )
    places = {key: slot for several in changes for key, (slot, _) in several.items()}
    held = []
    for key, slot in places.items():
        old = attributes.read(slot)
        a, b = [attributes.plain(several[key][1]) if key in several else old for several in changes]
        held.append((slot, merge.place(slot.name, a, b, old)))
    changed = dict.fromkeys([*assignments[0], *assignments[1]])
    changed = {v: None for v in changed if any(a.get(v) is not assigned.get(v) for a in assignments)}
    for variable in changed:
        then, orelse_value = [a.get(variable) or trace.read(variable) for a in assignments]
        merge.results.append((then, orelse_value))
        merge.types.append(trace.read(variable).type)
    outputs = merge.finish(predicate)
    for variable, value in zip(changed, outputs[len(outputs) - len(changed) :], strict=True):
        trace.assign(variable, value)
    for slot, build in held:
        attributes.write(slot, build(outputs))
    return tuple([build(outputs) for build in after])


class Merge:
    """Joins what two branches leave."""

    def __init__(self, trace: Trace, blocks: tuple[Block, Block]) -> None:
        self.trace = trace
        self.blocks = blocks
        self.results: list[tuple[Value, Value]] = []
        self.types: list[Type] = []

    def place(self, name: str, a: Any, b: Any, before: Any) -> Callable[[tuple[Value, ...]], Any]:
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
        if name and not name.startswith(("retval", "do_return", "did_", "ag_")):
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
            raise TypeError(f"'{name}' is None at the end of the {branch} branch.")
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
                    None if value is None else value_in(self.trace, convert(value, like=_fits(value, like)))
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


def _fits(value: Any, like: Tensor | None) -> Tensor | None:
    """The tensor whose element type a Python number takes, where it can hold it."""
    if like is None or isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        return None
    number = np.asarray(value)
    return like if "biufc".index(number.dtype.kind) <= "biufc".index(like.dtype._numpy.kind) else None


def placeholder(trace: Trace, type: Type) -> Value:
    """A value of this type that nobody reads."""
    return trace.append("undef", (), (type,), {"type": type})[0]


def choice(cond: Any, then: Thunk, orelse: Thunk) -> Any:
    """`then() if cond else orelse()`, by the value that both give."""
    cell: list[Any] = [Undefined("value")]

    def run(thunk: Thunk) -> Thunk:
        return lambda: cell.__setitem__(0, thunk())

    state = State(("the result",), lambda: (cell[0],), lambda values: cell.__setitem__(0, values[0]))
    (found,) = branches(cond, run(then), run(orelse), state)
    return found


# -- loops -------------------------------------------------------------------------------------------------


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
        self.parts = [self._part(*each) for each in zip(state.names, self.initial, strict=True)]

    def _part(self, name: str, value: Any) -> tuple[list[Any], Any]:
        """The leaves of a value: for each that is carried its initial value and type, else itself."""
        if is_undefined(value) or value is None:
            return [value], None
        leaves, tree = flatten(value)
        return [self._leaf(name, x) for x in leaves], tree

    def _leaf(self, name: str, value: Any) -> Any:
        if not is_tensor_like(value):
            return value
        tensor = convert(value)
        initial = value_in(self.trace, tensor)
        found = initial.type
        shape = self.invariants.get(id(value))
        if shape is not None and isinstance(found, ArrayType):
            found = ArrayType(found.dtype, tuple(shape))
        return Slot(initial, found, name=name)

    def slots(self) -> list[Slot]:
        return [leaf for leaves, _ in self.parts for leaf in leaves if isinstance(leaf, Slot)]

    def enter(self, block: Block) -> list[Value]:
        """Set the variables to parameters of a block; gives these."""
        params: list[Value] = []

        def entered(leaf: Any) -> Any:
            if not isinstance(leaf, Slot):
                return leaf
            params.append(Value(leaf.type, leaf.name))
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
        self.parts[k] = ([Slot(outside(v.type), v.type, fresh=True) for v in made], tree)
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
        value = value_in(self.trace, convert(new, like=_fits(new, like)))
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
    """A tensor that a loop carries."""

    entered: Any = None

    def __init__(self, initial: Value, type: Any, fresh: bool = False, name: str = "") -> None:
        self.initial, self.type, self.fresh, self.name = initial, type, fresh, name


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
        changed = [slot for slot, _ in attributes.taken_back(heap, places).values()]
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
    types = tuple([value.type for value in body_block.params])
    if items is None:
        outputs = trace.append("while", initial, types, {}, (test_block, body_block))
    else:
        outputs = _append_for(trace, items, counting, test, test_block, body_block, initial, types)
    for variable, value in zip(variables, outputs[len(slots) :], strict=True):
        if variable in assigned:
            trace.assign(variable, value)
    left = dict(zip(slots, outputs, strict=False))
    state.set(
        carried.rebuilt(lambda leaf: SymbolicTensor(left[leaf], trace) if isinstance(leaf, Slot) else leaf)
    )


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


def _range(*bounds: Any) -> Tensor:
    return math.range(*bounds)


def _len(x: Any) -> Any:
    return x.shape[0] if x.shape[0] is not None else shape_of(x)[0]


class Rows:
    """`zip` and `enumerate` of tensors, as a loop goes over them: a row of each."""

    def __init__(self, item: Callable[[Any], Any], parts: tuple[Tensor, ...]) -> None:
        self.item, self.parts = item, parts

    def _traced_loop(self) -> Rows:
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter([self.item(k) for k in range(min(len(x) for x in self.parts))])

    def loop(self, test: Thunk | None, body: Callable[[Any], Any], state: State, while_loop: Any) -> None:
        count = shape_of(self.parts[0])[0]
        for x in self.parts[1:]:
            count = math.minimum(count, shape_of(x)[0])
        for_loop(math.range(count), test, lambda k: body(self.item(k)), state)


def _enumerate(x: Any, start: Any = 0) -> Rows:
    x = convert(x)
    return Rows(lambda k: (convert(k) + start, x[k]), (x,))


def _zip(*iterables: Any) -> Rows:
    parts = tuple(map(convert, iterables))
    return Rows(lambda k: tuple([x[k] for x in parts]), parts)


_BUILTINS: dict[Any, Callable[..., Any]] = {
    enumerate: _enumerate,
    zip: _zip,
    range: _range,
    len: _len,
    int: lambda x: cast(x, np.int32),
    float: lambda x: cast(x, np.float32),
    bool: truth,
    abs: lambda x: apply("absolute", convert(x)),
}

exclude("runtime")
stage = TensorStage()
register_stage(stage)
