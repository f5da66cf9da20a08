"""What each operation is in ONNX: one table, by family.

A rule takes a `Call` (the operation, the names of its operands, and the nodes to add to) and gives the
name of the result, or a list of names. A family that is missing from `RULES`, or an operation of it, has no
form in ONNX.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from runtime.export import onnx_indexing
from runtime.export.onnx_errors import NotExportable
from runtime.export.onnx_nodes import Nodes, element_type, nested, value_info
from runtime.graph import Operation
from runtime.ops.indexing import Dynamic
from runtime.ops.promotion import normalize_axes, normalize_axis
from runtime.ops.template import Hole
from runtime.types import ArrayType, NumericType, join_dtypes

BOOL, INT64, FLOAT64 = np.dtype(bool), np.dtype("int64"), np.dtype("float64")


@dataclass
class Call:
    """One operation that is being exported."""

    op: Operation
    names: Sequence[str]
    nodes: Nodes

    @property
    def emit(self) -> Callable[..., str]:
        return self.nodes.emit

    @property
    def types(self) -> list[NumericType]:
        return [value.type for value in self.op.inputs]  # type: ignore[misc]

    @property
    def out(self) -> NumericType:
        """The type of the (first) result."""
        return self.op.outputs[0].type  # type: ignore[return-value]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.out.dtype

    @property
    def attributes(self) -> dict[str, Any]:
        return self.op.attributes

    def input(self, k: int, dtype: np.dtype[Any] | None = None) -> str:
        """The k-th operand, in the dtype of the result or another."""
        wanted = (dtype or self.dtype).newbyteorder("=")
        maker = self.op.inputs[k].owner
        if maker is not None and maker.name == "constant" and not isinstance(self.types[k], ArrayType):
            return self.nodes.constant(np.asarray(maker.attributes["value"]).astype(wanted))
        return self.nodes.cast(self.names[k], self.types[k].dtype, wanted)

    def inputs(self, dtype: np.dtype[Any] | None = None) -> list[str]:
        return [self.input(k, dtype) for k in range(len(self.names))]

    def raw(self, k: int) -> str:
        return self.names[k]

    def common(self) -> np.dtype[Any]:
        """The dtype in which NumPy compares the operands."""
        types = self.types
        return join_dtypes(types[0], types[1]) if len(types) > 1 else types[0].dtype

    def number(self, value: Any, dtype: np.dtype[Any] | None = None) -> str:
        return self.nodes.number(value, dtype or self.dtype)

    def ndim(self, k: int = 0) -> int:
        return self.types[k].ndim


Rule = Callable[[Call], "str | list[str]"]


# -- families of rules -----------------------------------------------------------------------------------


def unary(kind: str) -> Rule:
    return lambda c: c.emit(kind, c.input(0))


def whole(kind: str) -> Rule:
    """``floor`` and the like: ints are whole already."""
    return lambda c: c.emit(kind if c.dtype.kind == "f" else "Identity", c.input(0))


def binary(kind: str, of_bools: str | None = None) -> Rule:
    def rule(c: Call) -> str:
        if c.dtype == BOOL:
            if of_bools is None:
                raise NotExportable(f"{c.op.name} of bools has no form")
            return c.emit(of_bools, *c.inputs())
        return c.emit(kind, *c.inputs())

    return rule


def composed(make: Callable[..., str]) -> Rule:
    """A formula over the operands in the dtype of the result: ``lambda c, x: ...``."""
    return lambda c: make(c, *c.inputs())


def compare(kind: str, negated: bool = False) -> Rule:
    def rule(c: Call) -> str:
        found = c.emit(kind, *_comparable(c))
        return c.emit("Not", found) if negated else found

    return rule


def _comparable(c: Call) -> list[str]:
    common = c.common()
    if common == BOOL and c.op.name not in ("equal", "not_equal", "py.eq", "py.ne"):
        common = np.dtype("int32")  # bools have no order in ONNX
    return c.inputs(common)


def truth(c: Call, k: int) -> str:
    return c.input(k, BOOL)


def logical(kind: str) -> Rule:
    return lambda c: c.emit(kind, *[truth(c, k) for k in range(len(c.names))])


def bits(kind: str, of_bools: str) -> Rule:
    return lambda c: c.emit(of_bools if c.dtype == BOOL else kind, *c.inputs())


def of_float(make: Callable[[Call, str], str]) -> Rule:
    """A test of a number, whose result is a bool: ``isnan``."""

    def rule(c: Call) -> str:
        dtype = c.types[0].dtype
        return make(c, c.input(0, dtype if dtype.kind == "f" else FLOAT64))

    return rule


def to_int(kind: str | None) -> Rule:
    """``math.floor`` and the like, whose results are ints."""
    return lambda c: c.emit(
        "Cast", c.emit(kind, c.input(0, FLOAT64)) if kind else c.raw(0), to=element_type(INT64)
    )


# -- numbers ---------------------------------------------------------------------------------------------


def _divide(c: Call) -> str:
    return c.emit("Div", *c.inputs())


def _rest(c: Call, x: str, y: str) -> tuple[str, str]:
    """C's remainder, and whether its sign is not the one that Python's has, the divisor's."""
    rest, zero = c.emit("Mod", x, y, fmod=1), c.number(0)
    other_sign = c.emit("Xor", c.emit("Less", rest, zero), c.emit("Less", y, zero))
    return rest, c.emit("And", other_sign, c.emit("Not", c.emit("Equal", rest, zero)))


def _mod(c: Call, x: str, y: str) -> str:
    if c.dtype.kind in "iu":
        return c.emit("Mod", x, y)
    rest, wrong = _rest(c, x, y)
    return c.emit("Where", wrong, c.emit("Add", rest, y), rest)


def _floor_divide(c: Call, x: str, y: str) -> str:
    """As NumPy: the quotient without the remainder, which is whole but for rounding."""
    if c.dtype.kind in "iu":
        return c.emit("Div", c.emit("Sub", x, c.emit("Mod", x, y)), y)
    rest, wrong = _rest(c, x, y)
    quotient = c.emit("Round", c.emit("Div", c.emit("Sub", x, rest), y))
    below = c.emit("Where", wrong, c.emit("Sub", quotient, c.number(1)), quotient)
    return c.emit("Where", c.emit("Equal", y, c.number(0)), c.emit("Div", x, y), below)


def _sign_of(c: Call, x: str) -> str:
    return c.emit("Sign", x)


def _copysign(c: Call, x: str, y: str) -> str:
    size = c.emit("Abs", x)
    return c.emit("Where", c.emit("Less", y, c.number(0)), c.emit("Neg", size), size)


def _hypot(c: Call, *lengths: str) -> str:
    squares = [c.emit("Mul", x, x) for x in lengths]
    return c.emit("Sqrt", reduce(lambda a, b: c.emit("Add", a, b), squares, c.number(0)))


def _scaled(factor: float) -> Callable[[Call, str], str]:
    return lambda c, x: c.emit("Mul", x, c.number(factor))


def _trunc(c: Call, x: str) -> str:
    if c.dtype.kind != "f":
        return c.emit("Identity", x)
    return c.emit("Mul", c.emit("Sign", x), c.emit("Floor", c.emit("Abs", x)))


def _expm1(c: Call, x: str) -> str:
    """2 tanh(x/2) / (1 - tanh(x/2)), which does not cancel near 0; for large x the plain form."""
    half = c.emit("Tanh", c.emit("Mul", x, c.number(0.5)))
    near = c.emit("Div", c.emit("Mul", c.number(2), half), c.emit("Sub", c.number(1), half))
    far = c.emit("Sub", c.emit("Exp", x), c.number(1))
    return c.emit("Where", c.emit("Less", c.emit("Abs", x), c.number(1)), near, far)


def _log1p(c: Call, x: str) -> str:
    """x log(1+x) / ((1+x) - 1), which does not cancel near 0."""
    up = c.emit("Add", x, c.number(1))
    shifted = c.emit("Sub", up, c.number(1))
    exact = c.emit("Equal", shifted, c.number(0))
    ratio = c.emit("Div", x, c.emit("Where", exact, c.number(1), shifted))
    usual = c.emit("Mul", c.emit("Log", up), ratio)
    infinite = c.emit("IsInf", x)
    return c.emit("Where", exact, x, c.emit("Where", infinite, x, usual))


def _logaddexp(c: Call, x: str, y: str) -> str:
    larger, gap = c.emit("Max", x, y), c.emit("Neg", c.emit("Abs", c.emit("Sub", x, y)))
    return c.emit("Add", larger, _log1p(c, c.emit("Exp", gap)))


def _exponential(sign: int, over: bool) -> Callable[[Call, str], str]:
    """sinh and cosh by exponentials, which ONNX Runtime has for every float."""

    def make(c: Call, x: str) -> str:
        up, down = c.emit("Exp", x), c.emit("Exp", c.emit("Neg", x))
        return c.emit("Mul", c.emit("Add" if sign > 0 else "Sub", up, down), c.number(0.5))

    return make


def _tan(c: Call, x: str) -> str:
    return c.emit("Div", c.emit("Sin", x), c.emit("Cos", x))


def _cbrt(c: Call, x: str) -> str:
    return c.emit("Mul", c.emit("Sign", x), c.emit("Pow", c.emit("Abs", x), c.number(1 / 3)))


def _arctan2(c: Call, y: str, x: str) -> str:
    """The angle of (x, y), by the arc tangent of the smaller ratio."""
    zero = c.number(0)
    straight = c.emit("Atan", c.emit("Div", y, x))
    turned = c.emit("Where", c.emit("Less", y, zero), c.number(-math.pi), c.number(math.pi))
    left = c.emit("Less", x, zero)
    beside = c.emit("Where", left, c.emit("Add", straight, turned), straight)
    upright = c.emit("Mul", c.emit("Sign", y), c.number(math.pi / 2))
    return c.emit("Where", c.emit("Equal", x, zero), upright, beside)


def _fmax(kind: str) -> Callable[..., str]:
    """Of a NaN and a number, the number."""

    def make(c: Call, x: str, y: str) -> str:
        best = c.emit(kind, x, y)
        if c.dtype.kind != "f":
            return best
        return c.emit("Where", c.emit("IsNaN", x), y, c.emit("Where", c.emit("IsNaN", y), x, best))

    return make


def _clip(c: Call) -> str:
    x, low, high = c.inputs()
    return c.emit("Min", c.emit("Max", x, low), high)


def _round_to(c: Call) -> str:
    decimals = c.attributes.get("decimals", 0)
    x = c.input(0)
    if c.dtype.kind != "f":
        if decimals < 0:
            raise NotExportable("an int is rounded to tens")
        return c.emit("Identity", x)
    if not decimals:
        return c.emit("Round", x)
    factor = c.number(10.0 ** abs(decimals))
    there, back = ("Mul", "Div") if decimals > 0 else ("Div", "Mul")
    return c.emit(back, c.emit("Round", c.emit(there, x, factor)), factor)


def _py_round(c: Call) -> str:
    return c.nodes.cast(c.emit("Round", c.input(0, FLOAT64)), FLOAT64, c.dtype)


def _choose(c: Call) -> str:
    """One of several numbers by a tag."""
    tag = c.input(0, INT64)
    chosen = c.input(len(c.names) - 1)
    for k in range(len(c.names) - 2, 0, -1):
        chosen = c.emit("Where", c.emit("Equal", tag, c.number(k - 1, INT64)), c.input(k), chosen)
    return chosen


def _range_length(c: Call) -> str:
    return range_length(c.nodes, *c.inputs(INT64))


def range_length(nodes: Nodes, start: str, stop: str, step: str) -> str:
    """How many numbers there are in a range: (stop - start + step - sign) // step, at least 0."""
    emit, zero = nodes.emit, nodes.number(0, INT64)
    ends = emit("Sub", emit("Add", emit("Sub", stop, start), step), emit("Sign", step))
    quotient = emit("Div", emit("Sub", ends, emit("Mod", ends, step)), step)
    return emit("Max", quotient, zero)


def _isclose(c: Call) -> str:
    dtype = np.result_type(c.common(), np.float32)
    a, b, relative, absolute = c.inputs(dtype)
    allowed = c.emit("Add", absolute, c.emit("Mul", relative, c.emit("Abs", b)))
    near = c.emit("LessOrEqual", c.emit("Abs", c.emit("Sub", a, b)), allowed)
    near = c.emit("And", near, c.emit("Not", c.emit("IsInf", b)))
    found = c.emit("Or", near, c.emit("Equal", a, b))
    if c.attributes.get("equal_nan"):
        found = c.emit("Or", found, c.emit("And", c.emit("IsNaN", a), c.emit("IsNaN", b)))
    return found


# -- reductions and scans --------------------------------------------------------------------------------


def axes_of(c: Call) -> list[int]:
    """The axes of a reduction, all of them where none is said."""
    axis, ndim = c.attributes.get("axis"), c.ndim()
    if axis is None or not ndim:
        return list(range(ndim))
    return list(normalize_axes(axis, ndim))


def reduced(kind: str) -> Rule:
    return lambda c: _reduce(c, kind, c.input(0, _number_dtype(c.dtype)))


def _number_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype("int32") if dtype == BOOL else dtype


def _reduce(c: Call, kind: str, x: str, keepdims: bool | None = None) -> str:
    """A reduction over the axes, and the cast to bools where these are the result."""
    axes = axes_of(c)
    if not axes:
        return c.nodes.cast(c.emit("Identity", x), _number_dtype(c.dtype), c.dtype)
    keep = bool(c.attributes.get("keepdims")) if keepdims is None else keepdims
    found = c.emit(kind, x, c.nodes.ints(*axes), keepdims=int(keep))
    return found if keepdims is not None else c.nodes.cast(found, _number_dtype(c.dtype), c.dtype)


def _any(c: Call) -> str:
    if not axes_of(c):
        return c.emit("Identity", truth(c, 0))
    return c.emit("Greater", _counted(c, truth(c, 0)), c.number(0, INT64))


def _all(c: Call) -> str:
    if not axes_of(c):
        return c.emit("Identity", truth(c, 0))
    return c.emit("Equal", _counted(c, c.emit("Not", truth(c, 0))), c.number(0, INT64))


def _counted(c: Call, truths: str) -> str:
    keep = bool(c.attributes.get("keepdims"))
    counts = c.nodes.cast(truths, BOOL, INT64)
    return _reduce(c, "ReduceSum", counts, keep) if axes_of(c) else counts


def _count(c: Call, x: str) -> str:
    """How many items go into each result, in its dtype."""
    lengths = [c.nodes.length(x, axis) for axis in axes_of(c)]
    count = reduce(lambda a, b: c.emit("Mul", a, b), lengths) if lengths else c.number(1, INT64)
    return c.nodes.cast(count, INT64, c.dtype)


def _average(c: Call, x: str, keepdims: bool, ddof: float = 0) -> str:
    """The sum by the number of items, which of nothing is NaN."""
    count = _count(c, x)
    if ddof:
        count = c.emit("Sub", count, c.number(ddof))
    return c.emit("Div", _reduce(c, "ReduceSum", x, keepdims), count)


def _mean(c: Call) -> str:
    return _average(c, c.input(0), bool(c.attributes.get("keepdims")))


def _variance(c: Call) -> str:
    x = c.input(0)
    apart = c.emit("Sub", x, _average(c, x, True))
    squares, keep = c.emit("Mul", apart, apart), bool(c.attributes.get("keepdims"))
    return _average(c, squares, keep, c.attributes.get("ddof", 0))


def extreme(kind: str) -> Rule:
    return lambda c: _extreme(c, kind, c.input(0, _number_dtype(c.dtype)))


def _extreme(c: Call, kind: str, x: str) -> str:
    """A maximum or minimum, which is NaN where one of the items is."""
    keep = bool(c.attributes.get("keepdims"))
    if c.dtype.kind != "f" or not axes_of(c):
        return _reduce(c, kind, x)
    strange = c.nodes.cast(c.emit("IsNaN", x), BOOL, INT64)
    found = c.emit("Greater", _reduce(c, "ReduceSum", strange, keep), c.number(0, INT64))
    return c.emit("Where", found, c.number(math.nan), _reduce(c, kind, x, keep))


def _spread(c: Call) -> str:
    x = c.input(0)
    return c.emit("Sub", _extreme(c, "ReduceMax", x), _extreme(c, "ReduceMin", x))


def _where_best(kind: str) -> Rule:
    """The place of the largest or smallest item; of a NaN, where there is one."""

    def rule(c: Call) -> str:
        axis, keep = c.attributes.get("axis"), int(bool(c.attributes.get("keepdims")))
        dtype = c.types[0].dtype
        x = c.input(0, _number_dtype(dtype))
        if axis is None:
            if keep and c.ndim() != 1:
                raise NotExportable(f"{c.op.name} of the whole array keeps its dimensions")
            x, axis = c.nodes.flat(x), 0
        axis = normalize_axis(axis, max(c.ndim(), 1))
        best = c.emit(kind, x, axis=axis, keepdims=keep)
        if dtype.kind != "f":
            return best
        strange = c.nodes.cast(c.emit("IsNaN", x), BOOL, np.dtype("int32"))
        some = c.emit("ReduceMax", strange, c.nodes.ints(axis), keepdims=keep)
        first = c.emit("ArgMax", strange, axis=axis, keepdims=keep)
        return c.emit("Where", c.nodes.cast(some, np.dtype("int32"), BOOL), first, best)

    return rule


def _without_nan(kind: str, instead: float) -> Rule:
    def rule(c: Call) -> str:
        x = c.input(0)
        if c.dtype.kind == "f":
            x = c.emit("Where", c.emit("IsNaN", x), c.number(instead), x)
        return _reduce(c, kind, x)

    return rule


def _along(c: Call, scan: Callable[[str, int, int], str]) -> str:
    """A scan of an array along an axis, and of this rank; of the flat array where no axis is said."""
    x = c.input(0)
    axis = c.attributes.get("axis", 0 if c.op.name == "ufunc_accumulate" else None)
    if axis is None or not c.ndim():
        return scan(c.nodes.flat(x), 0, 1)
    return scan(x, normalize_axis(axis, c.ndim()), c.ndim())


def _cumsum(c: Call) -> str:
    return _along(c, lambda x, axis, _: c.emit("CumSum", x, c.number(axis, INT64)))


def accumulated(kind: str) -> Rule:
    """A scan with an operation of two numbers, as a loop over the axis."""
    return lambda c: _along(c, lambda x, axis, rank: _scan(c, kind, x, axis, rank))


_ACCUMULATED = {"add": "Add", "multiply": "Mul", "maximum": "Max", "minimum": "Min"}


def _accumulate(c: Call) -> str:
    kind = _ACCUMULATED.get(c.attributes["ufunc"])
    if kind is None:
        raise NotExportable(f"np.{c.attributes['ufunc']}.accumulate has no form")
    return _along(c, lambda x, axis, rank: _scan(c, kind, x, axis, rank))


def _scan(c: Call, kind: str, x: str, axis: int, rank: int) -> str:
    """Loop over the slices along an axis: the carried one is combined with each, and all are stacked."""
    nodes = c.nodes
    i, going, carried = nodes.fresh("i"), nodes.fresh("going"), nodes.fresh("carried")
    with nodes.graph() as body:
        item = nodes.emit("Gather", x, i, axis=axis)
        first = nodes.emit("Equal", i, nodes.number(0, INT64))
        combined = nodes.emit("Where", first, item, nodes.emit(kind, carried, item))
        outputs = [nodes.emit("Identity", name) for name in (going, combined, combined)]
    of_item, truth, counted = ArrayType(c.dtype, ()), ArrayType(BOOL, ()), ArrayType(INT64, ())
    graph = nested(
        body, nodes.fresh("scan"),
        [value_info(i, counted), value_info(going, truth), value_info(carried, of_item, True)],
        [value_info(outputs[0], truth), *[value_info(name, of_item, True) for name in outputs[1:]]],
    )  # fmt: skip
    start = nodes.emit("Squeeze", nodes.emit(
        "Slice", x, nodes.ints(0), nodes.ints(1), nodes.ints(axis)), nodes.ints(axis))  # fmt: skip
    _, stacked = nodes.emit_several("Loop", [nodes.length(x, axis), "", start], 2, body=graph)
    order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
    return nodes.emit("Transpose", stacked, perm=order)


# -- shapes ----------------------------------------------------------------------------------------------


def shape_vector(c: Call, shape: Sequence[Any], first: int) -> str:
    """A shape of ints and dynamic ones; ``first`` is the place of dynamic input 0."""
    if not any(isinstance(n, Dynamic) for n in shape):
        return c.nodes.ints(*shape)
    parts = [
        c.nodes.vector(c.input(first + n.index, INT64)) if isinstance(n, Dynamic) else c.nodes.ints(n)
        for n in shape
    ]
    return c.emit("Concat", *parts, axis=0)


def _is_reversed(c: Call) -> bool:
    """Are items counted in the order of Fortran, with the first axis fastest?"""
    order = c.attributes.get("order", "C")
    if order not in ("C", "F"):
        raise NotExportable(f"order={order!r} has no form")
    return order == "F"


def _turned(c: Call, x: str, ndim: int) -> str:
    return c.emit("Transpose", x, perm=list(range(ndim))[::-1]) if ndim > 1 else x


def _reshape(c: Call) -> str:
    shape = c.attributes["shape"]
    zero = int(0 in shape and -1 not in shape)
    if not _is_reversed(c):
        return c.emit("Reshape", c.input(0), shape_vector(c, shape, 1), allowzero=zero)
    turned = _turned(c, c.input(0), c.ndim())
    found = c.emit("Reshape", turned, shape_vector(c, shape[::-1], 1), allowzero=zero)
    return _turned(c, found, len(shape))


def _flat(c: Call) -> str:
    return c.nodes.flat(_turned(c, c.input(0), c.ndim()) if _is_reversed(c) else c.input(0))


def _broadcast_to(c: Call) -> str:
    return c.emit("Expand", c.input(0), shape_vector(c, c.attributes["shape"], 1))


def permuted(order_of: Callable[..., Sequence[int]]) -> Rule:
    """A transposition: where NumPy's function puts the axes of an array with lengths 0, 1, 2, ..."""

    def rule(c: Call) -> str:
        order = [int(n) for n in order_of(c.ndim(), **c.attributes)]
        return c.emit("Transpose", c.input(0), perm=order) if order else c.emit("Identity", c.input(0))

    return rule


def _by_probe(function: Callable[..., Any]) -> Callable[..., Sequence[int]]:
    def order(ndim: int, **attributes: Any) -> Sequence[int]:
        probe = np.broadcast_to(np.zeros(()), tuple(range(2, ndim + 2)))
        return [n - 2 for n in function(probe, **attributes).shape]

    return order


def _expand_dims(c: Call) -> str:
    return c.emit("Unsqueeze", c.input(0), c.nodes.ints(*normalize_axes(c.attributes["axis"], c.out.ndim)))


def _squeeze(c: Call) -> str:
    axis, shape = c.attributes.get("axis"), c.types[0].shape
    axes = (
        [k for k, n in enumerate(shape) if n == 1] if axis is None else list(normalize_axes(axis, c.ndim()))
    )
    return c.emit("Squeeze", c.input(0), c.nodes.ints(*axes)) if axes else c.emit("Identity", c.input(0))


def _atleast(ndim: int) -> Rule:
    def rule(c: Call) -> str:
        missing = ndim - c.ndim()
        if missing > 0 and ndim == 3:
            raise NotExportable("np.atleast_3d has no form")
        return (
            c.emit("Unsqueeze", c.input(0), c.nodes.ints(*range(missing)))
            if missing > 0
            else c.emit("Identity", c.input(0))
        )

    return rule


def _flip(c: Call) -> str:
    axes = axes_of(c)
    if not axes:
        return c.emit("Identity", c.input(0))
    ints = c.nodes.ints
    last = np.iinfo(np.int64)
    return c.emit("Slice", c.input(0), ints(*[last.max] * len(axes)), ints(*[last.min] * len(axes)),
                  ints(*axes), ints(*[-1] * len(axes)))  # fmt: skip


def _roll(c: Call) -> str:
    axis = c.attributes.get("axis")
    if c.ndim(1) or isinstance(axis, tuple):
        raise NotExportable("np.roll by several shifts has no form")
    x = c.input(0)
    rolled = x if axis is not None else c.nodes.flat(x)
    k = 0 if axis is None else normalize_axis(axis, c.ndim())
    length = c.nodes.length(rolled, k)
    one = c.number(1, INT64)
    cut = c.emit("Mod", c.emit("Neg", c.input(1, INT64)), c.emit("Max", length, one))
    ints, end = c.nodes.ints, c.nodes.vector(cut)
    tail = c.emit("Slice", rolled, end, ints(np.iinfo(np.int64).max), ints(k))
    head = c.emit("Slice", rolled, ints(0), end, ints(k))
    joined = c.emit("Concat", tail, head, axis=k)
    return joined if axis is not None else c.emit("Reshape", joined, c.nodes.shape(x))


def _concatenate(c: Call) -> str:
    axis = c.attributes.get("axis", 0)
    if axis is None:
        return c.emit("Concat", *[c.nodes.flat(x) for x in c.inputs()], axis=0)
    return c.emit("Concat", *c.inputs(), axis=normalize_axis(axis, c.ndim()))


def _stack(c: Call) -> str:
    axis = normalize_axis(c.attributes.get("axis", 0), c.out.ndim)
    parts = [c.emit("Unsqueeze", x, c.nodes.ints(axis)) for x in c.inputs()]
    return c.emit("Concat", *parts, axis=axis)


def _split(c: Call) -> list[str]:
    axis = normalize_axis(c.attributes.get("axis", 0), c.ndim())
    lengths = [value.type.shape[axis] for value in c.op.outputs]  # type: ignore[union-attr]
    known = [n for n in lengths if n is not None]
    if len(known) < len(lengths):
        raise NotExportable("np.split of an array whose length is not known has no form")
    return c.nodes.emit_several("Split", [c.input(0), c.nodes.ints(*known)], len(known), axis=axis)


def _repeat_static(c: Call) -> str:
    times, axis = c.attributes["repeats"], c.attributes.get("axis")
    x = c.input(0)
    if axis is None:
        x, axis, ndim = c.nodes.flat(x), 0, 1
    else:
        axis, ndim = normalize_axis(axis, c.ndim()), c.ndim()
    wide = c.emit("Unsqueeze", x, c.nodes.ints(axis + 1))
    repeats = [1] * (ndim + 1)
    repeats[axis + 1] = times
    tiled = c.emit("Tile", wide, c.nodes.ints(*repeats))
    shape = [0] * ndim  # 0: as it was
    shape[axis] = -1
    lengths = [c.nodes.vector(c.nodes.length(x, k)) if k != axis else c.nodes.ints(-1) for k in range(ndim)]
    return c.emit("Reshape", tiled, c.emit("Concat", *lengths, axis=0))


def _tile(c: Call) -> str:
    reps = tuple(c.attributes["reps"])
    x, ndim = c.input(0), c.ndim()
    if len(reps) > ndim:
        x = c.emit("Unsqueeze", x, c.nodes.ints(*range(len(reps) - ndim)))
    reps = (1,) * (ndim - len(reps)) + reps
    return c.emit("Tile", x, c.nodes.ints(*reps)) if reps else c.emit("Identity", x)


_MODES = {"constant": "constant", "edge": "edge", "reflect": "reflect", "wrap": "wrap"}


def _pad(c: Call) -> str:
    mode = c.attributes.get("mode", "constant")
    if mode not in _MODES or len(c.names) > 2:
        raise NotExportable(f"np.pad with mode={mode!r} has no form")
    widths = np.broadcast_to(np.asarray(c.attributes["pad_width"]), (c.ndim(), 2))
    pads = c.nodes.ints(*map(int, widths[:, 0]), *map(int, widths[:, 1]))
    filled = [c.input(1)] if len(c.names) > 1 else []
    return c.emit("Pad", c.input(0), pads, *filled, mode=_MODES[mode])


def _triangle(upper: int) -> Rule:
    return lambda c: c.emit("Trilu", c.input(0), c.number(c.attributes.get("k", 0), INT64), upper=upper)


def _trace(c: Call) -> str:
    if c.attributes.get("offset", 0) or c.ndim() != 2:
        raise NotExportable("np.trace with an offset has no form")
    x = c.input(0)
    unit = c.emit("EyeLike", x, dtype=element_type(c.dtype))
    return c.emit("ReduceSum", c.emit("Mul", x, unit), keepdims=0)


# -- making arrays ---------------------------------------------------------------------------------------


def filled(value: int) -> Rule:
    def rule(c: Call) -> str:
        return c.emit("Expand", c.number(value), shape_vector(c, c.attributes["shape"], 0))

    return rule


def _full(c: Call) -> str:
    return c.emit("Expand", c.input(0), shape_vector(c, c.attributes["shape"], 1))


def _like(c: Call) -> str:
    values = {"zeros_like": 0, "ones_like": 1, "empty_like": 0}
    return c.emit("Expand", c.number(values[c.attributes["name"]]), c.nodes.shape(c.raw(0)))


def _array(c: Call) -> str:
    """Nested lists of numbers and arrays, stacked from inside out."""

    def build(structure: Any) -> str:
        if isinstance(structure, Hole):
            return c.input(structure.index)
        if isinstance(structure, list | tuple) and structure:
            parts = [c.nodes.vector(build(part)) for part in structure]
            return c.emit("Concat", *parts, axis=0)
        return c.nodes.constant(np.array(structure, c.dtype))

    return build(c.attributes["template"].structure)


def _copy(c: Call) -> str:
    missing = c.attributes.get("ndmin", 0) - c.ndim()
    if missing > 0:
        return c.emit("Unsqueeze", c.input(0), c.nodes.ints(*range(missing)))
    return c.emit("Identity", c.input(0))


def _arange(c: Call) -> str:
    if c.dtype.kind not in "iuf":
        raise NotExportable("np.arange of this dtype has no form")
    bounds = c.inputs()
    if len(bounds) == 1:
        bounds = [c.number(0), *bounds]
    if len(bounds) == 2:
        bounds = [*bounds, c.number(1)]
    return c.emit("Range", *bounds)


def _eye(c: Call) -> str:
    rows, columns = c.attributes["rows"], c.attributes["columns"]
    shape = shape_vector(c, (rows, rows if columns is None else columns), 0)
    return c.emit("EyeLike", c.emit("Expand", c.number(0), shape), k=c.attributes["k"])


# -- linear algebra --------------------------------------------------------------------------------------


def _matmul(c: Call) -> str:
    return c.emit("MatMul", *c.inputs())


def _dot(c: Call) -> str:
    if not (c.ndim(0) and c.ndim(1)):
        return c.emit("Mul", *c.inputs())
    if c.ndim(1) > 2:
        raise NotExportable("np.dot with an array of more than two dimensions has no form")
    return c.emit("MatMul", *c.inputs())


def _inner(c: Call) -> str:
    if c.ndim(0) != 1 or c.ndim(1) != 1:
        raise NotExportable("np.inner of matrices has no form")
    return c.emit("MatMul", *c.inputs())


def _outer(c: Call) -> str:
    x, y = (c.nodes.flat(name) for name in c.inputs())
    return c.emit("Mul", c.emit("Unsqueeze", x, c.nodes.ints(1)), c.emit("Unsqueeze", y, c.nodes.ints(0)))


def _einsum(c: Call) -> str:
    return c.emit("Einsum", *c.inputs(), equation=c.attributes["subscripts"].replace(" ", ""))


def _norm(c: Call) -> str:
    order, axis = c.attributes.get("ord"), c.attributes.get("axis")
    vector = isinstance(axis, int) or (axis is None and c.ndim() == 1)
    x = c.emit("Abs", c.input(0))
    if order is None or (order == 2 and vector):
        return c.emit("Sqrt", _reduce(c, "ReduceSum", c.emit("Mul", x, x)))
    if vector and order in (1, math.inf):
        return _reduce(c, "ReduceSum" if order == 1 else "ReduceMax", x)
    raise NotExportable(f"a norm of order {order!r} has no form")


# -- sorting and selecting -------------------------------------------------------------------------------


def _sorted(output: int) -> Rule:
    def rule(c: Call) -> str:
        axis = c.attributes.get("axis", -1)
        dtype = c.types[0].dtype
        x = c.input(0, dtype)
        if axis is None or not c.ndim():
            x, axis = c.nodes.flat(x), 0
        else:
            axis = normalize_axis(axis, c.ndim())
        count = c.nodes.vector(c.nodes.length(x, axis))
        return c.nodes.emit_several("TopK", [x, count], 2, axis=axis, largest=0, sorted=1)[output]

    return rule


def _take(c: Call) -> str:
    if c.attributes.get("mode", "raise") != "raise":
        raise NotExportable("np.take with a mode has no form")
    axis = c.attributes.get("axis")
    x = c.input(0) if axis is not None else c.nodes.flat(c.input(0))
    return c.emit("Gather", x, c.input(1, INT64), axis=0 if axis is None else normalize_axis(axis, c.ndim()))


def _take_along(c: Call) -> str:
    axis = c.attributes.get("axis", -1)
    if axis is None:
        raise NotExportable("np.take_along_axis of the flat array has no form")
    return c.emit("GatherElements", c.input(0), c.input(1, INT64), axis=normalize_axis(axis, c.ndim()))


def _nonzero(c: Call) -> list[str]:
    found = c.emit("NonZero", truth(c, 0))
    return [c.emit("Gather", found, c.number(k, INT64), axis=0) for k in range(c.ndim())]


def _flatnonzero(c: Call) -> str:
    return c.emit("Gather", c.emit("NonZero", c.nodes.flat(truth(c, 0))), c.number(0, INT64), axis=0)


def _diff(c: Call) -> str:
    axis, x = normalize_axis(c.attributes.get("axis", -1), c.ndim()), c.input(0)
    ints, last = c.nodes.ints, np.iinfo(np.int64).max
    for _ in range(c.attributes.get("n", 1)):
        after = c.emit("Slice", x, ints(1), ints(last), ints(axis))
        before = c.emit("Slice", x, ints(0), ints(-1), ints(axis))
        x = c.emit("Sub", after, before)
    return x


def _searchsorted(c: Call) -> str:
    """How many are smaller (or not larger): every value beside every item."""
    if len(c.names) > 2:
        raise NotExportable("np.searchsorted with a sorter has no form")
    dtype = c.common()
    items, values = c.inputs(dtype)
    kind = "Greater" if c.attributes.get("side", "left") == "left" else "GreaterOrEqual"
    below = c.emit(kind, c.emit("Unsqueeze", values, c.nodes.ints(-1)), items)
    return c.emit("ReduceSum", c.nodes.cast(below, BOOL, INT64), c.nodes.ints(-1), keepdims=0)


# -- the table -------------------------------------------------------------------------------------------

_ARITHMETIC: dict[str, Rule] = {
    "add": binary("Add", "Or"),
    "subtract": binary("Sub"),
    "multiply": binary("Mul", "And"),
    "true_divide": _divide,
    "negative": unary("Neg"),
    "positive": unary("Identity"),
    "absolute": unary("Abs"),
    "floor_divide": composed(_floor_divide),
    "remainder": composed(_mod),
    "power": binary("Pow"),
}

#: family -> operation -> rule
RULES: dict[str, dict[str, Rule]] = {
    "elementwise": _ARITHMETIC | {
        "fabs": unary("Abs"),
        "fmod": composed(lambda c, x, y: c.emit("Mod", x, y, fmod=1)),
        "float_power": binary("Pow"),
        "square": composed(lambda c, x: c.emit("Mul", x, x)),
        "reciprocal": composed(lambda c, x: c.emit("Div", c.number(1), x)),
        "conjugate": unary("Identity"),
        "sign": composed(_sign_of),
        "sqrt": unary("Sqrt"),
        "cbrt": composed(_cbrt),
        "exp": unary("Exp"),
        "exp2": composed(lambda c, x: c.emit("Pow", c.number(2), x)),
        "expm1": composed(_expm1),
        "log": unary("Log"),
        "log2": composed(lambda c, x: _scaled(1 / math.log(2))(c, c.emit("Log", x))),
        "log10": composed(lambda c, x: _scaled(1 / math.log(10))(c, c.emit("Log", x))),
        "log1p": composed(_log1p),
        "sin": unary("Sin"),
        "cos": unary("Cos"),
        "tan": composed(_tan),
        "arcsin": unary("Asin"),
        "arccos": unary("Acos"),
        "arctan": unary("Atan"),
        "sinh": composed(_exponential(-1, False)),
        "cosh": composed(_exponential(1, False)),
        "tanh": unary("Tanh"),
        "arcsinh": unary("Asinh"),
        "arccosh": unary("Acosh"),
        "arctanh": unary("Atanh"),
        "arctan2": composed(_arctan2),
        "hypot": composed(_hypot),
        "copysign": composed(_copysign),
        "floor": whole("Floor"),
        "ceil": whole("Ceil"),
        "trunc": composed(_trunc),
        "rint": whole("Round"),
        "logaddexp": composed(_logaddexp),
        "deg2rad": composed(_scaled(math.pi / 180)),
        "radians": composed(_scaled(math.pi / 180)),
        "rad2deg": composed(_scaled(180 / math.pi)),
        "degrees": composed(_scaled(180 / math.pi)),
        "maximum": binary("Max", "Or"),
        "minimum": binary("Min", "And"),
        "fmax": composed(_fmax("Max")),
        "fmin": composed(_fmax("Min")),
        "bitwise_and": bits("BitwiseAnd", "And"),
        "bitwise_or": bits("BitwiseOr", "Or"),
        "bitwise_xor": bits("BitwiseXor", "Xor"),
        "invert": bits("BitwiseNot", "Not"),
        "clip": _clip,
        "less": compare("Less"),
        "less_equal": compare("LessOrEqual"),
        "greater": compare("Greater"),
        "greater_equal": compare("GreaterOrEqual"),
        "equal": compare("Equal"),
        "not_equal": compare("Equal", negated=True),
        "logical_and": logical("And"),
        "logical_or": logical("Or"),
        "logical_xor": logical("Xor"),
        "logical_not": logical("Not"),
        "isnan": of_float(lambda c, x: c.emit("IsNaN", x)),
        "isinf": of_float(lambda c, x: c.emit("IsInf", x)),
        "isfinite": of_float(
            lambda c, x: c.emit("Not", c.emit("Or", c.emit("IsNaN", x), c.emit("IsInf", x)))
        ),
        "where": lambda c: c.emit("Where", truth(c, 0), c.input(1), c.input(2)),
    },
    "scalar": {
        "scalar.multiply": binary("Mul", "And"),
        "scalar.power": binary("Pow"),
        "scalar.absolute": unary("Abs"),
    },
    "python arithmetic": {
        "py.add": binary("Add"),
        "py.sub": binary("Sub"),
        "py.mul": binary("Mul"),
        "py.neg": unary("Neg"),
        "py.pos": unary("Identity"),
        "py.abs": unary("Abs"),
        "py.truediv": _divide,
        "py.floordiv": composed(_floor_divide),
        "py.mod": composed(_mod),
        "py.pow": binary("Pow"),
        "py.invert": unary("BitwiseNot"),
        "py.round": _py_round,
    },
    "python bits": {
        "py.and": bits("BitwiseAnd", "And"),
        "py.or": bits("BitwiseOr", "Or"),
        "py.xor": bits("BitwiseXor", "Xor"),
    },
    "python int": {"py.range_length": _range_length},
    "python float": {
        "math.sqrt": unary("Sqrt"), "math.exp": unary("Exp"), "math.log": unary("Log"),
        "math.sin": unary("Sin"), "math.cos": unary("Cos"), "math.tan": composed(_tan),
        "math.tanh": unary("Tanh"), "math.fabs": unary("Abs"), "math.pow": binary("Pow"),
        "math.expm1": composed(_expm1), "math.log1p": composed(_log1p),
        "math.log2": composed(lambda c, x: _scaled(1 / math.log(2))(c, c.emit("Log", x))),
        "math.log10": composed(lambda c, x: _scaled(1 / math.log(10))(c, c.emit("Log", x))),
        "math.sinh": composed(_exponential(-1, False)), "math.cosh": composed(_exponential(1, False)),
        "math.hypot": composed(_hypot), "math.copysign": composed(_copysign),
        "math.fmod": composed(lambda c, x, y: c.emit("Mod", x, y, fmod=1)),
        "math.degrees": composed(_scaled(180 / math.pi)), "math.radians": composed(_scaled(math.pi / 180)),
        "math.floor": to_int("Floor"), "math.ceil": to_int("Ceil"), "math.trunc": to_int(None),
        "math.isnan": of_float(lambda c, x: c.emit("IsNaN", x)),
        "math.isinf": of_float(lambda c, x: c.emit("IsInf", x)),
        "math.isfinite": of_float(
            lambda c, x: c.emit("Not", c.emit("Or", c.emit("IsNaN", x), c.emit("IsInf", x)))
        ),
    },
    "python comparison": {
        "py.lt": compare("Less"), "py.le": compare("LessOrEqual"), "py.gt": compare("Greater"),
        "py.ge": compare("GreaterOrEqual"), "py.eq": compare("Equal"),
        "py.ne": compare("Equal", negated=True),
    },
    "python choice": {
        "py.select": lambda c: c.emit("Where", truth(c, 0), c.input(1), c.input(2)),
        "py.choose": _choose,
    },
    "python conversion": {
        "py.int": to_int(None),
        "py.index": to_int(None),
        "py.float": lambda c: c.emit("Identity", c.input(0)),
        "py.bool": lambda c: c.emit("Identity", truth(c, 0)),
        "py.not": logical("Not"),
    },
    "conversion": {
        "cast": lambda c: c.emit("Identity", c.input(0)),
        "astype": lambda c: c.emit("Identity", c.input(0)),
    },
    "reduction": {
        "sum": reduced("ReduceSum"), "prod": reduced("ReduceProd"), "max": extreme("ReduceMax"),
        "min": extreme("ReduceMin"), "mean": _mean,
        "any": _any, "all": _all, "var": _variance,
        "std": lambda c: c.emit("Sqrt", _variance(c)),
        "ptp": _spread, "argmax": _where_best("ArgMax"), "argmin": _where_best("ArgMin"),
        "count_nonzero": lambda c: _counted(c, truth(c, 0)),
        "nansum": _without_nan("ReduceSum", 0), "nanprod": _without_nan("ReduceProd", 1),
    },
    "scan": {
        "cumsum": _cumsum, "cumprod": accumulated("Mul"), "ufunc_accumulate": _accumulate,
    },
    "indexing": {"getitem": onnx_indexing.getitem},
    "shape": {
        "reshape": _reshape, "ravel": _flat, "flatten": _flat,
        "broadcast_to": _broadcast_to, "broadcast_array": _broadcast_to,
        "transpose": permuted(
            lambda ndim, axes=None: range(ndim)[::-1] if axes is None else [a % ndim for a in axes]
        ),
        "swapaxes": permuted(_by_probe(np.swapaxes)),
        "moveaxis": permuted(_by_probe(np.moveaxis)),
        "rollaxis": permuted(_by_probe(np.rollaxis)),
        "expand_dims": _expand_dims, "squeeze": _squeeze, "flip": _flip, "roll": _roll,
        "atleast_1d": _atleast(1), "atleast_2d": _atleast(2), "real": unary("Identity"),
        "concatenate": _concatenate, "stack": _stack, "split": _split,
        "repeat_static": _repeat_static, "tile": _tile, "pad": _pad,
        "tril": _triangle(0), "triu": _triangle(1), "trace": _trace,
    },
    "creation": {
        "array": _array, "copy": _copy, "asarray": _copy, "zeros": filled(0), "ones": filled(1),
        "empty": filled(0), "full": _full, "like": _like, "eye": _eye, "arange": _arange,
    },
    "linear algebra": {
        "matmul": _matmul, "dot": _dot, "vdot": _inner, "inner": _inner, "outer": _outer,
        "einsum": _einsum, "linalg.norm": _norm,
        "linalg.det": lambda c: c.emit("Det", c.input(0)),
    },
    "sorting": {
        "sort": _sorted(0), "argsort": _sorted(1), "take": _take, "take_along_axis": _take_along,
        "nonzero": _nonzero, "flatnonzero": _flatnonzero, "diff": _diff, "round": _round_to,
        "isclose": _isclose, "searchsorted": _searchsorted,
    },
    "memory": {
        "dim": lambda c: c.nodes.length(c.raw(0), c.attributes["axis"] % c.ndim()),
    },
}  # fmt: skip
