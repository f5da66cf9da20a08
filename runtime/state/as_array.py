"""What a variable has of an array: operators, NumPy's protocols, and the methods that read.

>>> from runtime.state.variables import Variable
>>> v = Variable([1.0, 4.0])
>>> v - 1, np.sqrt(v), v[1], v.sum()
(array([0., 3.]), array([1., 2.]), np.float64(4.0), np.float64(5.0))
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.config import include
from runtime.ops.operators import COMPARISONS, FUNCTIONS, OPERATORS, UNARY
from runtime.staged.operands import ArrayHolder
from runtime.state.hooks import is_recorded, read, stored, stored_by

if TYPE_CHECKING:
    from numpy.lib.mixins import NDArrayOperatorsMixin

    class _Operators(ArrayHolder, NDArrayOperatorsMixin):
        """Type checkers see operators and methods here; they are made below."""

        def __getattr__(self, name: str) -> Any: ...

else:
    _Operators = ArrayHolder

include(__name__)


class AsArray(_Operators):
    """An object that NumPy takes for its array, ``_storage``."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        protocols = {"__array__", "__array_ufunc__", "__array_function__"} & vars(cls).keys()
        if protocols:
            raise TypeError(
                f"class {cls.__name__} has a `{min(protocols)}` of its own, but a variable is its array "
                "to NumPy; write a class that holds a variable"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return self._storage.shape

    @property
    def dtype(self) -> Any:
        return self._storage.dtype

    @property
    def ndim(self) -> int:
        return self._storage.ndim

    @property
    def size(self) -> int:
        return self._storage.size

    @property
    def T(self) -> Any:  # as NumPy has it
        return array_held(self).T

    @property
    def real(self) -> Any:
        return array_held(self).real

    @property
    def imag(self) -> Any:
        return array_held(self).imag

    def __getitem__(self, key: Any) -> Any:
        return array_held(self)[key]

    def __divmod__(self, other: Any) -> Any:
        return divmod(array_held(self), other)

    def __rdivmod__(self, other: Any) -> Any:
        return divmod(other, array_held(self))

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return iter(array_held(self))

    def __contains__(self, item: Any) -> bool:
        return item in self._storage

    def __bool__(self) -> bool:
        return bool(self._storage)

    def __int__(self) -> int:
        return int(self._storage)

    def __float__(self) -> float:
        return float(self._storage)

    def __complex__(self) -> complex:
        return complex(self._storage)

    def __index__(self) -> int:
        return operator.index(self._storage)

    __hash__ = None  # type: ignore[assignment]  # as of an array: `==` compares item by item

    def __format__(self, spec: str) -> str:
        return format(self._storage[()], spec)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._storage, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out", ())
        if out:
            if is_recorded():
                return stored_by(getattr(ufunc, method), inputs, kwargs, out)
            kwargs["out"] = tuple([one._storage if isinstance(one, ArrayHolder) else one for one in out])
        return getattr(ufunc, method)(*map(array_held, inputs), **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return function(*map(arrays_in, args), **{name: arrays_in(value) for name, value in kwargs.items()})


def arrays_in(value: Any) -> Any:
    """The same with the arrays of variables in their place, also in tuples and lists."""
    if type(value) in (tuple, list):
        return type(value)(map(arrays_in, value))
    return array_held(value)


def array_held(value: Any) -> Any:
    """The array of a variable; any other value as it is."""
    return read(value) if isinstance(value, ArrayHolder) else value


# -- what an array has besides ------------------------------------------------------------------------------


def _of_two(apply: Callable[[Any, Any], Any]) -> Callable[[AsArray, Any], Any]:
    def method(self: AsArray, other: Any) -> Any:
        return apply(array_held(self), other)

    return method


def _reflected(apply: Callable[[Any, Any], Any]) -> Callable[[AsArray, Any], Any]:
    def method(self: AsArray, other: Any) -> Any:
        return apply(other, array_held(self))

    return method


def _in_place(apply: Callable[[Any, Any], Any]) -> Callable[[AsArray, Any], Any]:
    def method(self: AsArray, other: Any) -> AsArray:
        stored(self, apply, other)
        return self

    return method


def _of_one(apply: Callable[[Any], Any]) -> Callable[[AsArray], Any]:
    return lambda self: apply(array_held(self))


def _of_array(name: str) -> Callable[..., Any]:
    def method(self: AsArray, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(array_held(self), name)(*args, **kwargs)

    return method


for _name in OPERATORS.keys() - {"divmod"}:
    _plain = FUNCTIONS[_name]
    setattr(AsArray, f"__{_name}__", _of_two(_plain))
    setattr(AsArray, f"__r{_name}__", _reflected(_plain))
    setattr(AsArray, f"__i{_name}__", _in_place(getattr(operator, f"__i{_name}__")))
for _name in COMPARISONS:
    setattr(AsArray, f"__{_name}__", _of_two(FUNCTIONS[_name]))
for _name in UNARY:
    setattr(AsArray, f"__{_name}__", _of_one(FUNCTIONS[_name]))
_READERS = (
    "all any argmax argmin argsort astype clip conj copy cumprod cumsum diagonal dot flatten item max mean "
    "min nonzero prod ravel repeat reshape round squeeze std sum swapaxes take tolist trace transpose var"
).split()
for _name in _READERS:
    setattr(AsArray, _name, _of_array(_name))
