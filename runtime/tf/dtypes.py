"""Element types and shapes as TensorFlow spells them: `tf.float32`, `tf.TensorShape`.

>>> float32.name, float32 == np.float32, as_dtype("int64") is int64
('float32', True, True)
>>> TensorShape([2, None])
TensorShape([2, None])
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from runtime.tf.names import refusing


def _one_of(kinds: str) -> Any:
    """Is the type of one of these kinds of NumPy's?"""
    return property(lambda self: self._numpy.kind in kinds)


class DType:
    """One element type. It equals NumPy's type of the same name, and that name."""

    __slots__ = ("_numpy",)

    def __init__(self, dtype: np.dtype) -> None:
        self._numpy = dtype

    @property
    def name(self) -> str:
        return self._numpy.name

    @property
    def as_numpy_dtype(self) -> Any:
        return self._numpy.type

    @property
    def base_dtype(self) -> DType:
        return self

    @property
    def size(self) -> int:
        return self._numpy.itemsize

    is_floating, is_integer = _one_of("f"), _one_of("iu")
    is_complex, is_bool = _one_of("c"), _one_of("b")

    def _limits(self) -> Any:
        return np.finfo(self._numpy) if self.is_floating else np.iinfo(self._numpy)

    @property
    def min(self) -> Any:
        return self._limits().min

    @property
    def max(self) -> Any:
        return self._limits().max

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, DType):
            return self._numpy == other._numpy
        try:
            return other is not None and self._numpy == np.dtype(other)
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self._numpy)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"


bool_ = DType(np.dtype("bool"))
int8 = DType(np.dtype("int8"))
int16 = DType(np.dtype("int16"))
int32 = DType(np.dtype("int32"))
int64 = DType(np.dtype("int64"))
uint8 = DType(np.dtype("uint8"))
uint16 = DType(np.dtype("uint16"))
uint32 = DType(np.dtype("uint32"))
uint64 = DType(np.dtype("uint64"))
float16 = half = DType(np.dtype("float16"))
float32 = DType(np.dtype("float32"))
float64 = double = DType(np.dtype("float64"))
complex64 = DType(np.dtype("complex64"))
complex128 = DType(np.dtype("complex128"))

_BY_NUMPY = {each._numpy: each for each in list(globals().values()) if isinstance(each, DType)}
_OF_PYTHON = {bool: bool_, int: int32, float: float32, complex: complex128}


def as_dtype(given: Any) -> DType:
    """The element type that a user means: ours, NumPy's, a name, or `float`, which is float32."""
    if isinstance(given, DType):
        return given
    found = _OF_PYTHON.get(given) if isinstance(given, type) else None
    if found is None:
        try:
            found = _BY_NUMPY.get(np.dtype(given))
        except TypeError:
            found = None
    if found is None:
        raise TypeError(f"Cannot convert the argument `type_value`: {given!r} to a TensorFlow DType.")
    return found


def numpy_dtype(given: Any) -> np.dtype:
    return as_dtype(given)._numpy


class TensorShape(tuple):
    """The lengths of a tensor, None where they are known at run time only; a tuple."""

    __slots__ = ()

    def __new__(cls, dims: Iterable[int | None] | int | None = ()) -> TensorShape:
        if dims is None or isinstance(dims, UnknownShape):
            return super().__new__(UnknownShape)
        if isinstance(dims, int):
            dims = (dims,)
        return super().__new__(cls, tuple([None if n is None else int(n) for n in dims]))

    @property
    def rank(self) -> int:
        return len(self)

    @property
    def ndims(self) -> int:
        return len(self)

    @property
    def dims(self) -> list[int | None]:
        return list(self)

    def as_list(self) -> list[int | None]:
        return list(self)

    def is_fully_defined(self) -> bool:
        return None not in self

    def num_elements(self) -> int | None:
        return None if None in self else int(np.prod(self, dtype=np.int64))

    def is_compatible_with(self, other: Any) -> bool:
        """Could both be the shape of one tensor?"""
        other = TensorShape(other)
        if isinstance(other, UnknownShape):
            return True
        return len(self) == len(other) and all(
            a is None or b is None or a == b for a, b in zip(self, other, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, list | tuple) else False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return TensorShape(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> TensorShape:
        return TensorShape((*self, *other))

    def __str__(self) -> str:
        inside = ", ".join(map(str, self))
        return f"({inside},)" if len(self) == 1 else f"({inside})"

    def __repr__(self) -> str:
        return f"TensorShape([{', '.join(map(str, self))}])"


class UnknownShape(TensorShape):
    """`TensorShape(None)`: of any number of dimensions. Only a signature and a question can have it."""

    __slots__ = ()
    rank: Any = None
    ndims: Any = None

    def __iter__(self) -> Any:
        raise NotImplementedError(
            "a shape with an unknown number of dimensions is not supported here: give a list with None for"
            " each length that is not known, such as [None, None]"
        )

    def __len__(self) -> int:
        raise ValueError("Cannot take the length of shape with unknown rank.")

    def __bool__(self) -> bool:
        return False

    def as_list(self) -> list[int | None]:
        raise ValueError("as_list() is not defined on an unknown TensorShape.")

    def is_fully_defined(self) -> bool:
        return False

    def num_elements(self) -> int | None:
        return None

    def is_compatible_with(self, other: Any) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnknownShape)

    def __hash__(self) -> int:
        return hash(UnknownShape)

    def __getitem__(self, key: Any) -> Any:
        return TensorShape(None) if isinstance(key, slice) else None

    def __str__(self) -> str:
        return "<unknown>"

    def __repr__(self) -> str:
        return "TensorShape(None)"


__getattr__ = refusing(__name__, "tf.dtypes", {"bool": "bool_"})
