"""Graphs that are differentiated: programs of `numpy_stores.py` in the place of single calls of NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.operators import call
from runtime.calls.run_time_calls import Method
from runtime.functions import numpy_stores
from runtime.gradients.scope import BlockScope, is_smooth
from runtime.graph import Block, Graph, Operation
from runtime.graph.effects import effects_of
from runtime.graph.rewrite import Rebuild
from runtime.ops.definition import Dynamic
from runtime.ops.reduction import has_rule_along
from runtime.types import ArrayType, NumberType, ScalarType, Type

#: gives the graph of a function for operands of some types, None where it is refused
Trace = Callable[[Callable[..., Any], Sequence[Type]], Graph | None]


def write_out(graph: Graph, trace: Trace) -> None:
    """Put the programs into a graph, where what is written, or computed, has derivatives."""
    for part in graph.whole():
        _write_out(part.body, trace)


def _write_out(block: Block, trace: Trace) -> None:
    found = Block()
    for op in block.operations:
        for nested in op.blocks:
            _write_out(nested, trace)
        if _shuffles(op):
            _shuffle(op, BlockScope(found, op.location))
            continue
        made = _graph_of(op, trace)
        if made is None:
            found.operations.append(op)
            continue
        copy = Rebuild()
        copy.values = dict(zip(made.params, op.inputs, strict=True))
        first = len(found.operations)
        copy.fill(found, made.body)
        for each in found.operations[first:]:
            each.location = op.location
        for output, result in zip(op.outputs, found.results, strict=True):
            name = "copy" if isinstance(output.type, ArrayType) else "identity"
            last = Operation(name, (result,), (output.type,), {}, (), op.location)
            last.outputs, output.owner = (output,), last
            found.operations.append(last)
    block.operations = found.operations


def _shuffles(op: Operation) -> bool:
    """Is it ``rng.shuffle(x)`` of floats, along the first axis?"""
    if not op.calls_python or not isinstance(op.attributes["function"], Method):
        return False
    args, kwargs = op.attributes["template"].structure
    is_plain = op.attributes["function"].__name__ == "shuffle" and len(args) == 2 and not kwargs
    return is_plain and isinstance(op.inputs[-1].type, ArrayType) and is_smooth(op.inputs[-1].type)


def _shuffle(op: Operation, scope: BlockScope) -> None:
    """``rng.shuffle(places); x[...] = x[places]``: what is drawn hangs on the length only."""
    *rng, x = op.inputs
    length = x.shape[0]
    stop = scope.make("dim", x, axis=0)
    places = scope.make("arange", scope.constant(0), stop, **({} if length is None else {"length": length}))
    scope.block.append(Operation("call", (*rng, places), (), op.attributes, (), op.location))
    taken = scope.make("getitem", x, places, index=(Dynamic(0),))
    scope.do("setitem", x, taken, index=(Ellipsis,))


def _graph_of(op: Operation, trace: Trace) -> Graph | None:
    """The graph of the program for an operation; None where it stays as it is."""
    values = [op.inputs[k] for k in effects_of(op).writes] or list(op.outputs)
    types = [value.type for value in op.inputs]
    if not any(is_smooth(value.type) for value in values):
        return None
    if not all(isinstance(each, ArrayType | ScalarType | NumberType) for each in types):
        return None
    program = _program_of(op)
    if program is None:
        return None
    key: Any = (op.name, tuple(op.attributes.items()), tuple(types))
    try:
        known = key in _known
    except TypeError:  # an attribute has no hash
        return _traced(op, program, types, trace)
    if not known:
        if len(_known) >= _MOST:
            _known.clear()
        _known[key] = _traced(op, program, types, trace)
    return _known[key]


def _traced(op: Operation, program: Callable[..., Any], types: Sequence[Type], trace: Trace) -> Graph | None:
    made = trace(Written(op.name, program), types)
    if made is None or [value.type for value in made.results] != [value.type for value in op.outputs]:
        return None
    return made


_known: dict[Any, Graph | None] = {}
_MOST = 256


class Written:
    """A program as a function of the operands."""

    def __init__(self, name: str, program: Callable[..., Any]) -> None:
        self.__name__ = name
        self.program = program

    def __call__(self, *values: Any) -> Any:
        return self.program(*values)

    def __runtime_traced__(self, *values: Any) -> Any:
        return self.program(*values)


_WRITERS: dict[str, Callable[..., None]] = {
    each.__name__: each
    for each in (
        numpy_stores.put,
        numpy_stores.putmask,
        numpy_stores.place,
        numpy_stores.fill_diagonal,
        numpy_stores.sort_inplace,
    )
}
_FUNCTIONS: dict[Any, Callable[..., None]] = {
    np.ndarray.partition: numpy_stores.partition,
    np.putmask: numpy_stores.putmask,
    np.place: numpy_stores.place,
}


#: NumPy's machine code for a row of these gives f(first, last)
_OTHERWISE = frozenset({"arctan2", "power"})


def _program_of(op: Operation) -> Callable[..., Any] | None:
    find = _PROGRAMS.get(op.name)
    return None if find is None else find(op)


def _of_reduction(op: Operation) -> Callable[..., Any] | None:
    ufunc, axis = op.attributes["ufunc"], op.attributes.get("axis")
    if has_rule_along(op.name, ufunc) or isinstance(axis, tuple) or ufunc in _OTHERWISE:
        return None
    program = getattr(numpy_stores, op.name)
    others = {**op.attributes, "ufunc": getattr(np, ufunc)}
    return lambda x: call(program, x, **others)


def _of_ufunc_at(op: Operation) -> Callable[..., Any] | None:
    ufunc = op.attributes["ufunc"]
    if ufunc in ("add", "subtract") and len(op.inputs) > 2:
        return None
    return lambda *values: call(numpy_stores.at, getattr(np, ufunc), *values)


_PROGRAMS: dict[str, Callable[[Operation], Callable[..., Any] | None]] = {
    **dict.fromkeys(_WRITERS, lambda op: lambda *values: call(_WRITERS[op.name], *values, **op.attributes)),
    "call_into": lambda op: (
        lambda *values: _into(op.attributes["function"], *op.attributes["template"].fill(values))
    ),
    "ufunc_reduce": _of_reduction,
    "ufunc_accumulate": _of_reduction,
    "ufunc_at": _of_ufunc_at,
}


def _into(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """A call that writes into some of its arguments."""
    ufunc = getattr(function, "__self__", None)
    if function in _FUNCTIONS:
        call(_FUNCTIONS[function], *args, **kwargs)
    elif isinstance(ufunc, np.ufunc) and function.__name__ == "at":
        call(numpy_stores.at, ufunc, *args, **kwargs)
    else:
        others = dict(kwargs)
        out = others.pop("out")
        outputs = out if isinstance(out, tuple) else (out,)
        if isinstance(function, np.ufunc):
            where, casting = others.pop("where", True), others.get("casting", "same_kind")
            call(numpy_stores.store, call(function, *args, **others), outputs, where, casting)
        else:
            call(numpy_stores.store_whole, call(function, *args, **others), outputs)
