"""Tensor: a boxed array, for those who want ``.numpy()``, tapes and variables; concrete and staged.

>>> import numpy as np
>>> t = Tensor(np.array([1.0, 2.0])) * 2
>>> t
Tensor([2., 4.], shape=(2,), dtype=float64)
>>> t.numpy()
array([2., 4.])
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from autograph.errors import StagingError
from autograph.operators import call
from runtime.arguments import wrong_argument
from runtime.guards.paths import Attribute
from runtime.numpy_calls import staged_calls
from runtime.recording import array_read, note_call, note_write, records
from runtime.staged import arrays
from runtime.staged.numbers import StagedNumber
from runtime.staged.operands import ArrayHolder, Boxed
from runtime.tracer.builder import current, refuse
from runtime.types import is_supported_dtype


class Tensor(NDArrayOperatorsMixin, Boxed):
    """An ndarray or NumPy scalar in a box: the same operations, with results in boxes.

    ``Tensor(value)`` does not copy an ndarray; ``constant`` does.
    """

    _array: Any
    __array_priority__ = 2000.0

    def __init__(self, value: Any, dtype: Any = None) -> None:
        value = value.numpy() if isinstance(value, Tensor) else value
        if not isinstance(value, (np.ndarray, np.generic)) or dtype is not None:
            value = np.asarray(value, dtype=dtype)
        if not is_supported_dtype(value.dtype):
            raise wrong_argument(
                f"a Tensor of dtype {value.dtype} is not supported",
                "give numbers, or an array of bool, integer, float or complex dtype",
                "value",
            )
        self._array = value

    def numpy(self) -> Any:
        """The ndarray or NumPy scalar itself, not a copy."""
        return self._array

    def boxed_as_tensor(self) -> Tensor:
        return self

    @staticmethod
    def __runtime_import__(value: Tensor, outside: Any, path: Any) -> Any:
        """How a trace takes in a Tensor from outside: the array in it becomes an input."""
        return rebox(outside.import_value(value._array, Attribute(path, "_array")))

    # -- NumPy's protocols -----------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self._array, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if any(isinstance(x, arrays.StagedArray | StagedNumber) for x in inputs):
            return NotImplemented
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        out = kwargs.get("out", ())
        if out:
            self._note_out(function, inputs, kwargs)
            kwargs["out"] = tuple(map(unbox, out))
            function(*map(unbox, inputs), **kwargs)
            return out[0] if len(out) == 1 else out
        return computed(function, inputs, kwargs)

    @staticmethod
    def _note_out(function: Any, inputs: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """A result is about to be written into a Tensor: `t += x`, `np.add(t, x, out=t)`."""
        if not records():
            return
        (out, *more), rest = kwargs["out"], {name: x for name, x in kwargs.items() if name != "out"}
        if more or rest or not isinstance(function, np.ufunc):
            raise wrong_argument(
                "a tape records, and does not follow this call with `out=`", "take the result instead", "out"
            )
        note_write(unbox(out), written_by(function), inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        out = kwargs.get("out")
        if not isinstance(out, Tensor):
            return computed(function, args, kwargs)
        if records():
            raise wrong_argument(
                "a tape records, and does not follow this call with `out=`", "take the result instead", "out"
            )
        function(*unbox_all(args), **{k: unbox_all(v) for k, v in kwargs.items()})
        return out

    # -- ndarray's surface -----------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_array" or not hasattr(self._array, name):
            raise AttributeError(f"'Tensor' object has no attribute {name!r}", name=name, obj=self)
        if not callable(getattr(self._array, name)):
            return computed(getattr, (self, name), {})

        def method(*args: Any, **kwargs: Any) -> Any:
            return computed(method_named(name), (self, *args), kwargs)

        method.__name__ = name
        return method

    def __getitem__(self, key: Any) -> Any:
        return computed(operator.getitem, (self, key), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        note_write(self._array, in_place(with_item), (key, value))
        self._array[unbox_all(key)] = unbox(value)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[k] for k in range(len(self))])

    def __len__(self) -> int:
        return len(self._array)

    def __contains__(self, item: Any) -> bool:
        return unbox(item) in self._array

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __float__(self) -> float:
        return float(self._array)

    def __complex__(self) -> complex:
        return complex(self._array)

    def __index__(self) -> int:
        return self._array.__index__()

    def __round__(self, digits: int = 0) -> Any:
        return computed(np.round, (self, digits), {})

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'Tensor'")

    def __format__(self, spec: str) -> str:
        return format(self._array[()], spec)

    def __repr__(self) -> str:
        text = np.array2string(np.asarray(self._array), separator=", ", prefix="Tensor(")
        return f"Tensor({text}, shape={self.shape}, dtype={self.dtype})"

    def __copy__(self) -> Tensor:
        return Tensor(self._array.copy())

    def __deepcopy__(self, memo: Any) -> Tensor:
        return Tensor(self._array.copy())


def computed(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """``function`` of the arrays in these Tensors, boxed; tapes that record are told."""
    result = rebox(function(*map(unbox_all, args), **{k: unbox_all(v) for k, v in kwargs.items()}))
    if records():
        note_call(function, args, kwargs, result)
    return result


class Method:
    """A method of arrays, as a function of the array.

    >>> method_named("sum")(np.array([1, 2]))
    np.int64(3)
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, array: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(array, self.__name__)(*args, **kwargs)

    def __runtime_traced__(self, array: Any, *args: Any, **kwargs: Any) -> Any:
        return call(getattr(array, self.__name__), *args, **kwargs)


class Written:
    """What an array holds after the result of a ufunc of other operands was written into it."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc = ufunc
        self.__name__ = ufunc.__name__

    def __call__(self, array: Any, *operands: Any) -> Any:
        made = call(np.zeros_like, array)
        made[...] = self.ufunc(*operands)
        return made

    def __runtime_traced__(self, array: Any, *operands: Any) -> Any:
        return self(array, *operands)


class InPlace:
    """What an array holds after ``function(array, *args)`` changed it: a function that changes nothing."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__ = function.__name__

    def __call__(self, array: Any, *args: Any) -> Any:
        return self.function(call(np.copy, array), *args)

    def __runtime_traced__(self, array: Any, *args: Any) -> Any:
        return self(array, *args)


#: one for each name and function, for steps of tapes are known by it
method_named = functools.cache(Method)
written_by = functools.cache(Written)
in_place = functools.cache(InPlace)


def with_item(array: Any, key: Any, value: Any) -> Any:
    """``array[key] = value``, which gives the array."""
    array[key] = value
    return array


def unbox(value: Any) -> Any:
    """The array of a Tensor or a variable; other values as they are."""
    if isinstance(value, ArrayHolder):
        return array_read(value)
    return value.numpy() if isinstance(value, Tensor) else value


def unbox_all(value: Any) -> Any:
    """``value`` with the Tensors in tuples and lists unboxed."""
    if isinstance(value, Tensor | ArrayHolder):
        return unbox(value)
    if type(value) is tuple or type(value) is list:
        return type(value)(map(unbox_all, value))
    return value


def rebox(value: Any) -> Any:
    """Arrays and NumPy scalars, also in tuples and lists, as Tensors; other values as they are."""
    if isinstance(value, (np.ndarray, np.generic)):
        return Tensor(value) if is_supported_dtype(value.dtype) else value
    if isinstance(value, arrays.StagedArray):
        return value.boxed_as_tensor()
    if isinstance(value, tuple):
        parts = [rebox(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_make") else tuple(parts)
    if type(value) is list:
        return [rebox(item) for item in value]
    return value


def constant(value: Any, dtype: Any = None) -> Any:
    """A new Tensor with the contents of ``value``: a number, a nested list, an array.

    >>> constant([1, 2], dtype="float32")
    Tensor([1., 2.], shape=(2,), dtype=float32)
    """
    if current() is None:
        return Tensor(np.array(unbox_all(value), dtype=dtype))
    made = staged_calls.staged_call(np.array, (value,), {} if dtype is None else {"dtype": dtype})
    if not isinstance(made, arrays.StagedArray):
        raise refuse("this value cannot become a Tensor in a staged function", "give numbers or arrays")
    return made.boxed_as_tensor()


__all__ = [
    "StagingError",
    "Tensor",
    "constant",
]
