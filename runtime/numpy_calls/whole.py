"""Functions of NumPy, SciPy and `statistics` that no operation stands for: called as a whole in each run.

What such a function returns is found by trials with made-up arrays of the operands' shapes and dtypes. There
are several, so that a length or a dtype that depends on the values shows. A run checks what comes back.

    np.cov(x)        np.ix_(rows, columns)        scipy.special.gammaln(x)
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, EllipsisType, FunctionType, MethodType, NoneType
from typing import Any, ClassVar

import numpy as np

from autograph.errors import StagingError
from autograph.records import record
from runtime.messages import NUMPY_CALLS
from runtime.numpy_calls.arguments import has_staged, is_of_operation, new_list
from runtime.ops.definition import UnsupportedError
from runtime.ops.promotion import result_type
from runtime.ops.template import Template, build
from runtime.staged.operands import Boxed, box
from runtime.tracer.builder import Staged, emit, refuse
from runtime.tracer.faults import is_fault
from runtime.tracer.spec import make_template
from runtime.types import (
    BOOL,
    INT,
    ArrayType,
    ContainerType,
    JoinError,
    NumberType,
    NumericType,
    ObjectType,
    ScalarType,
    Type,
    join_shapes,
    numeric,
)

#: packages whose functions only compute, and take arrays
SCIPY = (
    "scipy.special", "scipy.linalg", "scipy.fft", "scipy.signal", "scipy.ndimage", "scipy.stats",
    "scipy.integrate", "scipy.spatial.distance",
)  # fmt: skip
#: of those, where methods change their objects: solvers, and generators of points
STATEFUL = ("scipy.integrate", "scipy.stats._qmc")
#: functions of NumPy in Python that no protocol hands over, and that ask for the contents of their arguments
WHOLE_NUMPY = frozenset({
    "asarray_chkfinite", "bartlett", "base_repr", "binary_repr", "blackman", "fftfreq",
    "format_float_positional", "format_float_scientific", "hamming", "hanning", "kaiser", "mask_indices",
    "require", "rfftfreq", "tri", "tril_indices", "triu_indices",
})  # fmt: skip
#: operands that only are what they are; anything else, or of classes derived from these, may act
PLAIN = (int, bool, float, complex, str, bytes, NoneType, EllipsisType, slice, range)
#: fewer trials that succeed say too little about lengths
ENOUGH = 3


def is_whole(function: Any) -> bool:
    """Is it called as a whole because none of NumPy's protocols would hand the call over?"""
    module, name = getattr(function, "__module__", None) or "", name_of(function)
    if module.startswith(SCIPY):
        # A function made in another one, as in a solver, may have effects, or call the user's.
        is_method = isinstance(function, MethodType) and module.startswith(STATEFUL)
        return not is_method and "<locals>" not in getattr(function, "__qualname__", "")
    if module == "statistics":
        return isinstance(function, FunctionType)
    if module.startswith("numpy.polynomial"):
        return isinstance(function, FunctionType) and "val" not in name
    return module.split(".")[0] == "numpy" and name in WHOLE_NUMPY


def call_whole(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The staged result of the call; NotImplemented where no trial can stand for it.

    Raises StagingError where the kind of the result depends on the values of the arguments.
    """
    operands = list(parts_of_call((args, kwargs)))
    if name_of(function) in NUMPY_CALLS:
        return NotImplemented
    if asks_tensors(function, (args, kwargs)):
        return on_arrays(lambda *args, **kwargs: call_whole(function, args, kwargs), args, kwargs)
    if any(isinstance(part, Boxed) or _may_run_code(part) for part in operands):
        return NotImplemented
    types = [part.type for part in operands if isinstance(part, Staged)]
    if any(isinstance(type, ObjectType | ContainerType) for type in types):
        return NotImplemented
    if INT in types and module_of(function) == "statistics":  # which gives an int where the mean is one
        return NotImplemented
    # Python may simply call NumPy's; an object of SciPy may hold arrays, which a trace has as its own.
    is_object = type(function).__module__.startswith(SCIPY)
    if not types and (is_object or not module_of(function).startswith(SCIPY)):
        return NotImplemented
    with _drawing_nothing(function, operands):
        returned, outputs = _result_of(function, args, kwargs, any(_is_open(type) for type in types))
    if not types and not outputs:
        return NotImplemented
    template, leaves = make_template((args, kwargs))
    results = emit("call", leaves, function=Whole(function), template=template, outputs=tuple(outputs))
    made = returned.fill(results if len(outputs) > 1 else (results,))
    if type(made) is tuple:
        return tuple([new_list(part, "whole", place) for place, part in enumerate(made)])
    return new_list(made, "whole")


def asks_tensors(function: Any, call: tuple[Any, dict[str, Any]]) -> bool:
    """Is it a ufunc, or a function of NumPy's that asks its arguments for the result, called with Tensors?"""
    asks = isinstance(function, np.ufunc) or (
        hasattr(function, "__wrapped__") and module_of(function).startswith("numpy")
    )
    return asks and "out" not in call[1] and any(map(_is_staged_tensor, parts_of_call(call)))


def on_arrays(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The result for the arrays of Tensors as a Tensor: as the protocols of NumPy do it."""
    return box(function(*unboxed(tuple(args)), **unboxed(kwargs)))


def unboxed(part: Any) -> Any:
    if type(part) in (tuple, list, dict):
        items = part.values() if type(part) is dict else part
        found = [unboxed(item) for item in items]
        return dict(zip(part, found, strict=True)) if type(part) is dict else type(part)(found)
    return part._array if _is_staged_tensor(part) else part


def _is_staged_tensor(part: Any) -> bool:
    return isinstance(part, Boxed) and isinstance(part, Staged)


def _may_run_code(part: Any) -> bool:
    """Is it a callable of the user's, whose effects trials would have?"""
    if isinstance(part, type | BuiltinFunctionType | Staged) or not callable(part):
        return False
    return not type(part).__module__.startswith("numpy") or isinstance(part, np.vectorize)


@contextmanager
def _drawing_nothing(function: Callable[..., Any], operands: list[Any]) -> Iterator[None]:
    """Raises StagingError for what draws random numbers, which trials would draw, too."""
    state = np.random.get_state(legacy=False)
    generators = [part for part in operands if isinstance(part, np.random.Generator | np.random.RandomState)]
    if not generators and name_of(function) != "rvs":
        try:
            yield
        finally:
            has_drawn = repr(np.random.get_state(legacy=False)) != repr(state)
            if has_drawn:
                np.random.set_state(state)
        if not has_drawn:
            return
    raise refuse(
        f"{module_of(function)}.{name_of(function)} draws random numbers, and is called as a whole",
        "draw with a generator of NumPy, rng.normal(...) say, or outside the decorated function",
    )


def name_of(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)  # scipy.stats.norm is an object


def parts_of_call(item: Any) -> Iterator[Any]:
    if isinstance(item, dict):
        item = tuple(item.values())
    if not isinstance(item, tuple | list):
        yield item
        return
    for part in item:
        yield from parts_of_call(part)


def _is_open(type: Type) -> bool:
    return isinstance(type, ArrayType) and None in type.shape


@record(slots=False)
class Whole:
    """The function, with its results one after the other."""

    function: Callable[..., Any]
    #: its results are known from trials
    is_tried: ClassVar[bool] = True

    @property
    def __name__(self) -> str:
        return self.function.__name__

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        result = self.function(*args, **kwargs)
        if _is_leaf(result):
            return result
        _, leaves = build(result, _is_leaf)
        return leaves[0] if len(leaves) == 1 else tuple(leaves)


def _is_leaf(part: Any) -> bool:
    return part is not None and not isinstance(part, tuple | list)


# -- what comes back ---------------------------------------------------------------------------------


def _result_of(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], is_open: bool
) -> tuple[Template, list[Type]]:
    """The structure of the result and the types of its leaves, from all trials together."""
    found: list[tuple[Template, list[Type]]] = []
    errors: list[Exception] = []
    for values in TRIALS[:4] if _solves(function) else TRIALS:
        for length in (3, 4) if is_open else (3,):
            sample = Sample(values, length)
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    result = function(*sample.of(args), **sample.of(kwargs))
            except (TypeError, ValueError, ArithmeticError, IndexError) as failure:
                errors.append(failure)
                continue
            template, leaves = build(result, _is_leaf)
            try:
                found.append((template, list(map(result_type, leaves))))
            except TypeError as failure:
                raise _refused(function, str(failure)) from None
    if not found and _is_about_types(function, errors, (args, kwargs)):
        raise errors[0].with_traceback(None)
    if not found:
        raise _refused(function, f"{type(errors[-1]).__name__}: {errors[-1]}")
    template, outputs = found[0]
    for other, types in found[1:]:
        if other != template:
            raise _refused(function, "what it returns depends on the values of its arguments")
        try:
            outputs = [_both(a, b) for a, b in zip(outputs, types, strict=True)]
        except JoinError as different:
            raise _refused(function, f"what it returns depends on the values: {different}") from None
    return template, outputs if len(found) >= ENOUGH else [_any_length(type) for type in outputs]


def _is_about_types(function: Callable[..., Any], errors: list[Exception], call: Any) -> bool:
    """Is it what the call raises whatever the values are, so that it is the program's exception?

    Functions of NumPy that meet any numbers alike say so. What SciPy's, LAPACK's and those of random numbers
    complain of may be the values of the trials.
    """
    error, operands = errors[0], list(parts_of_call(call))
    if any(repr(other) != repr(error) for other in errors) or not all(map(is_plain, operands)):
        return False
    types = [part.type for part in operands if isinstance(part, Staged)]
    if not types:  # which was the very call
        return True
    if not all(map(is_known, types)):
        return False
    if isinstance(error, TypeError):
        return True
    if not all(isinstance(t, ArrayType) for t in types if t != BOOL):
        return False
    return module_of(function).split(".")[0] == "numpy" and not _solves(function)


def is_plain(operand: Any) -> bool:
    """Is it only what it is? Objects of other classes may act."""
    return type(operand) in PLAIN or isinstance(operand, Staged | np.generic | np.dtype | type)


def is_known(type: Type) -> bool:
    """Do made-up operands of this type have the shape of the real ones?"""
    if isinstance(type, ArrayType):
        return None not in type.shape
    return isinstance(type, ScalarType | NumberType)


def _both(a: Type, b: Type) -> Type:
    if isinstance(a, ArrayType) and isinstance(b, ArrayType) and a.dtype == b.dtype:
        return ArrayType(a.dtype, join_shapes(a.shape, b.shape))
    if a != b:
        raise JoinError(f"{a}, or {b}")
    return a


def made_or_whole(
    implementation: Callable[..., Any],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    is_method: bool = False,
) -> Any:
    """What the implementation makes of a call of ``function``; where it cannot, a call as a whole.

    Raises what the function itself says to a wrong call.
    """
    try:
        return implementation(*args, **kwargs)
    except UnsupportedError:
        raise
    except (StagingError, TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as caught:
        error: Exception = caught
    is_refused = isinstance(error, StagingError)
    if is_refused and not is_of_operation(error, is_method):
        raise error
    try:
        result = call_whole(function, args, kwargs) if kwargs.get("out") is None else NotImplemented
    except StagingError as theirs:
        raise (error if is_refused else theirs) from None
    is_made = result is not NotImplemented
    if is_made or not has_staged((args, kwargs)):
        if is_fault(error):
            raise error
        return result
    if is_refused:
        raise error
    said = wrong_call(function, args, kwargs)
    raise said from said.__cause__


def wrong_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception:
    """The exception (not raised) for a call that cannot be staged: the function's own, or a refusal."""
    if all(map(is_plain, parts_of_call((args, kwargs)))):
        try:
            _result_of(function, args, kwargs, is_open=False)
        except Exception as error:  # noqa: BLE001  the function's own, or the refusal
            return error
    return refuse(
        f"{name_of(function)}() is called in a way that is not staged", "call it with other arguments"
    )


def _any_length(type: Type) -> Type:
    return ArrayType(type.dtype, (None,) * type.ndim) if isinstance(type, ArrayType) else type


def module_of(function: Any) -> str:
    return getattr(function, "__module__", None) or "numpy"


def _solves(function: Any) -> bool:
    """Is it of linear algebra, or a fit of polynomials? LAPACK complains of zeros, on stderr."""
    home = getattr(inspect.unwrap(function), "__globals__", {}).get("__name__", "")
    return any(word in module for word in ("linalg", "polynomial") for module in (home, module_of(function)))


def _refused(function: Callable[..., Any], why: str) -> Exception:
    module = module_of(function).replace("numpy", "np", 1)
    return refuse(
        f"{module}.{name_of(function)} has no staged form, and cannot be called as a whole: {why}",
        "write it with supported functions, or call it outside the decorated function",
    )


# -- made-up operands --------------------------------------------------------------------------------


def _increasing(size: int) -> np.ndarray:
    return np.arange(1, size + 1) / max(size, 1)


def _mixed(size: int) -> np.ndarray:
    return np.resize([0.5, -1.0, 2.0, 2.0, -0.25, 0.0, 3.0], size)


#: a well-conditioned matrix, distinct values, equal values, repeated ones of both signs, zeros
TRIALS: tuple[Callable[[int], np.ndarray] | None, ...] = (None, _increasing, np.ones, _mixed, np.zeros)
#: the integers in each of these trials: a length may be one of them
COUNTS = dict(zip(TRIALS, (3, 2, 1, 4, 0), strict=True))


class Sample:
    """Values of one trial in place of staged ones. ``length`` is that of unknown dimensions.

    With `_increasing` the operands have nothing in common, with `np.ones` they are equal: what they have
    in common must not decide about lengths (`np.setxor1d`).
    """

    def __init__(self, values: Callable[[int], np.ndarray] | None, length: int) -> None:
        self.values = values
        self.length = length
        self.operands = 0

    def of(self, item: Any) -> Any:
        if isinstance(item, dict):
            return {key: self.of(part) for key, part in item.items()}
        if isinstance(item, tuple | list):
            parts = [self.of(part) for part in item]
            return type(item)(*parts) if hasattr(item, "_fields") else type(item)(parts)
        return self._value(numeric(item.type)) if isinstance(item, Staged) else item

    def _value(self, type: NumericType) -> Any:
        if isinstance(type, ArrayType):
            return self._array(type)
        number = self._array(ArrayType(type.dtype, (1,)))[0]
        if type.dtype.kind in "iu":
            number = type.dtype.type(COUNTS[self.values])
        return number if isinstance(type, ScalarType) else NUMBERS[type.kind](number)

    def _array(self, type: ArrayType) -> np.ndarray:
        shape = tuple([self.length if n is None else n for n in type.shape])
        size = int(np.prod(shape))
        if self.values in (None, _mixed) and len(shape) >= 2 and shape[-1] == shape[-2]:
            ones = np.ones((shape[-1], shape[-1]))  # real eigenvalues, then complex ones
            matrix = np.eye(len(ones)) * 3 + 0.5 if self.values is None else np.triu(ones) - np.tril(ones, -1)
            found = np.broadcast_to(matrix, shape).copy()
        else:
            found = (self.values or _increasing)(size).reshape(shape)
            if self.values is _increasing:
                found = found + self.operands
            self.operands += 1
        if type.dtype.kind == "c" and self.values in (_increasing, _mixed):
            found = found + 1j * found[::-1]
        if type.dtype.kind in "iu":
            found = np.ceil(np.abs(found) if type.dtype.kind == "u" else found)
        if type.dtype == np.int32:  # LAPACK's pivots are such, and it writes wherever they say
            found = np.clip(found, 0, max(shape[-1] - 1, 0) if shape else None)
        return np.asarray(found.astype(type.dtype))  # which of no dimensions may be a scalar by now


NUMBERS: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float, "complex": complex}
