"""The refusal of what ONNX has no form for."""

from __future__ import annotations

from autograph.errors import StagingError
from runtime.engines.tracebacks import located
from runtime.graph import Operation
from runtime.graph.versions import NoForm as NotExportable

__all__ = ["NotExportable", "refusal"]


def refusal(op: Operation, function: str, reason: str, hint: str | None = None) -> StagingError:
    """The error (not raised) for an operation, at the user's line."""
    error = StagingError(
        f"{function}() cannot be exported to ONNX: {reason}",
        hint=hint or "compute this outside the exported function, or with other operations of NumPy",
    )
    return located(error, op.location)
