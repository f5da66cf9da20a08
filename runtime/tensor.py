"""Tensor: a boxed array, for those who want ``.numpy()``, tapes and variables; concrete and staged.

>>> import numpy as np
>>> t = Tensor(np.array([1.0, 2.0])) * 2
>>> t
Tensor([2., 4.], shape=(2,), dtype=float64)
>>> t.numpy()
array([2., 4.])

Tensors of the graph: staged arrays whose results are Tensors.
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
from runtime.recording import array_read, begin, end, records, refuse_leaving
from runtime.staged import arrays
from runtime.staged.arrays import StagedArray
from runtime.staged.numbers import StagedNumber
from runtime.staged.operands import ArrayHolder, Boxed
from runtime.tracer.builder import current, emit, refuse
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
        # of no dimensions: NumPy's scalar, one kind everywhere
        self._array = value[()] if isinstance(value, np.ndarray) and not value.ndim else value

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

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        refuse_leaving(self._array, "an ndarray")
        return np.array(self._array, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
        for x in inputs:
            if type(x) is not Tensor and isinstance(x, arrays.StagedArray | StagedNumber):
                return NotImplemented
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        out = kwargs.get("out", ())
        if method == "__call__" and len(out) == 1 and isinstance(out[0], Tensor) and not out[0]._writable:
            kwargs.pop("out")  # `t += x` of a Tensor of no dimensions: another one, as of NumPy's scalars
            out = ()
        written = out or (inputs[:1] if method == "at" else ())
        made = computed(function, inputs, kwargs, written)
        return made if not out else out[0] if len(out) == 1 else out

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        out = kwargs.get("out")
        name = function.__name__
        written = written_by("" if name in _FUNCTIONS_WITH_COPIES else name, args, kwargs)
        made = computed(function, args, kwargs, written)
        return made if out is None else out

    # -- ndarray's surface -----------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_array" or not hasattr(self._array, name):
            raise AttributeError(f"'Tensor' object has no attribute {name!r}", name=name, obj=self)
        if name in _LEAVES:
            refuse_leaving(self._array, f".{name}")
        if name == "flat":
            return Flat(self)
        if not callable(getattr(self._array, name)):
            return computed(getattr, (self, name), {})

        def method(*args: Any, **kwargs: Any) -> Any:
            out, given = kwargs.get("out"), (self, *args)
            made = computed(method_named(name), given, kwargs, written_by(name, given, kwargs))
            return made if out is None else out

        method.__name__ = name
        return method

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "_array" and hasattr(np.ndarray, name):
            if name not in ("real", "imag", "flat"):
                raise wrong_argument(
                    f"a Tensor's `{name}` isn't set", "make another one: t.reshape(...), t.view(...)"
                )
            getattr(self, name)[...] = value
        else:
            object.__setattr__(self, name, value)

    def __getitem__(self, key: Any) -> Any:
        return computed(operator.getitem, (self, key), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        computed(with_item, (self, key, value), {}, (self,))

    @property
    def _writable(self) -> bool:
        return isinstance(self._array, np.ndarray)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[k] for k in range(len(self))])

    def __len__(self) -> int:
        return len(self._array)

    def __contains__(self, item: Any) -> bool:
        return unbox(item) in self._array

    def __bool__(self) -> bool:
        return bool(self._array)

    def __int__(self) -> int:
        refuse_leaving(self._array, "int()")
        return int(self._array)

    def __float__(self) -> float:
        refuse_leaving(self._array, "float()")
        return float(self._array)

    def __complex__(self) -> complex:
        refuse_leaving(self._array, "complex()")
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
        return computed(np.copy, (self,), {})

    def __deepcopy__(self, memo: Any) -> Tensor:
        return computed(np.copy, (self,), {})

    def __reduce__(self) -> Any:
        refuse_leaving(self._array, "a pickle")
        return Tensor, (self._array,)


class Flat:
    """``t.flat``: its items one by one, read and written."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self._place = 0

    def __getitem__(self, key: Any) -> Any:
        return computed(flat_item, (self.tensor, key), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        computed(with_flat_item, (self.tensor, key, value), {}, (self.tensor,))

    def __len__(self) -> int:
        return self.tensor._array.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.tensor.ravel(), dtype=dtype, copy=copy)

    def copy(self) -> Any:
        return self.tensor.flatten()

    def __iter__(self) -> Flat:
        return self

    def __next__(self) -> Any:
        if self._place >= len(self):
            raise StopIteration
        self._place += 1
        return self[self._place - 1]


def computed(function: Any, args: Sequence[Any], kwargs: dict[str, Any], written: Sequence[Any] = ()) -> Any:
    """``function`` of the arrays in these Tensors, boxed; tapes that record are told.

    ``written``: those of the arguments that it writes.
    """
    if not records():
        return rebox(function(*map(unbox_all, args), **{k: unbox_all(v) for k, v in kwargs.items()}))
    arrays = list(boxed_arrays((args, kwargs)))
    plain = any(isinstance(one, np.ndarray) for one in written)
    steps = begin(
        function, args, kwargs, arrays, list(boxed_arrays(tuple(written))) if written else (), plain
    )
    result = rebox(function(*map(unbox_all, args), **{k: unbox_all(v) for k, v in kwargs.items()}))
    if steps:
        end(steps, list(results_of(result)))
    return result


def boxed_arrays(value: Any) -> Iterator[Any]:
    """The arrays of the Tensors and variables in a structure; tapes are told that the latter are read."""
    kind = type(value)
    if kind is Tensor:
        yield value._array
    elif kind is tuple or kind is list:
        for part in value:
            yield from boxed_arrays(part)
    elif kind is dict:
        for part in value.values():
            yield from boxed_arrays(part)
    elif kind is slice:
        yield from boxed_arrays((value.start, value.stop, value.step))
    elif isinstance(value, Tensor | ArrayHolder):
        yield unbox(value)
    elif isinstance(value, tuple):
        yield from boxed_arrays(tuple(value))


def results_of(value: Any) -> Iterator[Any]:
    """The arrays and numbers that a call gave, in order."""
    if isinstance(value, Tensor):
        yield value._array
    elif isinstance(value, tuple | list):
        for part in value:
            yield from results_of(part)
    elif value is not None:
        yield value


#: what writes its first argument; whatever else writes says so by `out`. The graph of a call is held against
#: this (`differentiation/replay.py`).
_WRITERS = frozenset(
    "fill sort partition put itemset resize setfield byteswap "
    "copyto putmask place fill_diagonal put_along_axis".split()
)
_FUNCTIONS_WITH_COPIES = frozenset("sort partition resize".split())
#: what gives the contents of an array to Python, in which no tape follows them
_LEAVES = frozenset("item tolist tobytes tofile dump dumps data ctypes".split())


def written_by(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments that a method or a function of NumPy's writes."""
    out = kwargs.get("out", ())
    found = out if isinstance(out, tuple) else () if out is None else (out,)
    if name in _WRITERS or (name == "nan_to_num" and not kwargs.get("copy", True)):
        found = (*args[:1], *found)
    return found


class Method:
    """A method of arrays, as a function of the array.

    >>> method_named("sum")(np.array([1, 2]))
    np.int64(3)
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, array: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(array, self.__name__)(*args, **kwargs)

    def __runtime_traced__(self, array: Any, /, *args: Any, **kwargs: Any) -> Any:
        return call(getattr(array, self.__name__), *args, **kwargs)


#: one for each name, for steps of tapes are known by it
method_named = functools.cache(Method)


class _Traced:
    """A function of arrays that does the same to staged ones."""

    def __init__(self, function: Any) -> None:
        self.__name__ = function.__name__
        self.function = function

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)

    def __runtime_traced__(self, *args: Any) -> Any:
        return self.function(*args)


with_item = _Traced(operator.setitem)
iadd = _Traced(operator.iadd)
isub = _Traced(operator.isub)


@_Traced
def flat_item(array: Any, key: Any) -> Any:
    return array.flat[key]


@_Traced
def with_flat_item(array: Any, key: Any, value: Any) -> None:
    array.flat[key] = value


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
        kwargs = {} if dtype is None else {"dtype": dtype}
        return Tensor(computed(np.array, (value,), kwargs))
    made = staged_calls.staged_call(np.array, (value,), {} if dtype is None else {"dtype": dtype})
    if not isinstance(made, arrays.StagedArray):
        raise refuse("this value cannot become a Tensor in a staged function", "give numbers or arrays")
    return made.boxed_as_tensor()


__all__ = [
    "StagingError",
    "Tensor",
    "constant",
]


class StagedTensor(StagedArray, Tensor, public=("numpy",)):
    boxed = True

    def __init__(self, value: Any, builder: Any) -> None:
        StagedArray.__init__(self, value, builder)

    def boxed_as_tensor(self) -> StagedTensor:
        return self

    @property
    def _array(self) -> StagedArray:
        """The array itself, staged."""
        return StagedArray(self.value, self.builder)

    def numpy(self) -> StagedArray:
        """The same, which tapes do not follow."""
        if self.type.dtype.kind not in "fc":
            return self._array
        return StagedArray(emit("leave", [self]).value, self.builder)

    def __round__(self, digits: int = 0) -> Any:
        return self.round(digits)
