"""``Variable``: an array of fixed shape and dtype that keeps its contents from call to call.

>>> w = Variable([1.0, 2.0], name="w")
>>> w.assign_add([0.5, 0.5])
Variable([1.5, 2.5], shape=(2,), dtype=float64, name='w')
>>> w * 2
array([3., 5.])

Its methods are ordinary Python over one ndarray, and run converted in a trace, as a class of the user's does: a
read is a read of that array where it lives, and an assignment a write into it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.config import include
from runtime.staged.operands import ArrayHolder
from runtime.state.hooks import note_created

include(__name__)


class Variable(ArrayHolder):
    """An array of a fixed shape and dtype, with a name, whose contents are assigned.

    Variable(initial_value, trainable=True, name=None, dtype=None): the value is copied.

    What is read of it is what NumPy gives of an array:

        v.value, np.asarray(v)    the array itself: later assignments show in it, and writes into it are
                                  assignments
        v[1:], v.T, v.reshape(2)  views, as of an array; v[0] of a vector is a number
        v + 1, np.sin(v)          a new array
        v.numpy(), np.array(v)    a copy: what the variable held then

    ``assign``, ``assign_add`` and ``assign_sub`` take a value of exactly its shape. ``v += x`` and ``v[i] = x``
    broadcast, as they do for arrays. None of them takes what NumPy's casting rule "same_kind" does not,
    such as floats for a variable of ints.
    """

    __slots__ = ("__weakref__", "_storage", "name", "trainable")

    def __init__(
        self, initial_value: Any, trainable: bool = True, name: str | None = None, dtype: Any = None
    ) -> None:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"the name of a variable is a string, not {type(name).__name__}")
        if not isinstance(trainable, bool):
            raise TypeError(f"`trainable` is True or False, not {type(trainable).__name__}")
        self._storage = np.array(initial_value, dtype=dtype)
        if self._storage.dtype.kind not in "biufc":
            raise TypeError(
                f"a variable of dtype {self._storage.dtype} cannot be made: "
                "give numbers, or an array of bool, integer, float or complex dtype"
            )
        self.name = name
        self.trainable = trainable
        note_created(self)

    # -- what it holds ----------------------------------------------------------------------------------

    @property
    def value(self) -> Any:
        """The array itself, no copy."""
        return self._storage

    def numpy(self) -> Any:
        """A copy of what it holds now."""
        return self._storage.copy()

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
    def T(self) -> Any:  # noqa: N802  # as NumPy has it
        return self._storage.T

    # -- assignments ------------------------------------------------------------------------------------

    def assign(self, value: Any) -> Variable:
        """It holds ``value`` from now on, which has its shape."""
        value = self._checked(value, "assign")
        self._storage[...] = value
        return self

    def assign_add(self, value: Any) -> Variable:
        """``value``, which has its shape, is added."""
        value = self._checked(value, "assign_add")
        self._storage += value
        return self

    def assign_sub(self, value: Any) -> Variable:
        """``value``, which has its shape, is subtracted."""
        value = self._checked(value, "assign_sub")
        self._storage -= value
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check_dtype(array_of(value), "an item assignment")
        self._storage[key] = value

    def _checked(self, value: Any, method: str) -> Any:
        """``value``, of this shape and of a dtype that may be written. Raises ValueError or TypeError."""
        given = array_of(value)
        if given.shape != self._storage.shape:
            raise ValueError(
                f"{method} of {self._in_words()}: the value has shape {given.shape}; "
                "`v[...] = value` broadcasts, and a variable never changes its shape"
            )
        self._check_dtype(given, method)
        return value

    def _check_dtype(self, given: Any, method: str) -> None:
        if not np.can_cast(given.dtype, self._storage.dtype, "same_kind"):
            raise TypeError(
                f"{method} of {self._in_words()}: the value has dtype {given.dtype}; "
                f"write value.astype({str(self._storage.dtype)!r}) if this is meant"
            )

    def _in_words(self) -> str:
        name = "a variable" if self.name is None else f"variable {self.name!r}"
        return f"{name} of shape {self._storage.shape} and dtype {self._storage.dtype}"

    # -- as an array ------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        return self._storage[key]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)

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

    def __repr__(self) -> str:
        text = np.array2string(self._storage, separator=", ", prefix="Variable(")
        name = "" if self.name is None else f", name={self.name!r}"
        return f"Variable({text}, shape={self._storage.shape}, dtype={self._storage.dtype}{name})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._storage, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out", ())
        if out:
            kwargs["out"] = tuple(map(array_held, out))
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
    return value._storage if isinstance(value, Variable) else value


def array_of(value: Any) -> Any:
    """What a value is as an array, to ask for its shape and dtype."""
    return value._storage if isinstance(value, Variable) else np.asarray(value)


# -- what an array has besides ------------------------------------------------------------------------------


def _of_two(apply: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Any:
        return apply(self._storage, other)

    return method


def _reflected(apply: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Any:
        return apply(other, self._storage)

    return method


def _in_place(apply: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Variable:
        apply(self._storage, other)
        return self

    return method


def _of_one(apply: Callable[[Any], Any]) -> Callable[[Variable], Any]:
    return lambda self: apply(self._storage)


def _of_array(name: str) -> Callable[..., Any]:
    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._storage, name)(*args, **kwargs)

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
              "rshift"):  # fmt: skip
    _plain = getattr(operator, f"__{_name}__")
    setattr(Variable, f"__{_name}__", _of_two(_plain))
    setattr(Variable, f"__r{_name}__", _reflected(_plain))
    setattr(Variable, f"__i{_name}__", _in_place(getattr(operator, f"__i{_name}__")))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Variable, f"__{_name}__", _of_two(getattr(operator, _name)))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Variable, f"__{_name}__", _of_one(getattr(operator, _name)))
setattr(Variable, "__divmod__", _of_two(divmod))
setattr(Variable, "__rdivmod__", _reflected(divmod))
for _name in (
    "all", "any", "argmax", "argmin", "argsort", "astype", "clip", "conj", "copy", "cumprod", "cumsum",
    "diagonal", "dot", "flatten", "item", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat",
    "reshape", "round", "squeeze", "std", "sum", "swapaxes", "take", "tolist", "trace", "transpose", "var",
):  # fmt: skip
    setattr(Variable, _name, _of_array(_name))
