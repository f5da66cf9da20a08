"""A trace of a `tf.function` as a function over arrays, for `rt.export_onnx` and `rt.save`.

Variables and tensors from outside are constants of it, as they are now.
"""

from __future__ import annotations

import inspect
import itertools
import re
from typing import Any

from autograph.errors import StagingError
from runtime.functions.concrete import ConcreteFunction as ArrayFunction
from runtime.functions.plans import Building, Leaf, Plan, Shared, TupleOf
from runtime.functions.plans import Constant as ConstantResult
from runtime.graph import Value
from runtime.guards.paths import Constant
from runtime.saving.loaded import LoadedFunction, Signature
from runtime.saving.signatures import Numeric
from runtime.tf.block_values import Result
from runtime.tracer.decisions import Decisions


def array_function(concrete: Any) -> LoadedFunction:
    """The function, of a ConcreteFunction.

    Raises StagingError for one that assigns a variable, or returns what no file can hold.
    """
    if concrete._assigned:
        raise StagingError(
            f"{concrete.name}() assigns the variable {concrete._assigned[0].name}, and is exported without"
            " variables",
            hint="save it with tf.saved_model.save, or export a function that returns the new value",
        )
    graph, count = concrete.optimized, len(concrete._places)
    names = _names(graph.params[:count])
    outside = [x._held for x in (*concrete._captured, *concrete._variables)]
    made = ArrayFunction(
        name=concrete.name,
        graph=graph,
        signature=f"{concrete.name}({', '.join(names)})",
        reason="it was exported",
        positions=list(range(count)),
        guards=[],
        paths=[Constant(v, p.hint) for v, p in zip(outside, graph.params[count:], strict=True)],
        plan=Building(_plan(concrete._result_with_places(), itertools.count())),
        engine="auto",
        notes=[],
        decisions=Decisions(),
        arguments={name: str(param.type) for name, param in zip(names, graph.params, strict=False)},
    )
    made.__dict__["optimized"] = graph  # it is that already
    signature = Signature(tuple([Numeric(param.type) for param in graph.params[:count]]), {}, made)
    both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return LoadedFunction(concrete.name, [inspect.Parameter(name, both) for name in names], [signature], {})


def _names(params: list[Value]) -> list[str]:
    """What the arguments are called: identifiers, each once."""
    found: list[str] = []
    for param in params:
        base = re.sub(r"\W", "_", param.hint) or "x"
        base = base if base.isidentifier() else f"x_{base}"
        found.append(next(n for n in (base, *[f"{base}_{k}" for k in range(len(params))]) if n not in found))
    return found


def _plan(result: object, numbers: itertools.count[int]) -> Plan:
    """How the result is built, of a structure with places of the graph's results in it."""
    if isinstance(result, Result):
        return Leaf(result.place)
    if type(result) is tuple:
        return TupleOf(tuple, tuple([_plan(item, numbers) for item in result]))
    if type(result) is list:
        return Shared(next(numbers), None, tuple([_plan(item, numbers) for item in result]))
    if type(result) is dict:
        return Shared(next(numbers), tuple(result), tuple([_plan(item, numbers) for item in result.values()]))
    if result is None or isinstance(result, bool | int | float | str):
        return ConstantResult(result)
    raise StagingError(
        f"a {type(result).__name__} is returned, which no file can hold",
        hint="return tensors, in tuples, lists and dicts",
    )
