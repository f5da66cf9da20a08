"""`tf.GradientTape`, `tf.custom_gradient`, `tf.stop_gradient`."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import optree

from runtime.differentiation.eager_tape import adjoints
from runtime.differentiation.marks import by_mark, gradient_at
from runtime.gradients import expand as expansion
from runtime.gradients.expand import Fragment
from runtime.gradients.scope import is_smooth
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.functions import inline_calls
from runtime.graph.liveness import free_in
from runtime.recording import Record, note, records, start, stop
from runtime.tf import recording
from runtime.tf.arguments import only
from runtime.tf.node_kinds import source_of, usual_name
from runtime.tf.recording import Copy, operations_between
from runtime.tf.tensors import EagerTensor, SymbolicTensor, Tensor, apply, convert, value_in
from runtime.tf.traces import Trace, current, name_scope, tracing
from runtime.tf.variables import Variable


class UnconnectedGradients(enum.Enum):
    """What a gradient is with respect to what the target does not depend on."""

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Records what is computed, for `gradient`.

    persistent: `gradient` may be asked for more than once. watch_accessed_variables: trainable variables that
    are read count as watched.

    >>> x = convert(3.0)
    >>> with GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent = persistent
        self.watches_variables = watch_accessed_variables
        self.trace = current()
        self.record = Record(False)  # of what is computed eagerly
        self._watched: dict[int, Any] = {}
        #: the values that were read of a variable
        self._reads: dict[Variable, dict[int, Any]] = {}
        self._played = False
        #: in a trace: the block in which the tape began, and the marks behind which derivatives begin
        self._block: Block | None = None
        self._marks: dict[Value, object] = {}

    def __enter__(self) -> GradientTape:
        recording.active().append(self)
        if self.trace is None:
            start(self.record)
        elif self._block is None:
            self._begin(self.trace)
        else:
            self.trace.append("record", (), (), {"tape": self, "on": True})
        return self

    def __exit__(self, *_: object) -> None:
        recording.active().remove(self)
        if self.trace is None:
            stop(self.record)
        else:
            self.trace.append("record", (), (), {"tape": self, "on": False})

    def _begin(self, trace: Trace) -> None:
        self._block, self._marks, self._mark = trace.block, {}, _new_mark(trace)
        self._assigned_inside: set[Variable] = set()

    def watch(self, tensor: Any) -> None:
        for each in optree.tree_leaves(tensor):
            if isinstance(each, Variable):
                self._watched[id(each)] = each
                each._as_tensor()
                continue
            if not isinstance(each, Tensor):
                raise ValueError(f"Passed in object {each!r} of type '{type(each).__name__}', not tf.Tensor")
            self._watched[id(each)] = each
            if self.trace is not None:
                self._mark_value(value_in(self.trace, each), _new_mark(self.trace))
            elif isinstance(each, EagerTensor):
                self.record.watch(each)

    def note_read(self, variable: Variable, value: Any) -> None:
        if self.watches_variables or id(variable) in self._watched:
            self._reads.setdefault(variable, {})[id(value)] = value
            if self.trace is None:
                self.record.watch(value)
            else:
                self._mark_value(value, self._mark)

    def _mark_value(self, value: Value, mark: object) -> None:
        """Derivatives with respect to it begin at the mark, unless it is computed since the tape began."""
        if not any(op is value.owner for op in self._operations()):
            self._marks.setdefault(value, mark)

    def note_assigned(self, variable: Variable) -> None:
        if self.trace is not None and self.trace.block is not self._block:
            self._assigned_inside.add(variable)

    def _operations(self) -> list[Operation]:
        """What was traced since the tape began, in its block and in those of it that are traced now."""
        trace = self.trace
        assert trace is not None
        begun = next((k for k, block in enumerate(trace.blocks) if block is self._block), None)
        if begun is None:
            raise NotImplementedError(
                "a tape is used outside of the branch or loop in which it was opened: ask for the gradient "
                "inside, and keep that"
            )
        found = [op for block in trace.blocks[begun:] for op in block.operations]
        return found[next(k for k, op in enumerate(found) if op.attributes.get("mark") is self._mark) :]

    def watched_variables(self) -> tuple[Variable, ...]:
        return tuple(self._reads)

    def reset(self) -> None:
        self._watched.clear()
        self._reads.clear()
        self.record.clear()
        if self.trace is not None:
            self._begin(self.trace)

    def stop_recording(self) -> Any:
        return _Paused(self)

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = "none",
    ) -> Any:
        """The gradient of the sum of ``target`` with respect to each of ``sources``; None where it depends on
        none."""
        if self._played:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or"
                " jacobians)"
            )
        self._played = not self.persistent
        targets = [convert(y) for y in optree.tree_leaves(target)]
        given = None if output_gradients is None else optree.tree_leaves(output_gradients)
        flat, structure = optree.tree_flatten(sources)
        with name_scope("gradients"):
            found = self._gradients(targets, flat, given)
        if UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO:
            found = [_zeros(x) if g is None else g for g, x in zip(found, flat, strict=True)]
        return optree.tree_unflatten(structure, found)

    def _gradients(self, targets: list[Tensor], sources: list[Any], given: list[Any] | None) -> list[Any]:
        if self.trace is None:
            return self._of_record(targets, sources, given)
        return self._of_trace(self.trace, targets, sources, given)

    def _of_trace(
        self, trace: Trace, targets: list[Tensor], sources: list[Any], given: list[Any] | None
    ) -> list[Any]:
        """What was traced since the tape began, once more, with its gradient behind it."""
        operations = self._operations()
        values: list[Any] = [self._values_of(source) for source in sources]
        kept = [
            k for k, y in enumerate(targets) if isinstance(y, SymbolicTensor) and is_smooth(y._value.type)
        ]
        ys = [value_in(trace, targets[k]) for k in kept]
        made_for, leaves = operations_between(ys, set())
        self._refuse_carried(trace, leaves)
        used = set(made_for)
        copy, body = Copy({}, trace.functions, effects=False), Block()
        for op in operations:
            if op in used or op.is_mark:
                copy.operation(op, body)
        ys, values = list(copy.of(ys)), [copy.of(several) for several in values]
        marks = dict(zip(copy.of(self._marks), self._marks.values(), strict=True))
        groups = by_mark(body.operations, [v for several in values for v in several], marks, ys, self)
        if not groups:
            return [None] * len(sources)
        seeds = [value_in(trace, _seed(targets[k], None if given is None else given[k])) for k in kept]
        asked = [gradient_at(since, ys, seeds, wrt, self) for since, wrt in groups.items()]
        body.operations += asked
        body.results = tuple([dx for op in asked for dx in op.outputs])
        body.params = outside = list(free_in(body))
        graph = Graph("gradient", body)
        expansion.expand(graph)
        found = [SymbolicTensor(trace.scalar(v), trace) for v in inline(trace, graph, outside)]
        adjoints = dict(zip([x for wrt in groups.values() for x in wrt], found, strict=True))
        return [_total([adjoints[v] for v in several if v in adjoints]) for several in values]

    def _refuse_carried(self, trace: Trace, leaves: Sequence[Value]) -> None:
        """What a loop inside of the tape carries depends on what an earlier iteration computed."""
        for value in leaves:
            home = trace.home.get(value)
            is_inside = home is not None and home is not self._block and home is not trace.body
            if is_inside and is_smooth(value.type) and not any(id(value) in r for r in self._reads.values()):
                raise NotImplementedError(
                    f"the gradient of what a loop carries (`{value.hint}`), by a tape that was opened "
                    "outside of the loop: open the tape in the loop, or ask for the gradient behind it"
                )

    def _of_record(self, targets: list[Tensor], sources: list[Any], given: list[Any] | None) -> list[Any]:
        """Of what was computed eagerly."""
        reads = [list(self._reads.get(x, {}).values()) if isinstance(x, Variable) else [x] for x in sources]
        seed = lambda k: _seed(targets[k], None if given is None else given[k])
        with np.errstate(all="ignore"):
            made = adjoints(self.record, targets, seed, [x for part in reads for x in part], EagerTensor)
        return [_total([made[id(x)] for x in several if id(x) in made]) for several in reads]

    def _values_of(self, source: Any) -> list[Value]:
        """The values that stand for a source: those that were read of a variable."""
        if isinstance(source, Variable):
            if source in self._assigned_inside:
                raise NotImplementedError(
                    f"the gradient with respect to '{source.name}', which a loop or branch assigns while the "
                    "tape records: assign it outside of the tape"
                )
            return list(self._reads.get(source, {}).values())
        if not isinstance(source, Tensor):
            raise TypeError(f"a source is a tensor or a variable, not {source!r}")
        assert self.trace is not None
        return [value_in(self.trace, source)]

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = "none",
        parallel_iterations: Any = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of each element of ``target``."""
        only("GradientTape.jacobian", unconnected_gradients=(unconnected_gradients, "none"))
        target = convert(target)
        if None in target.shape:
            raise NotImplementedError("the jacobian of a tensor whose shape only a run knows")
        self._played = not self.persistent
        flat, structure = optree.tree_flatten(sources)
        units = np.eye(target.shape.num_elements() or 0, dtype=target.dtype.as_numpy_dtype)
        rows = [self._gradients([target], flat, [convert(u.reshape(target.shape))]) for u in units]
        found = []
        for source, parts in zip(flat, zip(*rows, strict=True), strict=True):
            stacked = None if None in parts else apply("stack", *parts, axis=0)
            shape = (*target.shape, *source.shape)
            found.append(None if stacked is None else apply("reshape", stacked, shape=shape))
        return optree.tree_unflatten(structure, found)


def _new_mark(trace: Trace) -> object:
    mark = object()
    trace.append("watch", (), (), {"mark": mark})
    return mark


class _Paused:
    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape

    def __enter__(self) -> None:
        self.tape.__exit__()

    def __exit__(self, *_: object) -> None:
        self.tape.__enter__()


def _seed(target: Tensor, given: Any) -> Tensor:
    if given is not None:
        return convert(given, target.dtype)
    if None not in target.shape:
        return convert(np.ones(target.shape, target.dtype._numpy))
    return apply("like", target, name="ones_like", dtype=target.dtype._numpy, order="K")


def _zeros(x: Any) -> Tensor:
    return convert(np.zeros(x.shape, x.dtype._numpy))


def _total(parts: list[Any]) -> Any:
    found = None
    for part in parts:
        found = part if found is None else found + part
    return found


def inline(
    trace: Trace, graph: Any, inputs: Sequence[Value], names: Mapping[Value, str] | None = None
) -> tuple[Value, ...]:
    """The operations of a graph, once more, in the block that is traced, with the names that they have.
    Gives its results."""
    copy = Copy(dict(zip(graph.params, inputs, strict=True)))
    count = len(trace.block.operations)
    copy.fill(trace.block, graph.body)
    results, trace.block.results = trace.block.results, ()
    for op in trace.block.operations[count:]:
        trace.home.update(dict.fromkeys(op.outputs, trace.block))
    for old, new in copy.values.items():
        if new.owner is not None and new is new.owner.outputs[0] and source_of(new) is new:
            trace.call(new, (names or {}).get(old) or usual_name(new.owner))
    return results


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """`tf.stop_gradient`: the same value, which no gradient passes."""
    return apply("stop_gradient", convert(input))


# -- gradients of one's own --------------------------------------------------------------------------------


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for a function that returns its result and a function from the gradients of its results
    to those of its arguments."""

    def decorated(*args: Any, **kwargs: Any) -> Any:
        inputs = [convert(x) for x in args]
        result, grad = f(*inputs, **kwargs)
        results, structure = optree.tree_flatten(result)
        results = [convert(y) for y in results]
        trace = current()
        if trace is not None:
            block, inputs = _backward(trace, grad, results, inputs)
            values = [value_in(trace, x) for x in (*map(stop_gradient, results), *inputs)]
            made = trace.append(
                "custom_gradient",
                values,
                tuple([v.type for v in values[: len(results)]]),
                {"results": len(results)},
                (block,),
            )
            return optree.tree_unflatten(structure, [SymbolicTensor(v, trace) for v in made])
        if records():
            results = _recorded_custom(grad, results, inputs)
        return optree.tree_unflatten(structure, results)

    decorated.__name__ = getattr(f, "__name__", "custom_gradient")
    decorated.__doc__ = f.__doc__
    return decorated


def _backward(
    trace: Trace, grad: Callable[..., Any], results: list[Any], inputs: list[Any]
) -> tuple[Block, list[Any]]:
    """The block that computes the gradients of the arguments from those of the results; and the arguments
    that have one."""
    block = Block([Value(value_in(trace, y).type, "g") for y in results])
    with trace.into(block):
        given = [SymbolicTensor(g, trace) for g in block.params]
        found = grad(*given)
        parts = list(found) if isinstance(found, list | tuple) else [found]
        if len(parts) != len(inputs):
            raise ValueError(
                f"custom_gradient function expected to return {len(inputs)} gradients, "
                f"but returned {len(parts)} instead."
            )
        pairs = [(part, x) for part, x in zip(parts, inputs, strict=True) if part is not None]
        pairs = [(part, x) for part, x in pairs if is_smooth(value_in(trace, x).type)]
        block.results = tuple([value_in(trace, convert(part)) for part, _ in pairs])
    return block, [x for _, x in pairs]


def _recorded_custom(grad: Callable[..., Any], results: list[Any], inputs: list[Any]) -> list[Any]:
    """The operation that a tape is to know of, though its forward part has run already."""
    trace = Trace("custom_gradient")
    tapes = list(recording.active())
    recording.active().clear()
    try:
        with tracing(trace):
            block, inputs = _backward(trace, grad, results, inputs)
            values = [value_in(trace, x) for x in (*[EagerTensor(y._held) for y in results], *inputs)]
    finally:
        recording.active().extend(tapes)
    given = {value: tensor for tensor, value in trace.captured.values()}
    given |= {value: variable._as_tensor() for variable, value in trace.scopes[0].params.items()}
    op = Operation(
        "custom_gradient",
        tuple(values),
        tuple([v.type for v in values[: len(results)]]),
        {"results": len(results)},
        (block,),
    )
    graph = inline_calls(trace.program(Block(list(given), [*trace.body.operations, op], op.outputs)))
    made: list[Any] = [EagerTensor(y._held) for y in results]
    note(Fragment("custom_gradient", graph, range(len(given))), list(given.values()), made)
    return made
