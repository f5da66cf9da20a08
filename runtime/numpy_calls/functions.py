"""NumPy's functions that are one operation each, and a few that are compositions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.numpy_calls.arguments import has_staged, indices_of, no_operation, static
from runtime.numpy_calls.shapes import array_from, arrays_of, parts_of
from runtime.numpy_calls.table import NOT_GIVEN, call_into, implements, into_out, row, rows
from runtime.ops.indexing import is_integer
from runtime.ops.promotion import dummy, normalize_axis
from runtime.staged.operands import Boxed, apply, operand
from runtime.tracer.builder import Staged, emit, refuse, type_of_staged
from runtime.types import INT, OBJECT, STR, ArrayType, ObjectType, ScalarType, numeric

rows("max min any all median nanmax nanmin nanmedian argmax argmin nanargmax nanargmin count_nonzero ptp")
row("max", function=np.amax)  # functions of their own since NumPy 2
row("min", function=np.amin)
row("tensordot", function=np.linalg.tensordot)
rows("percentile quantile nanpercentile nanquantile")
rows("sum prod mean std var nansum nanprod nanmean nanstd nanvar", "dtype")
rows("cumsum cumprod nancumsum nancumprod", "dtype")

# -- choice and sorting --------------------------------------------------------------------------------


@implements(np.where)
def where(condition: Any, x: Any = NOT_GIVEN, y: Any = NOT_GIVEN, /) -> Any:
    if x is NOT_GIVEN and y is NOT_GIVEN:
        return nonzero(condition)
    if x is NOT_GIVEN or y is NOT_GIVEN:
        raise ValueError("one of two is given")
    return apply("where", [condition, x, y])


@implements(np.nonzero)
def nonzero(a: Any) -> tuple[Any, ...]:
    result = apply("nonzero", [a])
    return result if isinstance(result, tuple) else (result,)


@implements(np.extract)
def extract(condition: Any, arr: Any) -> Any:
    return apply("take", [apply("ravel", [arr]), nonzero(apply("ravel", [condition]))[0]])


@implements(np.clip)
def clip(
    a: Any,
    a_min: Any = NOT_GIVEN,
    a_max: Any = NOT_GIVEN,
    out: Any = None,
    *,
    min: Any = NOT_GIVEN,
    max: Any = NOT_GIVEN,
    **kwargs: Any,
) -> Any:
    if a_min is NOT_GIVEN and a_max is NOT_GIVEN:
        a_min, a_max = [None if limit is NOT_GIVEN else limit for limit in (min, max)]
    elif a_min is NOT_GIVEN or a_max is NOT_GIVEN or min is not NOT_GIVEN or max is not NOT_GIVEN:
        raise TypeError("the limits are given in part, or twice")
    return clipped(array_from(a), a_min, a_max, out, **kwargs)


def clipped(a: Any, low: Any = None, high: Any = None, out: Any = None, **kwargs: Any) -> Any:
    """What the method does; of a scalar, too."""
    if out is not None:
        return into_out(np.clip, (a, low, high), {**kwargs, "out": out}, out)
    if kwargs or not (_fits(a, low) and _fits(a, high)):
        raise no_operation("these arguments of np.clip() have no staged form")
    if low is None and high is None:
        return apply("positive", [a])
    if low is None:
        return apply("minimum", [a, high])
    if high is None:
        return apply("maximum", [a, low])
    return apply("clip", [a, low, high])


def _fits(a: Any, limit: Any) -> bool:
    """Is it no Python int that may lie beyond the dtype of ``a``? ``np.clip`` takes such a one."""
    dtype = a.type.dtype if isinstance(type_of_staged(a), ArrayType | ScalarType) else None
    if dtype is None or dtype.kind not in "iu":
        return True
    if type(limit) is int:
        return np.iinfo(dtype).min <= limit <= np.iinfo(dtype).max
    return type_of_staged(limit) != INT or dtype == np.int64


@implements(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    conditions, choices = arrays_of(condlist), list(choicelist)
    if len(conditions) != len(choices):
        raise ValueError("list of cases must be same length as list of conditions")
    return apply("select", [*conditions, *choices, default], count=len(conditions))


_take = row("take")


@implements(np.take)
def take(a: Any, indices: Any, *args: Any, **kwargs: Any) -> Any:
    return _take(a, indices_of(indices), *args, **kwargs)


@implements(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    if out is not None:
        return into_out(np.choose, (a, choices), {"out": out, "mode": mode}, out)
    return apply("choose", [a, *parts_of(choices)], mode=mode)


rows("sort argsort", "stable")
rows("partition argpartition searchsorted digitize flatnonzero argwhere compress take_along_axis diff interp")
rows("convolve round intersect1d union1d setdiff1d isin")
row("round", function=np.around)
row("unique", "return_index")
row("bincount", like=lambda x, /, weights=None, minlength=0: None)
_finite = row("nan_to_num")


@implements(np.histogram)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    of_run = isinstance(bins, Staged) and is_integer(bins.type)
    if density or not (of_run or isinstance(bins, int)):
        raise no_operation("these arguments of np.histogram() have no staged form")
    given = {"bins": None if of_run else bins}
    given |= {} if range is None else {"range": static(range, "range")}
    given |= {} if weights is None else {"weighted": True}
    operands = [x for x in (a, weights, bins if of_run else None) if x is not None]
    return apply("histogram", operands, **given)


@implements(np.lexsort)
def lexsort(keys: Any, axis: int = -1) -> Any:
    return apply("lexsort", arrays_of(keys), axis=static(axis, "axis"))


isclose = row("isclose", "equal_nan")


@implements(np.allclose)
def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    return emit("py.bool", [apply("all", [isclose(a, b, rtol, atol, equal_nan)])])


@implements(np.array_equal)
def array_equal(a1: Any, a2: Any) -> Any:
    x, y = map(array_from, (a1, a2))
    if x.type.shape != y.type.shape or None in x.type.shape:
        raise no_operation("these arguments of np.array_equal() have no staged form")
    return emit("py.bool", [apply("all", [apply("equal", [x, y])])])


# -- linear algebra ------------------------------------------------------------------------------------

row("dot", like=lambda a, b, out=None: None)
row("vdot", like=lambda a, b, /: None)
row("inner", like=lambda a, b, /: None)
rows("kron tensordot")
_outer = row("outer")


@implements(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Of two vectors it is their product, whose elements other operations may share a loop with."""
    x, y = array_from(a), array_from(b)
    if out is None and np.ndim(x) == np.ndim(y) == 1:
        return apply("multiply", [x[:, None], y])
    return _outer(a, b, **({} if out is None else {"out": out}))


rows("linalg.inv linalg.pinv linalg.det linalg.cholesky linalg.eigvalsh linalg.matrix_rank linalg.cond")
rows("linalg.solve linalg.norm linalg.matrix_power")
_cross_in_space = row("cross")


@implements(np.cross)
def cross(a: Any, b: Any, *axes: Any, **kwargs: Any) -> Any:
    shapes = [numeric(x.type).shape if isinstance(x, Staged) else np.shape(x) for x in (a, b)]
    if any(shape[-1:] != (3,) for shape in shapes if None not in shape):
        raise no_operation("these arguments of np.cross() have no staged form")
    return _cross_in_space(a, b, *axes, **kwargs)


def _decomposition(name: str) -> Callable[..., Any]:
    """One with the results of an operation in a named tuple."""
    function = getattr(np.linalg, name)
    made, compute = type(function(np.eye(1))), row(f"linalg.{name}")
    return implements(function)(lambda *args, **kwargs: made(*compute(*args, **kwargs)))


_decomposition("eigh")
_decomposition("slogdet")
_qr = _decomposition("qr")
_svd = _decomposition("svd")


@implements(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete"):
        raise no_operation(f"np.linalg.qr(mode={mode!r}) has no staged form")
    return _qr(a, mode)


@implements(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    return _svd(a, full_matrices) if compute_uv else apply("linalg.svdvals", [a])


@implements(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    if rcond is not None:
        raise no_operation("these arguments of np.linalg.lstsq() have no staged form")
    return apply("linalg.lstsq", [a, b])


@implements(np.einsum)
def einsum(subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
    if kwargs.get("out") is not None:
        return into_out(np.einsum, (subscripts, *operands), kwargs, kwargs["out"])
    if kwargs.keys() - {"optimize", "out"} or not isinstance(subscripts, str) or "." in subscripts:
        raise no_operation("these arguments of np.einsum() have no staged form")
    made = apply("einsum", operands, subscripts=subscripts)
    # NumPy's ways to save work may make an array of no dimensions.
    if kwargs.get("optimize") and isinstance(type_of_staged(made), ScalarType):
        raise no_operation("these arguments of np.einsum() have no staged form")
    return made


# -- writing -------------------------------------------------------------------------------------------


def target(x: Any) -> Any:
    if not isinstance(x, Staged):
        raise refuse("a function writes into an array that the trace does not know", "pass it as an argument")
    return x


@implements(np.copyto)
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    attributes = {} if casting == "same_kind" else {"casting": casting}
    if where is True:
        emit("copyto", [target(dst), operand(src)], **attributes)
    else:
        emit("copyto_masked", [target(dst), operand(src), operand(where)], **attributes)


@implements(np.nan_to_num)
def nan_to_num(x: Any, copy: Any = True, *args: Any, **kwargs: Any) -> Any:
    if copy is not False or args or kwargs or not isinstance(type_of_staged(x), ArrayType):
        return _finite(x, copy, *args, **kwargs)
    emit("copyto", [x, operand(_finite(x))])
    return x


@implements(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> Any:
    """By an index of all axes, as NumPy makes one."""
    rows = array_from(indices)
    if axis is None or rows.dtype.kind not in "iu" or rows.ndim != arr.ndim:
        return NotImplemented
    axis = normalize_axis(static(axis, "axis"), arr.ndim)
    index: list[Any] = [rows] * arr.ndim
    for k, length in enumerate(target(arr).type.shape):
        if k != axis and length is None:
            return NotImplemented
        if k != axis:
            index[k] = np.arange(length).reshape([-1 if n == k else 1 for n in range(arr.ndim)])
    arr[tuple(index)] = values
    return None


@implements(np.put)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    emit("put", [target(a), operand(ind), operand(v)], mode=mode)


def _where_true(name: str) -> None:
    @implements(getattr(np, name))
    def put_there(arr: Any, mask: Any, vals: Any) -> None:
        if isinstance(vals, list | tuple):  # taken for items of the dtype of the array
            call_into(getattr(np, name), (arr, mask, vals), {}, arr)
        else:
            emit(name, [target(arr), operand(mask), operand(vals)])


_where_true("putmask")
_where_true("place")


@implements(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    emit("fill_diagonal", [target(a), operand(val)], wrap=wrap)


@implements(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    return np.result_type(*[dummy(a.type) if isinstance(a, Staged) else a for a in arrays_and_dtypes])


@implements(np.issubdtype, np.promote_types, np.isdtype)
def about_dtypes(*dtypes: Any, **kwargs: Any) -> Any:
    if has_staged((dtypes, kwargs)):
        raise refuse("an array is given in place of a dtype", "write x.dtype")
    return NotImplemented


@implements(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    found: Any = operand(x).type.dtype if isinstance(x, Staged | Boxed) else np.asarray(x).dtype
    return bool(found.kind == "c")


@implements(np.isscalar)
def isscalar(element: Any) -> bool:
    if not isinstance(element, Staged):
        return bool(np.isscalar(element))
    if element.type == OBJECT:
        raise refuse("np.isscalar() of an object that only a run knows", "write isinstance(x, np.generic)")
    return element.type == STR or not isinstance(element.type, ArrayType | ObjectType)


@implements(np.may_share_memory, np.shares_memory)
def shares_memory(a: Any, b: Any, max_work: Any = None) -> Any:
    raise refuse(
        "whether arrays share memory is known only at run time", "ask outside the decorated function"
    )
