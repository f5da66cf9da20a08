"""The refusal of what ONNX has no form for."""

from __future__ import annotations

from autograph.errors import StagingError
from runtime.engines.tracebacks import located
from runtime.graph import Operation


class NotExportable(Exception):
    """An operation has no form in ONNX, or not with these operands; says why, and what to write instead."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.hint = hint


def refusal(op: Operation, function: str, reason: str, hint: str | None = None) -> StagingError:
    """The error (not raised) for an operation, at the user's line."""
    error = StagingError(
        f"{function}() cannot be exported to ONNX: {reason}",
        hint=hint or "compute this outside the exported function, or with other operations of NumPy",
    )
    return located(error, op.location)
