"""`tf.TensorArray`: rows of one shape, written and read by number. A value: writing gives another one."""

from __future__ import annotations

from typing import Any

import optree

from runtime.tf import math
from runtime.tf.arguments import only
from runtime.tf.block_values import NAMESPACE
from runtime.tf.dtypes import as_dtype, bool_
from runtime.tf.errors import OutOfRangeError
from runtime.tf.tensors import EagerTensor, Tensor, cast, convert, dim, require, shape_of
from runtime.tf.traces import current


class TensorArray:
    """The rows are one tensor, whose first axis grows where `dynamic_size` is said.

    >>> TensorArray("float32", size=2).write(1, 5.0).stack().numpy()
    array([0., 5.], dtype=float32)
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = 0,
        dynamic_size: bool = False,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        name: str | None = None,
    ) -> None:
        only("tf.TensorArray", infer_shape=(infer_shape, True))
        self.dtype = as_dtype(dtype)
        self.dynamic_size = dynamic_size
        self._count = convert(size)
        self._rows: Any = None
        if element_shape is not None and None not in element_shape:
            self._rows = self._empty(tuple(element_shape), size)

    def _empty(self, shape: tuple[int, ...], size: Any) -> Any:
        made = math.zeros([size, *shape], self.dtype)
        if self.dynamic_size and current() is not None:  # its length is not the same all along
            made = math.boolean_mask(made, math.ones([dim(made, 0)], bool_))
        return made

    @classmethod
    def _made(cls, rows: Any, like: TensorArray, count: Any) -> TensorArray:
        found = cls.__new__(cls)
        found.dtype, found.dynamic_size, found._rows, found._count = (
            like.dtype,
            like.dynamic_size,
            rows,
            count,
        )
        return found

    def with_rows(self, shape: Any) -> TensorArray:
        """The same with rows of zeros, of which it is known now what they are."""
        return TensorArray._made(self._empty(tuple(shape), self._count), self, self._count)

    def write(self, index: Any, value: Any) -> TensorArray:
        value = convert(value, self.dtype) if not isinstance(value, Tensor) else convert(value)
        if value.dtype != self.dtype:
            raise ValueError(f"the TensorArray holds {self.dtype.name}, and a {value.dtype.name} is written")
        rows = self._empty(tuple(value.shape), self._count) if self._rows is None else self._rows
        index = convert(index)
        if self.dynamic_size:
            missing = math.maximum(index + 1 - shape_of(rows)[0], 0)
            more = math.zeros([missing, *value.shape], self.dtype)
            rows = math.concat([rows, more], 0)
        elif isinstance(index, EagerTensor) and isinstance(rows, EagerTensor):
            if not 0 <= int(index) < len(rows):
                raise OutOfRangeError(
                    message=f"Tried to write to index {int(index)} but array is not resizeable and"
                    f" size is: {len(rows)}"
                )
        else:
            inside = math.logical_and(index >= 0, index < cast(shape_of(rows)[0], index.dtype))
            rows = require(rows, inside, "Tried to write behind the end of a TensorArray of fixed size")
        places = math.range(dim(rows, 0)) == index
        places = math.reshape(places, [-1] + [1] * value.ndim)
        return TensorArray._made(math.where(places, value, rows), self, shape_of(rows)[0])

    def read(self, index: Any, name: str | None = None) -> Any:
        self._require_rows()
        return self._rows[convert(index)]

    def stack(self, name: str | None = None) -> Any:
        self._require_rows()
        return math.identity(self._rows)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        self._require_rows()
        return math.gather(self._rows, indices)

    def concat(self, name: str | None = None) -> Any:
        self._require_rows()
        rows = self._rows
        return math.reshape(rows, [-1, *rows.shape[2:]])

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        x = convert(value)
        return TensorArray._made(x, self, shape_of(x)[0])

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        found = self
        for k, row in zip(math.unstack(convert(indices)), math.unstack(convert(value)), strict=True):
            found = found.write(k, row)
        return found

    def size(self, name: str | None = None) -> Any:
        return self._count if self._rows is None else shape_of(self._rows)[0]

    def _require_rows(self) -> None:
        if self._rows is None:
            if isinstance(self._count, EagerTensor) and not int(self._count):
                self._rows = math.zeros([0], self.dtype)
                return
            raise ValueError(
                "the TensorArray was never written: say element_shape=, or write before the loop"
            )

    @property
    def element_shape(self) -> Any:
        return None if self._rows is None else self._rows.shape[1:]


def _parts(array: Any) -> Any:
    return [array._rows, array._count], (array.dtype, array.dynamic_size)


def _rebuilt(data: Any, children: Any) -> Any:
    found = TensorArray.__new__(TensorArray)
    found.dtype, found.dynamic_size = data
    found._rows, found._count = children
    return found


_class: Any = TensorArray
optree.register_pytree_node(_class, _parts, _rebuilt, namespace=NAMESPACE)
