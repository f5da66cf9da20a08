"""Tensors of the graph: staged arrays whose results are Tensors."""

from __future__ import annotations

from typing import Any

from runtime.staged.arrays import StagedArray
from runtime.tensor import Tensor
from runtime.tracer.builder import emit


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
