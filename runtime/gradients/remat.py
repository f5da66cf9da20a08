"""``rt.remat``: what is computed again when it is undone, in place of being kept.

What stands between the inputs and the results of a `remat` operation becomes a function of
the graph. The forward part calls it as it is; the backward part calls the function's own forward
part, which
keeps, and then its backward part. With ``every=k`` the loops are such functions, k iterations at a
time: of n iterations, n / k
states are kept, and in the backward part what k iterations need.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.gradients.errors import GradientError, at
from runtime.gradients.saving import all_used
from runtime.gradients.scope import BlockScope
from runtime.graph import Block, Graph, Operation, Value, loop_state
from runtime.graph.effects import Memory
from runtime.graph.liveness import free_in
from runtime.graph.rewrite import Rebuild
from runtime.ops.control_flow import CALL, UNKNOWN_EFFECTS
from runtime.types import INT, Type


def outline_remat(graph: Graph) -> None:
    """Replace the `remat` operations of a graph, and of its functions, by calls. Changes it in place."""
    for part in list(graph.whole()):
        _block(part.body, graph)


def _block(block: Block, graph: Graph) -> None:
    k = 0
    while k < len(block.operations):
        op = block.operations[k]
        for nested in op.blocks:
            _block(nested, graph)
        if op.name != "remat":
            k += 1
            continue
        block.operations = _outlined(
            op, block.operations[:k], block.operations[k + 1 :], block.results, graph
        )
        k = block.operations.index(op)
        block.operations[k : k + 1] = _same(op)


def _same(op: Operation) -> list[Operation]:
    made = []
    for value, output in zip(op.inputs, op.outputs, strict=False):
        copy = Operation("identity", (value,), (output.type,), {}, (), op.location)
        copy.outputs = (output,)
        output.owner = copy
        made.append(copy)
    return made


def _outlined(
    op: Operation,
    before: Sequence[Operation],
    behind: Sequence[Operation],
    results: Sequence[Value],
    graph: Graph,
) -> list[Operation]:
    """The operations of the block with those of the `remat` in a function, or its loops in functions."""
    inputs = op.inputs[len(op.outputs) :]
    makers = {x.owner for x in inputs}
    first = max(k for k, each in enumerate(before) if each in makers) + 1
    segment = list(before[first:])
    every = op.attributes.get("every")
    if every is not None:
        made: list[Operation] = []
        for each in segment:
            made += _chunked(each, every, graph)
        return [*before[:first], *made, op, *behind]
    used = all_used([Block([], [op, *behind], tuple(results))])
    outputs = [v for each in segment for v in each.outputs if v in used]
    call = _function(segment, outputs, graph, op)
    return [*before[:first], call, op, *behind]


def _function(
    operations: Sequence[Operation], outputs: Sequence[Value], graph: Graph, op: Operation
) -> Operation:
    """A call of a new function of the graph that does these operations; it makes the values ``outputs``."""
    body = Block([], list(operations), tuple(outputs))
    free = list(free_in(body))
    copy = Rebuild()
    made = Block([copy.param(value) for value in free])
    copy.fill(made, body)
    name = next(n for n in (f"remat{k}" for k in range(1, 100_000)) if n not in graph.functions)
    function = Graph(name, made, {}, graph.functions)
    _check_pure(function, op)
    graph.functions[name] = function
    attributes = {"function": name, "effects": UNKNOWN_EFFECTS, "remat": True}
    call = Operation(CALL, tuple(free), (), attributes, (), op.location)
    call.outputs = tuple(outputs)
    for value in outputs:
        value.owner = call
    return call


def _check_pure(function: Graph, op: Operation) -> None:
    """What runs twice may change nothing that was there before."""
    memory = Memory(function, distinct_params=True)
    params = frozenset().union(*[memory.roots(p) for p in function.params])
    for each in function.body.operations:
        if memory.is_ordered(each) or not memory.writes(each).isdisjoint(params | memory.outside):
            raise at(
                GradientError(
                    "rt.remat: the function has an effect, and it is run again for the gradient",
                    hint="let it return what it computes, with no print, no store, and no write into an "
                    "array from outside",
                ),
                each,
            )


# -- loops, some iterations at a time --------------------------------------------------------------------


def _chunked(op: Operation, every: int, graph: Graph) -> list[Operation]:
    """A loop as a loop of calls, each of ``every`` iterations; anything else as it is."""
    if op.is_while:
        return _chunked_while(op, every, graph)
    step = op.inputs[2].owner if op.is_counted and len(op.blocks) == 1 else None
    if step is None or not step.is_constant or step.attributes["value"] != 1:
        return [op]
    return _chunked_for(op, every, graph)


def _chunked_for(op: Operation, every: int, graph: Graph) -> list[Operation]:
    """``for i in range(start, stop)`` as ``for c in range(start, stop, k): for i in range(c, min(c
    + k, stop))``."""
    head = BlockScope(Block())
    head.location = op.location
    start, stop, one = op.inputs[:3]
    body = op.blocks[-1]
    params = [Value(p.type, p.hint) for p in body.params]
    outer = BlockScope(Block(params))
    outer.location = op.location
    end = outer.make("py.add", params[0], outer.constant(every))
    last = outer.make("py.add", end, _beyond(outer, end, stop))
    inner = Operation("for", (params[0], last, one, *params[1:]), _types(op), {}, (body,), op.location)
    outer.block.append(_function([inner], inner.outputs, graph, op))
    outer.block.results = inner.outputs
    bounds = (start, stop, head.constant(every))
    return [*head.block.operations, _instead(op, "for", (*bounds, *loop_state(op)), (outer.block,))]


def _beyond(scope: BlockScope, end: Value, stop: Value) -> Value:
    """``min(0, stop - end)``."""
    left = scope.make("py.sub", stop, end)
    is_beyond = scope.make("py.lt", left, scope.constant(0))
    then, orelse = Block([], [], (left,)), BlockScope(Block())
    orelse.block.results = (orelse.constant(0),)
    made = Operation("if", (is_beyond,), (INT,), {}, (then, orelse.block), scope.location)
    return scope.block.append(made).output


def _chunked_while(op: Operation, every: int, graph: Graph) -> list[Operation]:
    """``while test`` as ``while test: for _ in range(k), as long as test``."""
    test, body = op.blocks
    params = [Value(p.type, p.hint) for p in body.params]
    outer = BlockScope(Block(params))
    outer.location = op.location
    again = Rebuild()
    again.values = {value: value for value in free_in(test)}
    counted = []
    for block in (again.block(test), body):
        block.params.insert(0, Value(INT, "k"))
        counted.append(block)
    bounds = [outer.constant(n) for n in (0, every, 1)]
    inner = Operation("for", (*bounds, *params), _types(op), {}, tuple(counted), op.location)
    outer.block.append(_function([inner], inner.outputs, graph, op))
    outer.block.results = inner.outputs
    return [_instead(op, "while", op.inputs, (test, outer.block))]


def _types(op: Operation) -> tuple[Type, ...]:
    return tuple([output.type for output in op.outputs])


def _instead(op: Operation, name: str, inputs: Sequence[Value], blocks: tuple[Block, ...]) -> Operation:
    """A loop that makes the values that ``op`` made."""
    made = Operation(name, tuple(inputs), (), {}, blocks, op.location)
    made.outputs = op.outputs
    for output in made.outputs:
        output.owner = made
    return made
