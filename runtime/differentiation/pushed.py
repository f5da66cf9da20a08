"""Products with Jacobians: ``rt.jvp``, ``rt.vjp``, and ``rt.jacobian``, which is many of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from autograph.operators import call, while_stmt
from runtime.arguments import wrong_argument
from runtime.differentiation.derivatives import (
    Derivative,
    argument_names,
    emitted,
    holds_variables,
    like_boxed,
    of_own,
    places,
    settled,
)
from runtime.differentiation.leaves import floats_of, with_floats
from runtime.functions.concrete import ConcreteFunction
from runtime.graph.effects import Memory, effects_of
from runtime.ops import REGISTRY
from runtime.tracer.builder import Staged, emit
from runtime.tracer.known_items import as_plain
from runtime.types import ArrayType, NumberType, numeric


class Jvp(Derivative):
    """``(primals, tangents) -> (results, tangents of the results)``."""

    kind = "jvp"

    def traced(self, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        primals, tangents = as_plain(primals), as_plain(tangents)
        check_pairs(self.kind, primals, tangents)
        names = argument_names(self.function, len(primals))
        makers: list[Callable[[], Any]] = []
        inputs, along = [], []
        for primal, tangent, name in zip(primals, tangents, names, strict=True):
            if tangent is None:
                makers.append(partial(as_it_is, primal))
                continue
            make, own = of_own(self.kind, primal, name)
            makers.append(make)
            inputs += own
            along += tangents_of(self.kind, own, tangent, name)
        given = [make() for make in makers]
        result = settled(self.kind, call(self.function, *given), self.function)
        return result, pushed(result, inputs, along)


def as_it_is(value: Any) -> Any:
    return value


def pushed(result: Any, inputs: Sequence[Any], along: Sequence[Any]) -> Any:
    """The tangent of a result: of the same structure."""
    staged = [y for y in floats_of(result, "result") if isinstance(y, Staged)]
    found = (
        iter(like_boxed(emitted("tangent", [*staged, *inputs, *along], len(staged)), staged))
        if staged
        else iter(())
    )

    def tangents() -> Iterator[Any]:
        for y in floats_of(result, "result"):
            yield next(found) if isinstance(y, Staged) else type(y)(0)

    return with_floats(result, tangents(), lambda leaf: None, "tangent")


def check_pairs(kind: str, primals: Any, tangents: Any) -> None:
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            raise wrong_argument(
                f"rt.{kind}: {name} is not a tuple, but {type(given).__name__}",
                f"write rt.{kind}(f, (x,), (v,)): a tuple of arguments, and one of their directions",
                name,
            )
    if len(primals) != len(tangents):
        raise wrong_argument(
            f"rt.{kind}: there are {len(primals)} primals and {len(tangents)} tangents",
            "give one tangent for each argument, of its structure",
            "tangents",
        )


def tangents_of(kind: str, inputs: Sequence[Any], tangent: Any, name: str) -> list[Any]:
    """The floats of a direction, each of the shape of its argument."""
    found = floats_of(tangent, name)
    if len(found) != len(inputs):
        raise wrong_argument(
            f"rt.{kind}: the direction for `{name}` has {len(found)} floats or arrays, and the argument "
            f"{len(inputs)}",
            "give it the structure of the argument, with floats",
            name,
        )
    for x, t in zip(inputs, found, strict=True):
        shape = shape_of(t)
        if not _same_shape(x.type.shape, shape):
            raise wrong_argument(
                f"rt.{kind}: the direction for `{name}` has the shape {shape}, "
                f"and the argument {x.type.shape}",
                "give it the shape of the argument",
                name,
            )
    return found


def _same_shape(a: Sequence[int | None], b: Sequence[int | None]) -> bool:
    return len(a) == len(b) and all(None in (n, m) or n == m for n, m in zip(a, b, strict=True))


class Pullback(Derivative):
    """``(cotangents, *primals) -> cotangents of the primals``, for a pullback that is called
    outside of a trace."""

    kind = "vjp"

    def traced(self, cotangents: Any, *primals: Any) -> Any:
        _, pull = traced_vjp(self.function, primals)
        return pull(cotangents)


def check_repeatable(concrete: ConcreteFunction) -> None:
    """Raises ArgumentError for a function that does more than compute, and write into its arguments."""
    graph = concrete.graph
    memory = Memory(graph, distinct_params=True)
    captured = frozenset().union(*[memory.roots(p) for p in graph.params[len(concrete.positions) :]])
    for op in graph.operations():
        writes = any(not memory.roots(op.inputs[k]).isdisjoint(captured) for k in effects_of(op).writes)
        acts = effects_of(op).ordered and not effects_of(op).leaves
        if writes or (acts and REGISTRY[op.name].family in ("effect", "store", "object")):
            raise wrong_argument(
                "rt.vjp: the function does something besides computing, and its pullback would do it again",
                "take rt.vjp inside of a decorated function, or rt.value_and_grad",
            )


def traced_vjp(function: Callable[..., Any], primals: Sequence[Any]) -> tuple[Any, TracedPullback]:
    names = argument_names(function, len(primals))
    makers: list[Callable[[], Any]] = []
    inputs = []
    for primal, name in zip(primals, names, strict=True):
        has_floats = bool(floats_of(primal, name)) or holds_variables(primal)
        make, own = of_own("vjp", primal, name) if has_floats else (partial(as_it_is, primal), [])
        makers.append(make)
        inputs += own
    given = [make() for make in makers]
    result = settled("vjp", call(function, *given), function)
    return result, TracedPullback(result, inputs, tuple(primals))


class TracedPullback:
    """What ``rt.vjp`` gives in a trace: it may be called any number of times, in the block where
    it was made."""

    def __init__(self, result: Any, inputs: Sequence[Any], primals: tuple[Any, ...]) -> None:
        self.result = result
        self.inputs = inputs
        self.primals = primals

    def __call__(self, cotangents: Any) -> Any:
        wanted = floats_of(self.result, "result")
        given = floats_of(cotangents, "cotangent")
        if len(given) != len(wanted):
            raise wrong_argument(
                f"the pullback of rt.vjp: the cotangent has {len(given)} floats or arrays, and the result "
                f"of the function {len(wanted)}",
                "give it the structure of the result, with floats",
            )
        found = pulled(wanted, given, self.inputs)
        floats = iter(like_boxed(found, self.inputs))
        return tuple(
            [
                with_floats(primal, floats, lambda leaf: None, f"adjoint {k}")
                for k, primal in enumerate(self.primals)
            ]
        )

    def __runtime_traced__(self, cotangents: Any) -> Any:
        return self(cotangents)


class Jacobian(Derivative):
    """``rt.jacobian``: by rows or by columns, whichever are fewer."""

    kind = "jacobian"

    def __init__(self, function: Callable[..., Any], argnums: int | Sequence[int]) -> None:
        self.argnums = argnums
        super().__init__(function)

    def traced(self, /, *args: Any, **kwargs: Any) -> Any:
        numbers = places(self.kind, self.argnums, len(args), self.function)
        names = argument_names(self.function, len(args))
        rows = [self._of_argument(args, kwargs, k, names[k]) for k in numbers]
        return rows[0] if isinstance(self.argnums, int) else tuple(rows)

    def _of_argument(self, args: Sequence[Any], kwargs: dict[str, Any], k: int, name: str) -> Any:
        """The Jacobian with respect to one argument: its structure inside that of the result."""
        of_own(self.kind, args[k], name)  # raises where it has no floats
        inputs = floats_of(args[k], name)
        result = settled(self.kind, call(self.function, *args, **kwargs), self.function)
        outputs = floats_of(result, "result")
        columns = [size_of(self.kind, x, name) for x in inputs]
        rows = [size_of(self.kind, y, "result") for y in outputs]

        def function(x: Any) -> Any:
            found = call(self.function, *args[:k], x, *args[k + 1 :], **kwargs)
            return settled(self.kind, found, self.function)

        by_rows = sum(rows) < sum(columns)
        make = _by_rows if by_rows else _by_columns
        matrix = make(function, args[k], name, rows, columns)
        nothing: Callable[[Any], Any] = lambda leaf: None
        of_each = []
        for y, down in zip(outputs, _parts(rows), strict=True):
            shaped = [
                _shaped(matrix[down, across], y, x) for x, across in zip(inputs, _parts(columns), strict=True)
            ]
            of_each.append(with_floats(args[k], iter(shaped), nothing, "row"))
        return with_floats(result, iter(of_each), nothing, "rows")


class Hessian(Jacobian):
    """``rt.hessian``: the Jacobian of a gradient."""

    kind = "hessian"


def _parts(sizes: Sequence[int]) -> list[slice]:
    """Where each of several flat arrays lies in one of all."""
    ends = list(itertools.accumulate(sizes))
    return [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]


def shape_of(value: Any) -> tuple[int | None, ...]:
    """The shape of a number or an array, staged or not."""
    return numeric(value.type).shape if isinstance(value, Staged) else np.shape(value)


def size_of(kind: str, value: Any, name: str) -> int:
    shape = shape_of(value)
    if None in shape:
        raise wrong_argument(
            f"rt.{kind}: the lengths of `{name}` are not known while the function is traced",
            "give the function arrays of known lengths",
            name,
        )
    return math.prod(n for n in shape if n is not None)


def _shaped(block: Any, y: Any, x: Any) -> Any:
    """A block of the Jacobian, a matrix, in the shape of the result and then of the argument."""
    shape = (*shape_of(y), *shape_of(x))
    if shape:
        return emit("reshape", [block], shape=shape)
    number = block[0, 0]
    of_python = all(not isinstance(v, Staged) or isinstance(v.type, NumberType) for v in (x, y))
    return emit("py.float", [number]) if of_python else number


def _unit(sizes: Sequence[int], place: Any) -> list[Any]:
    """Flat arrays of these sizes, all zero but for a one at ``place``, counted through all of them."""
    total = _zeros(sum(sizes))
    total[place] = 1.0
    return [total[part] for part in _parts(sizes)]


def _zeros(*shape: int) -> Any:
    return emit("zeros", [], shape=shape, dtype=np.dtype("float64"))


def _like(part: Any, value: Any) -> Any:
    """A flat array in the shape of a value."""
    shape = shape_of(value)
    return emit("reshape", [part], shape=shape) if shape else part[0]


def _flat(value: Any) -> Any:
    is_array = isinstance(value, Staged) and isinstance(value.type, ArrayType) and value.type.shape
    return emit("reshape", [value], shape=(-1,)) if is_array else value


def _loop(count: int, body: Callable[[Any], None]) -> None:
    """``for k in range(count): body(k)``, a loop of the graph."""
    k: Any = 0

    def get() -> tuple[Any, ...]:
        return (k,)

    def set_values(values: tuple[Any, ...]) -> None:
        nonlocal k
        (k,) = values

    def step() -> None:
        nonlocal k
        body(k)
        k = k + 1

    if count == 1:
        body(0)
    elif count:
        k = emit("identity", [0])
        while_stmt(lambda: k < count, step, get, set_values, ("k",))


def _by_columns(
    function: Callable[..., Any], argument: Any, name: str, rows: list[int], columns: list[int]
) -> Any:
    made = _zeros(sum(columns), sum(rows))

    def column(k: Any) -> None:
        units = zip(_unit(columns, k), floats_of(argument, name), strict=True)
        along = [_like(part, x) for part, x in units]  # before the inputs: the derivative begins there
        make, inputs = of_own("jacobian", argument, name)
        tangents = floats_of(pushed(function(make()), inputs, along), "result")
        for part, tangent in zip(_parts(rows), tangents, strict=True):
            made[k, part] = _flat(tangent)

    _loop(sum(columns), column)
    return emit("transpose", [made])


def _by_rows(
    function: Callable[..., Any], argument: Any, name: str, rows: list[int], columns: list[int]
) -> Any:
    made = _zeros(sum(rows), sum(columns))

    def row(k: Any) -> None:
        make, inputs = of_own("jacobian", argument, name)
        outputs = floats_of(function(make()), "result")
        units = [_like(part, y) for part, y in zip(_unit(rows, k), outputs, strict=True)]
        for part, adjoint in zip(_parts(columns), pulled(outputs, units, inputs), strict=True):
            made[k, part] = _flat(adjoint)

    _loop(sum(rows), row)
    return made


def pulled(results: Sequence[Any], cotangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """The adjoints of the inputs. A result that is a constant has none to give."""
    pairs = [(y, g) for y, g in zip(results, cotangents, strict=True) if isinstance(y, Staged)]
    given = [*[y for y, _ in pairs], *[g for _, g in pairs], *inputs]
    if not pairs:
        return [emit("subtract", [x, x]) for x in inputs]
    return emitted("gradient", given, len(pairs), strict=False)
