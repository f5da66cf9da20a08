"""Functions on tensors: each names the operation that it stands for. `tf.math`, and much of `tf` itself."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime.ops.definition import Dynamic
from runtime.tf.arguments import name_results
from runtime.tf.dtypes import numpy_dtype
from runtime.tf.errors import InvalidArgumentError
from runtime.tf.names import refusing
from runtime.tf.tensors import (
    EagerTensor,
    SymbolicTensor,
    Tensor,
    apply,
    arithmetic,
    binary,
    cast,
    convert,
    dim,
    equal,
    item,
    matmul,
    not_negative,
    not_of,
    pair,
    shape_of,
    shape_parts,
    true_divide,
    whole_divide,
)
from runtime.tf.traces import current


def _unary(operation: str) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        return apply(operation, convert(x))

    function.__doc__ = f"The operation `{operation}`, element by element."
    return function


def _binary(operation: str, function: Callable[[Any, Any], Any] | None = None) -> Callable[..., Any]:
    compute = function or binary(operation)

    def named(x: Any, y: Any) -> Any:
        return compute(x, y)

    named.__doc__ = f"The operation `{operation}`, element by element."
    return named


def _of_floats(operation: str) -> Callable[..., Any]:
    """An operation that integers do not have: they are to be cast first."""

    def function(x: Any) -> Any:
        x = convert(x)
        if not (x.dtype.is_floating or x.dtype.is_complex):
            text = f"{operation}: the value has dtype {x.dtype.name}, and has to be a float: use tf.cast"
            raise not_of(text)
        return apply(operation, x)

    function.__doc__ = f"The operation `{operation}`, element by element, of floats."
    return function


exp, expm1, log, log1p, sqrt = map(_of_floats, ("exp", "expm1", "log", "log1p", "sqrt"))
sin, cos, tan, asin, acos, atan = map(_of_floats, ("sin", "cos", "tan", "arcsin", "arccos", "arctan"))
sinh, cosh, tanh, asinh = map(_of_floats, ("sinh", "cosh", "tanh", "arcsinh"))
acosh, atanh, floor, ceil = map(_of_floats, ("arccosh", "arctanh", "floor", "ceil"))
square, negative, abs, sign = map(_unary, ("square", "negative", "absolute", "sign"))
round, reciprocal = _unary("rint"), _unary("reciprocal")
is_nan, is_inf, is_finite, logical_not = map(_unary, ("isnan", "isinf", "isfinite", "logical_not"))
conj, invert = _unary("conjugate"), _unary("invert")
add, subtract, multiply, pow = [
    _binary(name, functools.partial(arithmetic, name)) for name in ("add", "subtract", "multiply", "power")
]
maximum, minimum = map(_binary, ("maximum_or_first", "minimum_or_first"))
floordiv = _binary("floor_divide", whole_divide)
floormod = _binary("remainder", lambda a, b: whole_divide(a, b, "remainder"))
mod = floormod
greater, greater_equal, less, less_equal = map(_binary, ("greater", "greater_equal", "less", "less_equal"))
logical_and, logical_or, logical_xor = map(_binary, ("logical_and", "logical_or", "logical_xor"))
bitwise_and, bitwise_or, bitwise_xor = map(_binary, ("bitwise_and", "bitwise_or", "bitwise_xor"))
left_shift, right_shift = map(_binary, ("left_shift", "right_shift"))
atan2 = _binary("arctan2")
truediv = _binary("true_divide", true_divide)
divide = truediv
not_equal = _binary("not_equal", lambda a, b: equal(a, b, "not_equal"))


def equal_(x: Any, y: Any) -> Any:
    """`tf.equal`."""
    return equal(x, y)


def rsqrt(x: Any) -> Any:
    return reciprocal(sqrt(x))


def sigmoid(x: Any) -> Any:
    x = convert(x)
    return (tanh(x * 0.5) + 1) * 0.5


def softplus(features: Any) -> Any:
    x = convert(features)
    return apply("logaddexp", x, convert(0, x.dtype))


def squared_difference(x: Any, y: Any) -> Any:
    return square(subtract(x, y))


def divide_no_nan(x: Any, y: Any) -> Any:
    x, y = pair(x, y)
    zero = equal(y, 0)
    return where(zero, convert(0, x.dtype), x / where(zero, convert(1, x.dtype), y))


def add_n(inputs: Sequence[Any]) -> Any:
    found = convert(inputs[0])
    for x in inputs[1:]:
        found = add(found, x)
    return found


def identity(input: Any) -> Any:
    x = convert(input)
    return apply("identity", x)


# -- reductions --------------------------------------------------------------------------------------------


def _axis(axis: Any) -> Any:
    """An axis, several, or None for all."""
    if axis is None or isinstance(axis, int):
        return axis
    if isinstance(axis, SymbolicTensor):
        raise NotImplementedError("axis= that only a run knows is not supported")
    found = np.asarray(axis)
    return int(found) if found.ndim == 0 else tuple(found.tolist())


def _numbers(operation: str, value: Any) -> Any:
    x = convert(value)
    if x.dtype.is_bool:
        raise not_of(f"{operation}: truth values are not added: use tf.cast")
    return x


def _reduction(operation: str, **attributes: Any) -> Callable[..., Any]:
    def reduced(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = _numbers(operation, input_tensor) if attributes else convert(input_tensor)
        more = dict.fromkeys(attributes, x.dtype._numpy)
        return apply(operation, x, axis=_axis(axis), keepdims=keepdims, **more)

    reduced.__doc__ = f"The operation `{operation}` over all axes, or those given."
    return reduced


reduce_sum, reduce_prod = _reduction("sum", dtype=1), _reduction("prod", dtype=1)
reduce_max, reduce_min = _reduction("max"), _reduction("min")
reduce_any, reduce_all = _reduction("any"), _reduction("all")
reduce_std, reduce_variance = _reduction("std"), _reduction("var")


def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean, of integers an integer."""
    x, axes = _numbers("mean", input_tensor), _axis(axis)
    if x.dtype.is_integer:
        return cast(apply("trunc", apply("mean", x, axis=axes, keepdims=keepdims)), x.dtype)
    rank = len(x.shape)
    several = isinstance(axes, tuple) and len({k % rank for k in axes if -rank <= k < rank}) == len(axes) > 1
    if not several or x.dtype._numpy.itemsize < 4:
        return apply("mean", x, axis=axes, keepdims=keepdims)
    for done, k in enumerate(sorted(k % rank for k in axes)):
        # one after the other: NumPy adds a few long rows faster than many short ones
        x = apply("mean", x, axis=k if keepdims else k - done, keepdims=keepdims)
    return x


def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = convert(input_tensor)
    top = apply("stop_gradient", reduce_max(x, axis, True))
    found = add(log(reduce_sum(exp(subtract(x, top)), axis, True)), top)
    return found if keepdims else reduce_sum(found, axis)


def reduce_euclidean_norm(input_tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return sqrt(reduce_sum(square(input_tensor), axis, keepdims))


def count_nonzero(input: Any, axis: Any = None, keepdims: bool | None = None, dtype: Any = np.int64) -> Any:
    return reduce_sum(cast(not_equal(input, 0), dtype), axis, bool(keepdims))


def _arg(operation: str) -> Callable[..., Any]:
    def function(input: Any, axis: Any = 0, output_type: Any = np.int64) -> Any:
        return cast(apply(operation, convert(input), axis=_axis(axis)), output_type)

    return function


argmax, argmin = _arg("argmax"), _arg("argmin")


def _scan(operation: str) -> Callable[..., Any]:
    def function(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
        x = convert(x)
        x = apply("flip", x, axis=axis) if reverse else x
        if exclusive:  # the first is the sum of nothing, and the last is left out
            front = (slice(None),) * (axis % x.ndim)
            first = item(x, (*front, slice(0, 1)))
            start = zeros_like(first) if operation == "cumsum" else ones_like(first)
            x = concat([start, item(x, (*front, slice(0, -1)))], axis)
        found = apply(operation, x, axis=axis, dtype=x.dtype._numpy)
        return apply("flip", found, axis=axis) if reverse else found

    return function


cumsum, cumprod = _scan("cumsum"), _scan("cumprod")


def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    predictions, targets = convert(predictions), convert(targets)
    own = apply("take_along_axis", predictions, expand_dims(cast(targets, np.int64), -1), axis=-1)
    return reduce_sum(cast(predictions > own, np.int32), -1) < k


# -- making and shaping ------------------------------------------------------------------------------------


def constant(value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """A tensor of plain values."""
    if isinstance(value, Tensor) and dtype is not None and value.dtype != dtype:
        return cast(value, dtype)
    found = _given_dtype(value, dtype)
    if shape is None:
        return found
    return fill(shape, found) if not found.ndim else reshape(found, shape)


def _given_dtype(value: Any, dtype: Any) -> Any:
    """NumPy's own arrays are cast; Python's numbers have to fit."""
    if dtype is not None and isinstance(value, np.ndarray | np.generic):
        value = value.astype(numpy_dtype(dtype))
    return convert(value, dtype)


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None) -> Any:
    if dtype is None and dtype_hint is not None and not isinstance(value, Tensor):
        try:
            return _given_dtype(value, dtype_hint)
        except (TypeError, ValueError):
            pass
    return _given_dtype(value, dtype)


def _filled(operation: str) -> Callable[..., Any]:
    def filled(shape: Any, dtype: Any = np.float32) -> Any:
        fixed, dynamic = shape_parts(shape)
        return apply(operation, *dynamic, shape=fixed, dtype=numpy_dtype(dtype))

    return filled


zeros, ones = _filled("zeros"), _filled("ones")


def fill(dims: Any, value: Any) -> Any:
    fixed, dynamic = shape_parts(dims)
    return apply("full", convert(value), *dynamic, shape=fixed)


def _like(operation: str) -> Callable[..., Any]:
    def like(input: Any, dtype: Any = None) -> Any:
        x = convert(input)
        wanted = x.dtype._numpy if dtype is None else numpy_dtype(dtype)
        return _apply_like(x, operation, wanted)

    return like


def _apply_like(x: Any, operation: str, dtype: np.dtype) -> Any:
    attributes: dict[str, Any] = {"name": operation, "dtype": dtype, "order": "K"}
    return apply("like", x, **attributes)


zeros_like, ones_like = _like("zeros_like"), _like("ones_like")


def eye(num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = np.float32) -> Any:
    sides = [num_rows, num_rows if num_columns is None else num_columns]
    fixed, dynamic = shape_parts(sides)
    found = apply("eye", *dynamic, rows=fixed[0], columns=fixed[1], k=0, dtype=numpy_dtype(dtype))
    return found if batch_shape is None else broadcast_to(found, [*batch_shape, *sides])


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None) -> Any:
    """`tf.range(limit)`, `tf.range(start, limit, delta)`."""
    bounds: list[Any] = [0, start, 1] if limit is None else [start, limit, delta]
    tensors = [convert(x) for x in bounds]
    wanted = tensors[1 if limit is None else 0].dtype
    if dtype is None:
        for x in tensors:
            wanted = (
                x.dtype if "biuf".index(x.dtype._numpy.kind) > "biuf".index(wanted._numpy.kind) else wanted
            )
    found = numpy_dtype(wanted if dtype is None else dtype)
    plain = not any(isinstance(x, Tensor) or hasattr(x, "_as_tensor") for x in bounds)
    if plain or current() is None:
        first, stop, step = bounds if plain else [x._held for x in tensors]
        if step == 0 or (stop - first) * step < 0:
            raise InvalidArgumentError(message=f"tf.range: no steps of {step} lead from {first} to {stop}")
        return convert(np.arange(first, stop, step, dtype=found))
    parts = bounds[1:2] if limit is None else bounds
    return apply("arange", *[convert(x) for x in parts], dtype=found, length=None)


def linspace(start: Any, stop: Any, num: Any) -> Any:
    start, stop = pair(start, stop)
    steps = cast(range(num), start.dtype)
    return start + steps * ((stop - start) / cast(convert(num) - 1, start.dtype))


def reshape(tensor: Any, shape: Any) -> Any:
    fixed, dynamic = shape_parts(shape)
    return apply("reshape", convert(tensor), *dynamic, shape=fixed)


def broadcast_to(input: Any, shape: Any) -> Any:
    fixed, dynamic = shape_parts(shape)
    return apply("broadcast_to", convert(input), *dynamic, shape=fixed)


def transpose(a: Any, perm: Any = None, conjugate: bool = False) -> Any:
    found = apply("transpose", convert(a), axes=None if perm is None else tuple(np.asarray(perm).tolist()))
    return conj(found) if conjugate else found


def expand_dims(input: Any, axis: int) -> Any:
    return apply("expand_dims", convert(input), axis=_axis(axis))


def squeeze(input: Any, axis: Any = None) -> Any:
    return apply("squeeze", convert(input), axis=_axis(axis))


def concat(values: Any, axis: int) -> Any:
    tensors = _one_dtype(values)
    return apply("concatenate", *tensors, axis=_axis(axis))


def is_tensor(x: Any) -> bool:
    """Is it a tensor or a variable?"""
    return isinstance(x, Tensor) or hasattr(x, "_as_tensor")


def stack(values: Any, axis: int = 0) -> Any:
    return apply("stack", *_one_dtype(values), axis=axis)


def _one_dtype(values: Any) -> list[Tensor]:
    """Tensors of one element type; plain values take that of the first tensor."""
    values = list(values) if not isinstance(values, Tensor) else [values]
    like = next((convert(x) for x in values if isinstance(x, Tensor) or hasattr(x, "_as_tensor")), None)
    found = [convert(x, like=like) for x in values]
    for x in found:
        if x.dtype != found[0].dtype:
            raise InvalidArgumentError(
                message=f"tensors of one dtype are needed, not {found[0].dtype.name} and {x.dtype.name}"
            )
    return found


def unstack(value: Any, num: int | None = None, axis: int = 0) -> list[Tensor]:
    x = convert(value)
    count = x.shape[axis] if num is None else num
    if count is None:
        raise ValueError(f"Cannot infer argument `num` from shape {x.shape}")
    front = (slice(None),) * (axis % x.ndim)
    return [item(x, (*front, k)) for k in builtins.range(count)]


def split(value: Any, num_or_size_splits: Any, axis: int = 0) -> list[Tensor]:
    x = convert(value)
    length = x.shape[axis]
    if isinstance(num_or_size_splits, int):
        if length is None or length % num_or_size_splits:
            raise InvalidArgumentError(
                message=f"dimension {axis} of {x.shape} is not split evenly by {num_or_size_splits}"
            )
        sizes = [length // num_or_size_splits] * num_or_size_splits
    else:
        sizes = np.asarray(num_or_size_splits).tolist()
        sizes = [length - sum(s for s in sizes if s >= 0) if s == -1 else s for s in sizes]
    front, parts, start = (slice(None),) * (axis % x.ndim), [], 0
    for size in sizes:
        parts.append(item(x, (*front, slice(start, start + size))))
        start += size
    return parts


def slice_(input_: Any, begin: Any, size: Any) -> Any:
    """`tf.slice`."""
    begins = list(begin) if not isinstance(begin, EagerTensor) else begin.numpy().tolist()
    sizes = list(size) if not isinstance(size, EagerTensor) else size.numpy().tolist()
    return item(
        convert(input_),
        tuple(
            slice(b, None if isinstance(s, int) and s == -1 else b + s)
            for b, s in zip(begins, sizes, strict=True)
        ),
    )


def tile(input: Any, multiples: Any) -> Any:
    return apply("tile", convert(input), reps=tuple(np.asarray(multiples).tolist()))


def repeat(input: Any, repeats: int, axis: int | None = None) -> Any:
    x = convert(input)
    axis, x = (0, reshape(x, [-1])) if axis is None else (axis, x)
    index = reshape(tile(expand_dims(range(dim(x, axis)), 1), [1, repeats]), [-1])
    return gather(x, index, axis=axis)


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0) -> Any:
    x = convert(tensor)
    widths = tuple(map(tuple, np.asarray(paddings).tolist()))
    if mode.upper() == "CONSTANT":
        return apply("pad", x, convert(constant_values, x.dtype), pad_width=widths)
    return apply("pad", x, pad_width=widths, mode=mode.lower())


def reverse(tensor: Any, axis: Any) -> Any:
    return apply("flip", convert(tensor), axis=_axis(axis))


def roll(input: Any, shift: int, axis: int) -> Any:
    return apply("roll", convert(input), shift=shift, axis=axis)


def gather(params: Any, indices: Any, axis: int | None = None, batch_dims: int = 0) -> Any:
    x, index = convert(params), convert(indices)
    axis = batch_dims if axis is None else axis % x.ndim
    index = not_negative(index, "tf.gather: an index is negative")
    if batch_dims:
        return _gather_in_batches(x, index, axis, batch_dims % (index.ndim + 1))
    return apply("take", x, index, axis=axis)


def _gather_in_batches(x: Any, index: Any, axis: int, batch_dims: int) -> Any:
    """Each batch by its number, and in it the rows of the index."""
    moved = [k for k in builtins.range(x.ndim) if k != axis]
    moved.insert(batch_dims, axis)
    x, n = transpose(x, moved), index.ndim
    numbers = [
        reshape(range(dim(x, k)), [-1 if k == j else 1 for j in builtins.range(n)])
        for k in builtins.range(batch_dims)
    ]
    key = tuple(map(Dynamic, builtins.range(batch_dims + 1)))
    found = apply("getitem", x, *[cast(each, np.int64) for each in (*numbers, index)], index=key)
    # the axes before `axis` that are no batches go back to the front
    back, end = list(builtins.range(found.ndim)), n + axis - batch_dims
    return transpose(found, [*back[:batch_dims], *back[n:end], *back[batch_dims:n], *back[end:]])


def boolean_mask(tensor: Any, mask: Any, axis: int | None = None) -> Any:
    front = (slice(None),) * (axis or 0)
    return apply("getitem", convert(tensor), convert(mask), index=(*front, Dynamic(0)))


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None or y is None:
        return cast(apply("argwhere", convert(condition)), np.int64)
    x, y = pair(x, y)
    return apply("where", convert(condition), x, y)


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int = -1, dtype: Any = None
) -> Any:
    """`on_value` where the index is the place along the new axis."""
    indices = convert(indices)
    if dtype is None:
        given = on_value if off_value is None else off_value
        dtype = np.float32 if given is None else convert(given).dtype
    on, off = [convert(d if x is None else x, dtype) for x, d in ((on_value, 1), (off_value, 0))]
    axis = axis % (indices.ndim + 1)
    places = reshape(cast(range(depth), indices.dtype), [-1] + [1] * (indices.ndim - axis))
    return where(equal(expand_dims(indices, axis), places), on, off)


def shape(input: Any, out_type: Any = np.int32) -> Any:
    return shape_of(input, out_type)


def size(input: Any, out_type: Any = np.int32) -> Any:
    return reduce_prod(shape_of(input, out_type))


def rank(input: Any) -> Any:
    return convert(convert(input).ndim)


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING") -> Any:
    found = apply("sort", convert(values), axis=axis)
    return apply("flip", found, axis=axis) if direction == "DESCENDING" else found


def argsort(values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False) -> Any:
    """Equal elements stay in order, `stable` or not."""
    x = convert(values)
    x = negative(x) if direction == "DESCENDING" else x
    return cast(apply("argsort", x, axis=axis, kind="stable"), np.int32)


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any) -> Any:
    return minimum(maximum(t, clip_value_min), clip_value_max)


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None) -> Any:
    x = convert(t)
    squares = reduce_sum(square(x), axes, True)
    length = sqrt(where(squares > 0, squares, ones_like(squares)))
    length = where(squares > 0, length, squares)
    return multiply(x, clip_norm) / maximum(length, convert(clip_norm, like=x))


def global_norm(t_list: Sequence[Any]) -> Any:
    return sqrt(add_n([reduce_sum(square(t)) for t in t_list if t is not None]))


def clip_by_global_norm(t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None) -> Any:
    length = global_norm(t_list) if use_norm is None else use_norm
    scale = clip_norm / maximum(length, clip_norm)
    return [None if t is None else multiply(t, scale) for t in t_list], length


def top_k(input: Any, k: int = 1, sorted: bool = True, index_type: Any = np.int32) -> Any:
    x = convert(input)
    indices = item(argsort(x, direction="DESCENDING"), (..., slice(0, k)))
    return apply("take_along_axis", x, cast(indices, np.int64), axis=-1), cast(indices, index_type)


def ensure_shape(x: Any, shape: Any) -> Any:
    x = convert(x)
    if not x.shape.is_compatible_with(shape):
        raise ValueError(f"Shapes {x.shape} and {tuple(shape)} are incompatible")
    fixed = [dim(x, k) if n is None else n for k, n in enumerate(shape)]
    return reshape(x, fixed)


def tensordot(a: Any, b: Any, axes: Any) -> Any:
    return apply("tensordot", *pair(a, b), axes=axes)


def einsum(equation: str, *inputs: Any) -> Any:
    return apply("einsum", *_one_dtype(inputs), subscripts=equation)


def norm(tensor: Any, ord: Any = "euclidean", axis: Any = None, keepdims: bool = False) -> Any:
    if ord in ("euclidean", 2):
        return sqrt(reduce_sum(square(tensor), axis, keepdims))
    if ord == 1:
        return reduce_sum(abs(tensor), axis, keepdims)
    if ord == np.inf:
        return reduce_max(abs(tensor), axis, keepdims)
    raise NotImplementedError(f"tf.norm: ord={ord!r} is not supported")


def searchsorted(sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = np.int32) -> Any:
    return cast(apply("searchsorted", *pair(sorted_sequence, values), side=side), out_type)


def meshgrid(*args: Any, indexing: str = "xy") -> Any:
    return list(apply("meshgrid", *map(convert, args), indexing=indexing))


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any) -> Any:
    """The sums of the rows that have the same number; rows with a negative one are left out."""
    x, ids = convert(data), cast(convert(segment_ids), np.int64)
    rest = [dim(x, k) for k in builtins.range(ids.ndim, x.ndim)]
    x, ids = reshape(x, [-1, *rest]), reshape(ids, [-1])
    kept = greater_equal(ids, convert(0, np.int64))
    x, ids = boolean_mask(x, kept), boolean_mask(ids, kept)
    return apply("scatter", x, zeros([num_segments, *rest], x.dtype), ids, index=(Dynamic(0),))


def segment_sum(data: Any, segment_ids: Any) -> Any:
    ids = cast(convert(segment_ids), np.int64)
    return unsorted_segment_sum(data, ids, add(reduce_max(ids), convert(1, np.int64)))


def bincount(arr: Any) -> Any:
    return cast(apply("bincount", convert(arr)), np.int32)


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12) -> Any:
    return multiply(x, rsqrt(maximum(reduce_sum(square(x), axis, True), epsilon)))


def cast_(x: Any, dtype: Any) -> Any:
    """`tf.cast`."""
    return cast(x, dtype)


def matmul_(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """`tf.matmul`."""
    return matmul(a, b, transpose_a, transpose_b)


name_results(globals(), "is_tensor")
__getattr__ = refusing(__name__, "tf.math", {"equal": "equal_", "cast": "cast_"})
