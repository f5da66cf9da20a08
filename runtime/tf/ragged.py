"""`tf.ragged.constant`: rows of different lengths, which a loop goes over."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.tf.dtypes import DType, TensorShape
from runtime.tf.names import refusing
from runtime.tf.stage import Rows
from runtime.tf.tensors import Tensor, convert


class RaggedTensor(Rows):
    """Rows of numbers: the tensor of all of them, and where each row begins and the last one ends.

    `values` has shape [n]; `row_splits` is int64 of shape [rows + 1], as TensorFlow's.
    """

    def __init__(self, values: Tensor, row_splits: Tensor) -> None:
        super().__init__(self.__getitem__, (row_splits[1:],))
        self.values, self.row_splits = values, row_splits

    @property
    def dtype(self) -> DType:
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape([len(self.row_splits) - 1, None])

    def __getitem__(self, k: Any) -> Tensor:
        return self.values[self.row_splits[k] : self.row_splits[k + 1]]

    def row_lengths(self) -> Tensor:
        return self.row_splits[1:] - self.row_splits[:-1]

    def to_list(self) -> list[list[Any]]:
        return [row.numpy().tolist() for row in self]

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {self.to_list()}>"


def constant(pylist: Any, dtype: Any = None, name: str | None = None) -> RaggedTensor:
    """Rows of numbers, of any lengths.

    Raises NotImplementedError for rows of rows: pad these to one length.
    """
    rows = [list(row) for row in pylist]
    if any(np.ndim(value) for row in rows for value in row):
        raise NotImplementedError("tf.ragged.constant takes rows of numbers: pad rows of rows to one length")
    values = convert([value for row in rows for value in row] or np.zeros(0, np.float32), dtype)
    return RaggedTensor(values, convert(np.cumsum([0, *map(len, rows)], dtype=np.int64)))


__getattr__ = refusing(__name__, "tf.ragged")
