"""Writing into memory, and asking for lengths: ``inplace``, ``copyto``, ``call_into``, ``dim``.

>>> import numpy as np
>>> from runtime.ops import REGISTRY
>>> x = np.zeros(2)
>>> REGISTRY["inplace"].kernel(x, 1.5, ufunc="add"); x
array([1.5, 1.5])
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.conversion import Casting
from runtime.ops.definition import BY_SWEEP, Effects, NoDerivative, UnsupportedError, family, none, refused
from runtime.ops.expressions import Expr, ops
from runtime.ops.indexing import check_assignable
from runtime.ops.promotion import broadcast_shapes, dummy, numeric, shape_text
from runtime.ops.template import Template
from runtime.types import INT, ArrayType, ScalarType, Shape, Type

op = family("memory", vjp=BY_SWEEP)

WRITES_FIRST = Effects(writes=(0,), may_raise=True)


def _inplace(x: Any, y: Any, ufunc: str) -> None:
    getattr(np, ufunc)(x, y, out=x)


def check_output(out: Shape, shape: Shape) -> None:
    """Raises ValueError, in NumPy's words, where a result of this shape cannot be written to ``out``."""
    fits = len(shape) <= len(out) and all(
        n in (1, m) or n is None or m is None for n, m in zip(reversed(shape), reversed(out), strict=False)
    )
    if not fits:
        raise ValueError(
            f"non-broadcastable output operand with shape {shape_text(out)} doesn't match the "
            f"broadcast shape {shape_text(shape)}"
        )


def _output_rule(types: tuple[Type, ...], ufunc: str, where: tuple[Type, ...] = ()) -> tuple[Type, ...]:
    """Checks ``ufunc(*inputs, out=out, where=where)``, ``out`` being the first of ``types``."""
    out, *inputs = numeric(types, f"'{ufunc}'")
    if not isinstance(out, ArrayType):
        raise TypeError("return arrays must be of ArrayType")
    function: np.ufunc = getattr(np, ufunc)
    if ufunc == "matmul":
        return ()  # NumPy makes the call, and knows what fits
    wide = np.ones(
        (1,) * max(t.ndim for t in (out, *inputs)), out.dtype
    )  # for the dtypes alone: they are first
    function(*[dummy(t) for t in inputs], out=wide)  # raises UFuncTypeError, in NumPy's words
    masks = [t.shape for t in numeric(where, f"'{ufunc}'")]
    together = broadcast_shapes(*[t.shape for t in inputs], out.shape, *masks)
    shape = broadcast_shapes(*[t.shape for t in inputs])
    check_output(out.shape, together if len(together) > len(out.shape) else shape)
    return ()


def _bind_inplace(ufunc: str) -> Callable[..., Any]:
    function = getattr(np, ufunc)
    return lambda x, y: function(x, y, x)


op(
    "inplace",
    _inplace,
    lambda types, ufunc: _output_rule((types[0], *types), ufunc),
    WRITES_FIRST,
    [[(3, 4), (4,), {"ufunc": "multiply"}], [(3,), 2, {"ufunc": "add"}]],
    traits=["store"],
    bind=_bind_inplace,
)


def _ufunc_out(out: Any, *inputs: Any, ufunc: str) -> None:
    getattr(np, ufunc)(*inputs, out=out)


op("ufunc_out", _ufunc_out, _output_rule, WRITES_FIRST, [[(3, 4), (4,), (3, 1), {"ufunc": "multiply"}]])


def _ufunc_masked(out: Any, where: Any, *inputs: Any, ufunc: str) -> None:
    getattr(np, ufunc)(*inputs, out=out, where=where)


op(
    "ufunc_masked",
    _ufunc_masked,
    lambda types, ufunc: _output_rule((types[0], *types[2:]), ufunc, types[1:2]),
    WRITES_FIRST,
)


def _ufunc_at(x: Any, index: Any, *values: Any, ufunc: str) -> None:
    getattr(np, ufunc).at(x, index, *values)


op("ufunc_at", _ufunc_at, lambda types, ufunc: (), WRITES_FIRST)


_READ_ONLY = {"assignment": "assignment destination is read-only", "output": "output array is read-only"}


def _check_writable(x: Any, how: str) -> None:
    if not x.flags.writeable:
        raise ValueError(_READ_ONLY[how])


op(
    "check_writable",
    _check_writable,
    lambda types, how: (),
    Effects(reads=False, may_raise=True),
    [[(3,), {"how": "output"}]],
    vjp=none("a check"),
)


def _call_into(*values: Any, function: Any, template: Template, written: tuple[int, ...]) -> None:
    args, kwargs = template.fill(values)
    function(*args, **kwargs)


op(
    "call_into",  # a function of NumPy that writes into those of its arguments; template: (args, kwargs)
    _call_into,
    lambda types, function, template, written: (),
    lambda types, function, template, written: Effects(writes=written, may_raise=True),
)


def _copyto_rule(types: tuple[Type, ...], casting: Casting = "same_kind") -> tuple[Type, ...]:
    target, source = numeric(types, "np.copyto()")
    if not isinstance(target, ArrayType):
        raise TypeError(f"copyto() argument 1 must be numpy.ndarray, not {target}")
    np.copyto(dummy(target), dummy(source), casting=casting)  # raises TypeError
    check_assignable(source.shape, target.shape)
    return ()


op(
    "copyto",
    lambda target, source, casting="same_kind": np.copyto(target, source, casting=casting),
    _copyto_rule,
    WRITES_FIRST,
    [[(3, 4), (4,)], [(3,), 2]],
    traits=["store"],
)


def _fill_rule(types: tuple[Type, ...]) -> tuple[Type, ...]:
    target, value = numeric(types, "fill()")
    if value.ndim:
        if None not in value.shape:
            np.zeros((), target.dtype).fill(np.zeros(value.shape, value.dtype))  # raises, but for a bool
        raise UnsupportedError("fill() with an array in place of a number is not supported")
    return _copyto_rule((target, value), casting="unsafe")


op("fill", lambda x, value: x.fill(value), _fill_rule, WRITES_FIRST, [[(3, 4), 2]])


def _dim_rule(types: tuple[Type, ...], axis: int) -> Type:
    (t,) = types
    if not isinstance(t, ArrayType):
        raise TypeError(f"a value of type {t} has no dimensions")
    range(t.ndim)[operator.index(axis)]  # raises where there is no such axis
    return INT


op(
    "dim",
    lambda x, axis: x.shape[axis],
    _dim_rule,
    Effects(reads=False),
    [[(3, 4), {"axis": 1}]],
    vjp=none("a length"),
)


def _place_rule(types: tuple[Type, ...], **attributes: Any) -> tuple[Type, ...]:
    if not isinstance(types[0], ArrayType):
        raise TypeError("argument 1 must be numpy.ndarray")
    return ()


_WRITERS: dict[str, Callable[..., Any]] = {
    "put": lambda x, indices, values, mode="raise": np.put(x, indices, values, mode=mode),
    "putmask": lambda x, mask, values: np.putmask(x, mask, values),
    "place": lambda x, mask, values: np.place(x, mask, values),
    "fill_diagonal": lambda x, value, wrap=False: np.fill_diagonal(x, value, wrap),
    "sort_inplace": lambda x, axis=-1, stable=None: x.sort(axis=axis, stable=stable),
    "copyto_masked": lambda target, source, where, casting="same_kind": np.copyto(
        target, source, where=where, casting=casting
    ),
}
for _name, _kernel in _WRITERS.items():
    op(_name, _kernel, _place_rule, WRITES_FIRST)


# -- memory as another dtype ---------------------------------------------------------------------------


def _view_rule(types: tuple[Type, ...], dtype: np.dtype) -> Type:
    (t,) = numeric(types, "view()")
    size = t.dtype.itemsize
    if size == dtype.itemsize:
        return ArrayType(dtype, t.shape) if isinstance(t, ArrayType) else ScalarType(dtype)
    if not t.shape:
        np.zeros((), t.dtype).view(dtype)  # raises ValueError
    if t.shape[-1] is None or t.shape[-1] * size % dtype.itemsize:  # then the run raises
        return ArrayType(dtype, (*t.shape[:-1], None))
    return ArrayType(dtype, (*t.shape[:-1], t.shape[-1] * size // dtype.itemsize))


def _view_effects(types: tuple[Type, ...], dtype: np.dtype) -> Effects:
    (t,) = types
    if not isinstance(t, ArrayType):
        return Effects()
    return Effects(view_of=0, reads=False, may_raise=t.dtype.itemsize != dtype.itemsize)


def _view_vjp(g: Expr, y: Expr, x: Expr, dtype: np.dtype) -> tuple[Any, ...] | NoDerivative:
    """Complex numbers as pairs of floats, or the other way round: g is dL/da - i dL/db."""
    if dtype == x.dtype:
        return (g,)
    if np.result_type(dtype, x.dtype) not in (dtype, x.dtype) or dtype.kind == x.dtype.kind:
        return refused("a view of the memory as another dtype")
    whole = ops.copy(g, order="C")
    if x.is_complex:
        return (ops.conjugate(ops.view_as(whole, dtype=x.dtype)),)
    return (ops.view_as(ops.conjugate(whole), dtype=x.dtype),)


op(
    "view_as",
    lambda x, dtype: x.view(dtype),
    _view_rule,
    _view_effects,
    [[(3, 4), {"dtype": np.dtype("int64")}], [(3, 4), {"dtype": np.dtype("uint8")}]],
    vjp=_view_vjp,
    traits=["part", "reinterprets"],
)
