"""Replace `gradient` and `tangent` operations (ops/differentiation.py) by the operations that compute them.

Those that stand first in the program are replaced first, so that a gradient of a gradient finds an
ordinary graph. Changes the graph in place: parameters stay what they are.

Graphs of single calls, of which the record of a tape becomes one graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from runtime.gradients.activity import Activity
from runtime.gradients.calls import Functions
from runtime.gradients.errors import GradientError, at
from runtime.gradients.forward import TangentFunctions, Tangents
from runtime.gradients.marks import MARKS, has_derivatives
from runtime.gradients.remat import outline_remat
from runtime.gradients.reverse import Reverse, differentiate_functions
from runtime.gradients.saving import substitute
from runtime.gradients.scope import BlockScope, fit
from runtime.graph import Block, Graph, Operation, Value, walk
from runtime.graph.array_contents import writes_arrays
from runtime.graph.effects import Memory, effects_of
from runtime.graph.functions import note_effects
from runtime.graph.liveness import free_in, walk_blocks
from runtime.passes import prepare_for_gradient, remove_aggregates
from runtime.passes.use_buffers import replace_lists
from runtime.types import ArrayType


def expand(graph: Graph) -> None:
    """Replace all of them, those in functions of the graph, too."""
    if not has_derivatives(graph):
        return
    if has_derivatives(graph, MARKS - {"leave"}):
        _replace(graph)
    for part in graph.whole():
        _dissolve(part.body)
    note_effects(graph)


def check(graph: Graph) -> None:
    """For JAX, which differentiates itself. Raises GradientError where a result depends on no argument, and
    for what JAX has not."""
    for block in [block for part in graph.whole() for block in walk_blocks(part.body)]:
        for k, op in enumerate(block.operations):
            if op.is_derivative:
                _check(_Segment(block.operations[:k], op, graph), op)


def _check(segment: _Segment, op: Operation) -> None:
    graph = segment.graph
    if op.name == "tangent" or any(o.is_derivative for o in graph.operations()):
        return
    active = Activity(graph, Memory(graph, distinct_params=True), segment.wrt)
    if op.attributes.get("strict", True) and not any(map(active.is_active, segment.results)):
        raise does_not_depend(op, active.lost)
    used = {*segment.results, *[x for o in graph.operations() if o not in segment.constant for x in o.inputs]}
    if any(active.is_active(y) for o in segment.constant for y in o.outputs if y in used):
        error = GradientError("JAX has no tape that stops to record", hint="use rt.stop_gradient(x)")
        raise at(error, op)


def _replace(graph: Graph) -> None:
    for part in graph.whole():
        _without_aggregates(part)
    outline_remat(graph)
    for part in graph.whole():
        replace_lists(part)
    note_effects(graph)
    parts = [graph.body, *[function.body for function in graph.functions.values()]]
    for body in reversed(parts):
        _expand_block(body, graph)


def _without_aggregates(graph: Graph) -> None:
    """What local objects and lists hold are values, which need no companions (ops/companions.py)."""
    found = remove_aggregates(graph)
    if found is not graph:
        _put_in_place(graph.body, found)


def _put_in_place(body: Block, found: Graph) -> None:
    """The operations of a graph that stands for a block, with the parameters that the block has."""
    substitute(found.body, dict(zip(found.params, body.params, strict=True)))
    body.operations, body.results = found.body.operations, found.results


def _dissolve(block: Block) -> None:
    """Custom gradients have done their work: what is left of them are their values."""
    found: list[Operation] = []
    for op in block.operations:
        if op.is_mark:
            continue
        if op.leaves_tape:
            op = _named(op, "identity")
        if op.is_custom_gradient:
            found += _as_outputs(op, op.inputs[: len(op.outputs)], copied=True)
            continue
        for nested in op.blocks:
            _dissolve(nested)
        found.append(op)
    block.operations = found


def _named(op: Operation, name: str) -> Operation:
    """An operation of another name with the same outputs."""
    made = Operation(name, op.inputs, tuple([y.type for y in op.outputs]), {}, (), op.location)
    made.outputs = op.outputs
    for y in op.outputs:
        y.owner = made
    return made


def _let_leave(graph: Graph) -> None:
    """What is read of `x.numpy()` is a constant to a tape: a copy, wherever it is read.

    Raises GradientError where a copy would not do: for what is written, and for views of memory that is.
    """
    left = {op.output for op in graph.operations() if op.leaves_tape}
    if not left:
        return
    memory = Memory(graph, distinct_params=True)
    written = frozenset().union(*[writes_arrays(op, memory) for op in graph.operations() if not op.blocks])

    def copied(
        values: Sequence[Value], block: list[Operation], shares: bool, op: Operation | None
    ) -> tuple[Value, ...]:
        found = []
        for x in values:
            place = op or x.owner
            if x in left and place is not None:
                if shares and isinstance(x.type, ArrayType) and not memory.roots(x).isdisjoint(written):
                    raise at(_written_behind(), place)
                block.append(Operation("stop_gradient", (x,), (x.type,), {}, (), place.location))
                x = block[-1].output
            found.append(x)
        return tuple(found)

    def visit(block: Block) -> None:
        operations: list[Operation] = []
        for op in block.operations:
            for nested in op.blocks:
                visit(nested)
            if not op.leaves_tape and not left.isdisjoint(op.inputs):
                effects = effects_of(op) if not op.blocks else None
                shares = effects is None or effects.view_of is not None or bool(effects.writes)
                op.inputs = copied(op.inputs, operations, shares, op)
            operations.append(op)
        block.operations = operations
        if block is not graph.body:
            block.results = copied(block.results, operations, True, None)

    visit(graph.body)


def _written_behind() -> GradientError:
    return GradientError(
        "an array that .numpy() gave, or the Tensor behind it, is written while a tape records",
        hint="take a copy: x.numpy().copy()",
    )


def _expand_block(block: Block, graph: Graph) -> None:
    k = 0
    while k < len(block.operations):
        op = block.operations[k]
        for nested in op.blocks:
            _expand_block(nested, graph)
        expander = _EXPANDERS.get(op.name)
        if expander is None:
            k += 1
            continue
        segment = _Segment(block.operations[:k], op, graph)
        rest = Block([], block.operations[k + 1 :], block.results)
        if op.name == "gradient":
            segment.prepare(rest)
        made = expander(segment, op)
        block.operations, block.results = [*made, *rest.operations], rest.results
        k = len(made)


class _Segment:
    """The operations between the values with respect to which, and the results."""

    def __init__(self, operations: Sequence[Operation], op: Operation, graph: Graph) -> None:
        count = op.attributes["results"]
        self.results = op.inputs[:count]
        several = op.inputs[count:]
        self.wrt, self.given = (several[count:], several[:count])
        if op.name == "tangent":
            self.wrt, self.given = several[: len(several) // 2], several[len(several) // 2 :]
        first, last = self._inputs(operations, op)
        inputs = operations[first:last]
        constants = {x.owner for x in self.given if x.owner is not None and x.owner.is_constant}
        moved = [each for each in operations[last:] if each in constants]
        self.before = [*operations[:first], *inputs, *moved]
        body = Block([], [each for each in operations[last:] if each not in constants])
        free = [
            value for value in free_in(Block([], body.operations, self.results)) if value not in set(self.wrt)
        ]
        body.params = [*self.wrt, *free]
        body.results = tuple(self.results)
        self.graph = Graph(graph.name, body, {}, graph.functions)
        self.constant = not_recorded(body.operations, op.attributes.get("tape"))

    def _inputs(self, operations: Sequence[Operation], op: Operation) -> tuple[int, int]:
        """Where the operations stand that make the values with respect to which; the part that is
        differentiated follows them. Of values that were there before it follows a mark."""
        mark = op.attributes.get("since")
        makers = {x.owner for x in self.wrt} if mark is None else set()
        places = [
            k
            for k, each in enumerate(operations)
            if each in makers or (mark is not None and each.attributes.get("mark") is mark)
        ]
        if len(places) != (len(makers) if mark is None else 1):
            raise at(_elsewhere(mark), op)
        if not places:
            return len(operations), len(operations)
        first, last = places[0], places[-1] + 1
        between = [each for each in operations[first:last] if each not in makers and not each.is_constant]
        assert mark is not None or not between, "something stands among the inputs of a derivative"
        return first, last

    def prepare(self, rest: Block) -> None:
        """Pass over the operations before they are differentiated, where that saves work in each
        iteration of a loop: what is read once, or before the loop, is undone once. And where a handler
        gets what is there without it.

        ``rest`` stands behind; what it uses gets other names.
        """
        body = self.graph.body
        if self.constant or not any(op.is_loop or op.is_try for op in body.operations):
            return
        made = {value for op in body.operations for value in op.outputs}
        if any(op.name in MARKS for op in self.graph.operations()) or _asks_about(rest, made):
            return
        kept = [*self.results, *[v for v in free_in(rest) if v in made]]
        params = {value: Value(value.type, value.hint) for value in body.params}
        part = Block(list(params.values()), body.operations, tuple(kept))
        substitute(part, params)
        found = prepare_for_gradient(Graph(self.graph.name, part, {}, self.graph.functions))
        _put_in_place(body, found)
        named = dict(zip(kept, body.results, strict=True))
        substitute(rest, named)
        self.results = body.results = tuple([named[value] for value in self.results])

    def checks(self, memory: Memory, op: Operation) -> list[Operation]:
        """Is what is written apart from all else? The graph takes its parameters for different memory."""
        arrays = [p for p in self.graph.params if isinstance(p.type, ArrayType)]
        leaves = [each for each in self.graph.operations() if not each.blocks]
        written = frozenset().union(*[writes_arrays(each, memory) for each in leaves])
        return [
            Operation("check_apart", (p, *[q for q in arrays if q is not p]), (), {}, (), op.location)
            for p in arrays
            if len(arrays) > 1 and not memory.roots(p).isdisjoint(written)
        ]


def _elsewhere(mark: object) -> GradientError:
    if mark is None:
        return GradientError(
            "the derivative is asked for inside a loop or branch that the function call is not in",
            hint="call the function and ask for its derivative in the same block",
        )
    return GradientError(
        "the tape is asked for a gradient in another loop, branch or `try` than that of its `with`",
        hint="open the tape, compute the target and call gradient() in the same block",
    )


def _asks_about(block: Block, values: Collection[Value]) -> bool:
    """Does a derivative in the block ask about one of the values by itself?"""
    for op in walk(block):
        count = op.attributes["results"] if op.is_derivative else len(op.inputs)
        if not set(op.inputs[count:]).isdisjoint(values):
            return True
    return False


def not_recorded(operations: Sequence[Operation], tape: object, on: bool = True) -> frozenset[Operation]:
    """The operations, of those since a tape began, that stand where it does not record."""
    found: set[Operation] = set()
    if tape is None:
        return frozenset()
    for op in operations:
        if op.is_mark and op.attributes.get("tape") is tape:
            on = op.attributes["on"]
        if not on:
            found.add(op)
        for block in op.blocks:
            found |= not_recorded(block.operations, tape, on)
    return frozenset(found)


def _check_views(segment: _Segment, sweep: Reverse) -> None:
    """A view that is taken where the tape does not record is no constant, but what it is a view of."""
    views = {}
    for op in segment.constant:
        viewed = effects_of(op).view_of if not op.blocks else None
        if viewed is not None and sweep.activity.is_active(op.inputs[viewed]):
            views[op.output] = op
    used = set(segment.graph.body.results)
    for op in segment.graph.operations() if views else ():
        if op not in segment.constant:
            used |= set(op.inputs)
    for value in used & views.keys():
        raise at(
            GradientError(
                "a view is taken while the tape does not record, and used while it does",
                hint="take a copy: x[i:j].copy()",
            ),
            views[value],
        )


def _gradient(segment: _Segment, op: Operation) -> list[Operation]:
    if op.attributes.get("tape") is not None:
        _let_leave(segment.graph)
    functions = Functions(segment.graph)
    sweep = Reverse(segment.graph, functions, segment.wrt, constant=segment.constant)
    _check_views(segment, sweep)
    if op.attributes.get("strict", True) and not any(map(sweep.activity.is_active, segment.results)):
        raise does_not_depend(op, sweep.activity.lost)
    start = list(zip(segment.results, segment.given, strict=True))
    checks = segment.checks(sweep.memory, op)
    adjoints = sweep.run(start, segment.wrt)
    differentiate_functions(functions)
    return [*segment.before, *checks, *segment.graph.body.operations, *_as_outputs(op, adjoints)]


def _tangent(segment: _Segment, op: Operation) -> list[Operation]:
    functions = TangentFunctions(segment.graph)
    tangents = Tangents(segment.graph, functions, segment.wrt)
    head = BlockScope(Block())
    head.location = op.location
    given = {}
    for x, tangent in zip(segment.wrt, segment.given, strict=True):
        fitted = fit(head, tangent, x)
        given[x] = head.make("copy", fitted) if isinstance(x.type, ArrayType) else fitted
    body = segment.graph.body
    checks = segment.checks(tangents.memory, op)
    tangents.run(given)
    scope = BlockScope(body)
    found = [tangents.given(scope, y) for y in segment.results]
    functions.differentiate_all()
    return [*segment.before, *checks, *head.block.operations, *body.operations, *_as_outputs(op, found)]


def _as_outputs(op: Operation, values: Sequence[Value], copied: bool = False) -> list[Operation]:
    """Operations that make the outputs of ``op``: the values of which others know."""
    made: list[Operation] = []
    given: set[Value] = set()
    for output, value in zip(op.outputs, values, strict=True):
        name, attributes = "identity", {}
        if copied and isinstance(output.type, ArrayType):
            name = "copy"
        elif isinstance(output.type, ArrayType) and output.type.shape:
            if value in given or value.owner is None or effects_of(value.owner).view_of is not None:
                name = "copy"  # nobody else's, and not a mere broadcast
        elif value.type != output.type:
            name, attributes = "cast", {"to": output.type}
        given.add(value)
        copy = Operation(name, (value,), (output.type,), attributes, (), op.location)
        copy.outputs = (output,)
        output.owner = copy
        made.append(copy)
    return made


def does_not_depend(op: Operation, lost: Iterable[Operation]) -> GradientError:
    """The error where a result does not depend on the arguments; perhaps it did, through an int."""
    about = op.attributes.get("about") or "the argument"
    text = f"the result does not depend on {about}, which the derivative is taken with respect to"
    where = next(iter(lost), None)
    if where is None:
        return at(
            GradientError(
                text, hint="compute the result from that argument, or choose another argnums or wrt"
            ),
            op,
        )
    return at(
        GradientError(
            f"{text}, but through `{where.name}`, which has no derivative",
            hint="compute it with floats all the way: int(), comparisons and rounding have no derivative",
        ),
        where,
    )


_EXPANDERS: dict[str, Callable[[_Segment, Operation], list[Operation]]] = {
    "gradient": _gradient,
    "tangent": _tangent,
}


class Fragment:
    """The graph of one call: ``params`` says which of its leaves each parameter is, ``written`` which of them
    are written."""

    engine = "numpy"

    def __init__(self, name: str, graph: Graph, params: Sequence[int]) -> None:
        self.name = name
        self.graph = graph
        self.params = params

    @functools.cached_property
    def written(self) -> list[int]:
        return [self.params[k] for k in written_params(self.graph)]

    @functools.cached_property
    def is_opaque(self) -> bool:
        """Is code called of which nothing else is known?"""
        return any(op.calls_python for op in self.graph.operations())


def written_params(graph: Graph) -> list[int]:
    """The parameters that are arrays, and that may be written."""
    memory = Memory(graph, distinct_params=True)
    roots: set[Any] = set()
    for op in graph.operations():
        for k in effects_of(op).writes:
            roots |= memory.roots(op.inputs[k])
    return [
        k
        for k, p in enumerate(graph.params)
        if isinstance(p.type, ArrayType) and not memory.roots(p).isdisjoint(roots)
    ]
