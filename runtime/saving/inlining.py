"""A loaded function that is called in a trace: its operations become operations of that trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.functions.concrete import ConcreteFunction
from runtime.functions.plans import (
    Anew,
    Boxed,
    Building,
    Built,
    Chosen,
    Given,
    Leaf,
    Plan,
    Returned,
    Shared,
    TupleOf,
)
from runtime.graph import Block, Operation, Value
from runtime.graph.rewrite import Rebuild
from runtime.guards.paths import Argument
from runtime.tensor import rebox
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace, require_trace


def inline(trace: Trace, concrete: ConcreteFunction, leaves: Sequence[Any]) -> Any:
    """Append the graph to a trace, and give what the function returns."""

    inputs = [_value(trace, leaves[i]) for i in concrete.positions]
    for path in concrete.paths:
        if isinstance(path, Argument):
            inputs.append(_value(trace, leaves[path.index]))
        else:
            inputs.append(trace.value_of(trace.outside.import_value(path.fetch(leaves), path)))
    graph = concrete.optimized
    if graph.functions:
        raise trace.refuse(
            f"{graph.name}() calls itself, and is called inside another function",
            "call it outside, and pass what it returns",
        )
    rebuild = _Inserted(trace)
    rebuild.values.update(zip(graph.params, inputs, strict=True))
    for op in graph.body.operations:
        rebuild.operation(op, trace.block)
    if graph.body.ends == "never":
        trace.end_path()
    results = [trace.wrap(rebuild.values[value]) for value in graph.results]
    return _built(concrete.plan, Built(results), leaves)


def _value(trace: Trace, leaf: Any) -> Value:
    return trace.value_of(leaf._array if getattr(leaf, "boxed", False) else leaf)


class _Inserted(Rebuild):
    """Copies operations into the block of a trace, which hears of each."""

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self.trace = trace

    def operation(self, op: Operation, block: Block) -> None:
        if block is self.trace.block:
            self.trace.append(self.copy(op))
        else:
            block.append(self.copy(op))


def _built(plan: Plan, results: Built, leaves: Sequence[Any]) -> Any:
    """What the plan builds of staged results: one of several becomes a `Choice`."""
    match plan:
        case Building() | Returned():
            return _built(plan.plan, results, leaves)
        case Boxed():
            return rebox(results[plan.index])
        case TupleOf():
            items = [_built(item, results, leaves) for item in plan.items]
            return tuple(items) if plan.kind is tuple else plan.kind._make(items)
        case Shared():
            return _container(plan, results, leaves)
        case Anew():
            if plan.number not in results.built:
                parts = [_built(part, results, leaves) for part in plan.parts]
                results.built[plan.number] = plan.function(*parts)
            return results.built[plan.number]
        case Chosen():
            options = tuple([_built(option, results, leaves) for option in plan.options])
            return Choice(_built(plan.tag, results, leaves), options)
        case Leaf() | Given():
            return plan(results, leaves)
    return plan(results, leaves)


def _container(plan: Shared, results: Built, leaves: Sequence[Any]) -> Any:
    if plan.number not in results.built:
        items = [_built(item, results, leaves) for item in plan.items]
        made = items if plan.keys is None else dict(zip(plan.keys, items, strict=True))
        containers = require_trace().containers
        results.built[plan.number] = containers.born(made, (containers.here(), "returned", plan.number))
    return results.built[plan.number]
