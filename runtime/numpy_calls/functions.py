"""NumPy's functions that are one operation each, and a few that are compositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.numpy_calls.arguments import as_dtype, has_staged, indices_of, is_staged, static
from runtime.numpy_calls.into import call_into
from runtime.numpy_calls.shapes import array_from, arrays_of, parts_of
from runtime.numpy_calls.table import NOT_GIVEN, implements, into_out, row, whole_or_refuse
from runtime.numpy_calls.whole import call_whole
from runtime.ops.promotion import dummy
from runtime.staged.operands import Boxed, apply, operand
from runtime.tracer.builder import Staged, emit, refuse
from runtime.types import INT, OBJECT, STR, ArrayType, ObjectType, ScalarType

REDUCTION = "axis keepdims"

for _name in (
    "max",
    "min",
    "any",
    "all",
    "median",
    "nanmax",
    "nanmin",
    "nanmedian",
    "argmax",
    "argmin",
    "nanargmax",
    "nanargmin",
    "count_nonzero",
    "ptp",
):
    row(getattr(np, _name), _name, "a", REDUCTION)
for _name in ("sum", "prod", "mean", "nansum", "nanprod", "nanmean"):
    row(getattr(np, _name), _name, "a", REDUCTION + " dtype")
for _name in ("std", "var", "nanstd", "nanvar"):
    row(getattr(np, _name), _name, "a", REDUCTION + " dtype ddof")
for _name in ("percentile", "quantile", "nanpercentile", "nanquantile"):
    row(getattr(np, _name), _name, "a q", REDUCTION)
for _name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
    row(getattr(np, _name), _name, "a", "axis dtype")

# -- choice and sorting --------------------------------------------------------------------------------


@implements(np.where)
def where(condition: Any, x: Any = NOT_GIVEN, y: Any = NOT_GIVEN, /) -> Any:
    if x is NOT_GIVEN and y is NOT_GIVEN:
        return nonzero(condition)
    if x is NOT_GIVEN or y is NOT_GIVEN:
        raise ValueError("either both or neither of x and y should be given")
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
    if kwargs:
        raise refuse(
            "np.clip() with these arguments is not supported in a staged function",
            "use np.minimum, np.maximum",
        )
    low, high = _limit(a, low, lower=True), _limit(a, high, lower=False)
    if low is None and high is None:
        return apply("positive", [a])
    if _integer_dtype(a) not in (None, np.dtype(np.int64)) and any(
        isinstance(limit, Staged) and limit.type == INT for limit in (low, high)
    ):
        return call_whole(np.clip, (a, low, high), {})  # which lets numbers beyond the dtype pass
    if low is None:
        return apply("minimum", [a, high])
    if high is None:
        return apply("maximum", [a, low])
    return apply("clip", [a, low, high])


def _limit(a: Any, limit: Any, lower: bool) -> Any:
    """None for a Python int that no item of ``a`` can exceed: NumPy lets it be beyond the dtype."""
    dtype = _integer_dtype(a)
    if type(limit) is not int or dtype is None:
        return limit
    info = np.iinfo(dtype)
    return None if (limit <= info.min if lower else limit >= info.max) else limit


def _integer_dtype(a: Any) -> np.dtype[Any] | None:
    if not isinstance(a, Staged) or not isinstance(a.type, ArrayType | ScalarType):
        return None
    return a.type.dtype if a.type.dtype.kind in "iu" else None


@implements(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    conditions, choices = arrays_of(condlist), list(choicelist)
    if len(conditions) != len(choices):
        raise ValueError("list of cases must be same length as list of conditions")
    return apply("select", [*conditions, *choices, default], count=len(conditions))


_take = row(np.take, "take", "a indices", "axis mode")


@implements(np.take)
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> Any:
    return _take(a, indices_of(indices), axis=axis, out=out, mode=mode)


@implements(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    if out is not None:
        return into_out(np.choose, (a, choices), {"out": out, "mode": mode}, out)
    return apply("choose", [a, *parts_of(choices)], mode=mode)


row(np.sort, "sort", "a", "axis stable")
row(np.argsort, "argsort", "a", "axis stable")
row(np.partition, "partition", "a kth", "axis")
row(np.argpartition, "argpartition", "a kth", "axis")
row(np.searchsorted, "searchsorted", "a v", "side")
row(np.digitize, "digitize", "x bins", "right")
row(np.flatnonzero, "flatnonzero", "a")
row(np.argwhere, "argwhere", "a")
row(np.compress, "compress", "condition a", "axis")
row(np.take_along_axis, "take_along_axis", "arr indices", "axis")
row(np.diff, "diff", "a", "n axis")
row(np.interp, "interp", "x xp fp")
row(np.convolve, "convolve", "a v", "mode")
_equal_bins = row(np.histogram, "histogram", "a", "bins range")
row(np.nan_to_num, "nan_to_num", "x")
row(np.round, "round", "a", "decimals")
row(np.around, "round", "a", "decimals")
row(np.intersect1d, "intersect1d", "ar1 ar2")
row(np.union1d, "union1d", "ar1 ar2")
row(np.setdiff1d, "setdiff1d", "ar1 ar2")
row(np.isin, "isin", "element test_elements")
row(np.unique, "unique", "ar", "return_index return_inverse return_counts")
row(np.bincount, "bincount", "x weights", "minlength", signature="x, /, weights=None, minlength=0")


@implements(np.histogram)
def histogram(a: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
    if isinstance(bins, int):
        return _equal_bins(a, bins, *args, **kwargs)
    return whole_or_refuse(np.histogram, (a, bins, *args), kwargs, "bins")


@implements(np.lexsort)
def lexsort(keys: Any, axis: int = -1) -> Any:
    return apply("lexsort", arrays_of(keys), axis=static(axis, "axis"))


@implements(np.isclose)
def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    return apply("isclose", [a, b, rtol, atol], equal_nan=equal_nan)


@implements(np.allclose)
def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    return emit("py.bool", [apply("all", [isclose(a, b, rtol, atol, equal_nan)])])


@implements(np.array_equal)
def array_equal(a1: Any, a2: Any) -> Any:
    x, y = map(array_from, (a1, a2))
    if x.ndim != y.ndim or any(
        None not in (n, m) and n != m for n, m in zip(x.type.shape, y.type.shape, strict=True)
    ):
        return False
    if None in x.type.shape or None in y.type.shape:
        raise refuse(
            "np.array_equal() of arrays of unknown lengths", "compare the shapes, then (a == b).all()"
        )
    return emit("py.bool", [apply("all", [apply("equal", [x, y])])])


# -- linear algebra ------------------------------------------------------------------------------------

row(np.dot, "dot", "a b", signature="a, b, out=None")
row(np.vdot, "vdot", "a b", signature="a, b, /")
row(np.inner, "inner", "a b", signature="a, b, /")
row(np.outer, "outer", "a b")
row(np.kron, "kron", "a b")
_cross_in_space = row(np.cross, "cross", "a b")


@implements(np.cross)
def cross(a: Any, b: Any, *axes: Any, **kwargs: Any) -> Any:
    if any(np.shape(x)[-1:] != (3,) for x in (a, b) if not isinstance(x, Staged) or None not in x.type.shape):  # type: ignore[union-attr]
        return whole_or_refuse(np.cross, (a, b, *axes), kwargs, "a")
    return _cross_in_space(a, b, *axes, **kwargs)


row(np.tensordot, "tensordot", "a b", "axes")
for _name in ("inv", "pinv", "det", "cholesky", "eigvalsh", "matrix_rank", "cond"):
    _function = getattr(np.linalg, _name)
    row(_function, f"linalg.{_name}", "A" if _name == "matrix_rank" else "x" if _name == "cond" else "a")
row(np.linalg.solve, "linalg.solve", "a b")
row(np.linalg.norm, "linalg.norm", "x", "ord axis keepdims")
row(np.linalg.matrix_power, "linalg.matrix_power", "a", "n")


def _named(function: Any, **arguments: Any) -> Any:
    """The class of the named tuple that a decomposition returns."""
    return type(function(np.eye(1), **arguments))


def _decomposition(name: str) -> None:
    function = getattr(np.linalg, name)
    made = _named(function)

    @implements(function)
    def decompose(a: Any) -> Any:
        return made(*apply(f"linalg.{name}", [a]))


_decomposition("eigh")
_decomposition("slogdet")


@implements(np.linalg.qr)
def qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete"):
        raise refuse(
            f"np.linalg.qr(mode={mode!r}) is not supported in a staged function", "use mode='reduced'"
        )
    attributes = {} if mode == "reduced" else {"mode": mode}
    return _named(np.linalg.qr)(*apply("linalg.qr", [a], **attributes))


@implements(np.linalg.svd)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    if not compute_uv:
        return apply("linalg.svdvals", [a])
    attributes = {} if full_matrices else {"full_matrices": False}
    return _named(np.linalg.svd)(*apply("linalg.svd", [a], **attributes))


@implements(np.linalg.lstsq)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    if rcond is not None:
        return whole_or_refuse(np.linalg.lstsq, (a, b, rcond), {}, "rcond")
    return apply("linalg.lstsq", [a, b])


@implements(np.einsum)
def einsum(subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
    if kwargs.get("out") is not None:
        return into_out(np.einsum, (subscripts, *operands), kwargs, kwargs["out"])
    given = {name: value for name, value in kwargs.items() if name not in ("optimize", "out")}
    if given or not isinstance(subscripts, str) or "." in subscripts:
        result = call_whole(np.einsum, (subscripts, *operands), kwargs)
        if result is not NotImplemented:
            return result
        raise refuse(
            "np.einsum() with these arguments is not supported in a staged function",
            "give subscripts as text",
        )
    return apply("einsum", operands, subscripts=subscripts)


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


@implements(np.put)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    emit("put", [target(a), operand(ind), operand(v)], mode=mode)


@implements(np.putmask)
def putmask(a: Any, mask: Any, values: Any) -> None:
    if isinstance(values, list | tuple):  # taken for items of the dtype of the array
        call_into(np.putmask, (a, mask, values), {}, a)
    else:
        emit("putmask", [target(a), operand(mask), operand(values)])


@implements(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    if isinstance(vals, list | tuple):
        call_into(np.place, (arr, mask, vals), {}, arr)
    else:
        emit("place", [target(arr), operand(mask), operand(vals)])


@implements(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    emit("fill_diagonal", [target(a), operand(val)], wrap=wrap)


@implements(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    return np.result_type(*[dummy(a.type) if isinstance(a, Staged) else a for a in arrays_and_dtypes])


def _of_dtypes(function: Any) -> None:
    """A function of dtypes, for which no array stands."""

    @implements(function)
    def ask(*dtypes: Any, **kwargs: Any) -> Any:
        for dtype in dtypes if has_staged(dtypes) else ():
            if is_staged(dtype):
                as_dtype(dtype)
        return function(*dtypes, **kwargs)


@implements(np.isdtype)
def isdtype(dtype: Any, kind: Any) -> Any:
    if is_staged(dtype):
        raise TypeError("dtype argument must be a NumPy dtype")
    return np.isdtype(dtype, kind)


for _function in (np.promote_types, np.issubdtype):
    _of_dtypes(_function)


@implements(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    return (
        bool(operand(x).type.dtype.kind == "c")
        if isinstance(x, (Staged, Boxed))
        else bool(np.iscomplexobj(x))
    )


@implements(np.isscalar)
def isscalar(element: Any) -> bool:
    if isinstance(element, Staged) and element.type == OBJECT:
        raise refuse("np.isscalar() of an object that only a run knows", "write isinstance(x, np.generic)")
    if isinstance(element, Staged) and isinstance(element.type, ObjectType):
        return element.type == STR
    return (
        not isinstance(element.type, ArrayType) if isinstance(element, Staged) else bool(np.isscalar(element))
    )


@implements(np.may_share_memory, np.shares_memory)
def shares_memory(a: Any, b: Any, max_work: Any = None) -> Any:
    raise refuse(
        "whether arrays share memory is known only at run time", "ask outside the decorated function"
    )
