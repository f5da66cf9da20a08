"""Staged arrays and NumPy scalars: the surface of ``numpy.ndarray``, as operations of the graph.

What cannot be known while tracing (truth, items of unknown number, contents) is refused, with a hint;
what NumPy does not have raises AttributeError as NumPy does.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Iterator
from opcode import opname
from typing import Any, NoReturn

import numpy as np

from runtime.control_flow.choices import certain, dispatch
from runtime.messages import ASSIGNMENTS, ATTRIBUTES
from runtime.ops import indexing
from runtime.staged.array_operators import ArrayOperators
from runtime.staged.indexing import SplitIndex, is_sequence_of_items, stored_sequence, with_certain_key
from runtime.staged.operands import apply, operand, writing
from runtime.tracer.builder import WRAPPERS, emit, reads_attribute, refuse
from runtime.tracer.known_items import with_known_items
from runtime.tracer.spec import Choice
from runtime.types import ArrayType, ScalarType


class StagedArray(ArrayOperators):
    """An array (type ``f64[3]``) or a NumPy scalar (type ``f64``) of the graph."""

    __slots__ = ()
    __array_priority__ = 1000.0

    def boxed_as_tensor(self) -> Any:
        return self.builder.as_tensor(self.value)

    @property
    def ndim(self) -> int:
        return self.type.ndim

    @property
    def shape(self) -> tuple[Any, ...]:
        """Lengths; those known only at run time are staged ints."""
        shape = self.type.shape
        return tuple([emit("dim", [self], axis=k) if n is None else n for k, n in enumerate(shape)])

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        return self.size * self.itemsize

    @property
    def size(self) -> Any:
        return math.prod(self.shape)

    @property
    def T(self) -> Any:
        return apply("transpose", [self], axes=None) if self.ndim else self

    real = property(lambda self: apply("real", [self]))
    imag = property(lambda self: apply("imag", [self]))

    def __getitem__(self, key: Any) -> Any:
        return with_certain_key(with_known_items(key), self._read)

    def _read(self, key: Any) -> Any:
        try:
            split = SplitIndex(key)
            return apply("getitem", [self, *split.dynamic], index=split.index)
        except (IndexError, TypeError):
            if isinstance(self.type, ScalarType):  # of whatever does not index one NumPy says the same
                raise IndexError(indexing.NO_SCALAR_INDEX) from None
            raise

    def __setitem__(self, key: Any, value: Any) -> None:
        value = with_known_items(value)
        with_certain_key(with_known_items(key), lambda one: self._write(one, value))

    def _write(self, key: Any, value: Any) -> None:
        if isinstance(value, Choice):
            dispatch(certain(value), lambda one: self._write(key, one))
            return
        with writing(self, "assignment"):
            split = SplitIndex(key)
            if value is None:
                raise refuse("None is stored in an array", "store np.nan")
            if is_sequence_of_items(value) and isinstance(self.type, ArrayType):
                value = stored_sequence(self, split, value)
            emit("setitem", [self, operand(value), *map(operand, split.dynamic)], index=split.index)

    def __delitem__(self, key: Any) -> NoReturn:
        raise refuse("an item of an array is deleted", "write np.delete(x, i)")

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            if isinstance(self.type, ArrayType):
                raise TypeError("iteration over a 0-d array")
            kind, frame = f"numpy.{self.dtype.name}", sys._getframe(1)
            if opname[frame.f_code.co_code[frame.f_lasti]].startswith("UNPACK"):
                raise TypeError(f"cannot unpack non-iterable {kind} object")
            raise TypeError(f"'{kind}' object is not iterable")
        length = self.type.shape[0]
        if length is None:
            raise refuse(
                "Python iterates here over an array whose length is known only at run time",
                "write a `for` statement of its own, or give the length in the signature",
            )
        return map(self.__getitem__, range(length))  # each as it is by then

    def __len__(self) -> int:
        if not self.ndim:
            if isinstance(self.type, ScalarType):
                raise TypeError(f"object of type 'numpy.{self.dtype.name}' has no len()")
            raise TypeError("len() of unsized object")
        length = self.type.shape[0]
        if length is None:
            raise refuse(
                "the length of this array is known only at run time",
                "use x.shape[0], or len(x) in converted code",
            )
        return length

    def __contains__(self, item: Any) -> Any:
        raise refuse(
            "whether an array holds a value is known only at run time",
            "write (x == value).any(), or use `in` in converted code",
        )

    def __index__(self) -> int:
        if isinstance(self.type, ScalarType) and self.dtype.kind not in "iu":
            name = self.dtype.type.__name__
            raise TypeError(f"'numpy.{name}' object cannot be interpreted as an integer")
        if self.dtype.kind not in "iu" or self.ndim:
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        raise self.unknown("value")

    def __round__(self, digits: Any = None) -> Any:
        return self.builder.numpy.rounded(self, digits)

    def __hash__(self) -> int:
        if isinstance(self.type, ArrayType):
            raise TypeError("unhashable type: 'numpy.ndarray'")
        return super().__hash__()

    def __getattr__(self, name: str) -> Any:
        known = np.ndarray if isinstance(self.type, ArrayType) else self.dtype.type
        shown = hasattr(known, name)
        if shown and name.startswith("__"):
            # Other code asks about protocols, where a refusal would not be understood.
            shown = reads_attribute(sys._getframe(1), name)
        if not shown:
            raise AttributeError(
                f"'numpy.{known.__name__}' object has no attribute '{name}'", name=name, obj=self
            )
        method = self.builder.numpy.method(name)
        if method is not None:
            return method.__get__(self)
        hint = "write it with functions of NumPy, or do this outside the decorated function"
        raise refuse(
            f"the attribute `{name}` of a staged {self.type} is not supported", ATTRIBUTES.get(name, hint)
        )


def _refuse_assignments(name: str) -> None:
    def assign(self: StagedArray, *value: Any) -> NoReturn:
        raise refuse(f"assigning to `{name}` cannot be staged", ASSIGNMENTS.get(name, "make another array"))

    fact = getattr(StagedArray, name, None)
    read = (lambda self: self.__getattr__(name)) if fact is None else fact.fget  # which refuses
    setattr(StagedArray, name, property(read, assign, assign))


for _name in ("dtype", "flat", "shape", "strides", "T", "real", "imag", "ndim", "size", "nbytes", "itemsize"):
    _refuse_assignments(_name)
WRAPPERS[ArrayType] = StagedArray
StagedArray.__name__ = "numpy.ndarray"  # in Python's own messages: "'numpy.ndarray' object is not callable"


@functools.cache
def _scalar_class(dtype: np.dtype) -> type[StagedArray]:
    return type(f"numpy.{dtype.type.__name__}", (StagedArray,), {"__slots__": ()})


WRAPPERS[ScalarType] = lambda value, builder: _scalar_class(value.dtype)(value, builder)
