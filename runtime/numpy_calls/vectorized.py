"""``np.vectorize(f)(x, y)``: a staged loop over the items, which ``f`` gets as Python numbers, as from NumPy.

The dtype of the result is that of ``f`` of the first items, which NumPy calls once more to know it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.operators import call
from runtime.control_flow.choices import dispatch
from runtime.guards.paths import Attribute
from runtime.numpy_calls.arguments import has_staged
from runtime.numpy_calls.callbacks import for_each
from runtime.numpy_calls.creation import array, zeros
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.spec import Choice
from runtime.types import NumberType, ScalarType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

KINDS = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def call_vectorized(
    trace: Trace, vectorized: np.vectorize, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The staged result; NotImplemented where nothing is staged. Raises StagingError for other options."""
    if not has_staged((args, kwargs)):
        return NotImplemented
    others = kwargs or vectorized.signature or vectorized.excluded or vectorized.cache
    if others or len(vectorized.otypes or "d") != 1:
        raise refuse(
            "np.vectorize() with a signature, keywords, several results or with a cache is not supported",
            "write the loop over the items",
        )
    function = _function_of(trace, vectorized)
    arrays = [array(a, copy=None) for a in args]
    for a in arrays:
        if a.dtype.itemsize * 8 < 64 and a.dtype.kind == "f" or a.dtype.kind == "u" and a.dtype.itemsize == 8:
            raise refuse(
                f"np.vectorize() over items of dtype {a.dtype} is not supported", "convert them first"
            )
    whole = np.broadcast_arrays(*arrays) if len(arrays) > 1 else arrays
    rows = [a.reshape(-1) for a in whole]
    fill = lambda dtype: _fill(function, rows, whole[0].shape, dtype)
    if vectorized.otypes is not None:
        return fill(np.dtype(vectorized.otypes[0]))
    return dispatch(_first_result(function, rows), lambda one: fill(_dtype_of(one)))


def _fill(function: Any, rows: list[Any], shape: Any, dtype: np.dtype[Any]) -> Any:
    """The array of the results of the function for all items."""
    found = zeros(rows[0].shape, dtype)

    def body(k: Any) -> None:
        made = call(function, *[_number(row[k]) for row in rows])
        for one in made.values if isinstance(made, Choice) else (made,):
            _dtype_of(one)
        found[k] = made

    for_each(0, rows[0].size, body)
    return found.reshape(shape)


def _function_of(trace: Trace, vectorized: np.vectorize) -> Any:
    path = trace.outside.path_of(vectorized)
    function = vectorized.pyfunc
    return function if path is None else trace.outside.import_value(function, Attribute(path, "pyfunc"))


def _number(item: Any) -> Any:
    return call(KINDS[item.dtype.kind], item)


def _first_result(function: Any, rows: list[Any]) -> Any:
    """What the function gives for the first items, which NumPy calls as well: it tells the dtypes."""
    size = rows[0].size
    if isinstance(size, Staged):
        raise refuse(
            "np.vectorize() without `otypes` over an array whose length is known only at run time",
            "give `otypes`",
        )
    if size == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    return call(function, *[row[0] for row in rows])


def _dtype_of(part: Any) -> np.dtype[Any]:
    type = part.type if isinstance(part, Staged) else None
    if isinstance(type, NumberType | ScalarType):
        return type.dtype
    if isinstance(part, bool | int | float | complex | np.generic):
        return np.asarray(part).dtype
    raise refuse("the function of np.vectorize() returns no number", "return one, and call it once for each")
