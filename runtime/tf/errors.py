"""The errors of a run, by TensorFlow's names: `tf.errors`."""

from __future__ import annotations

from typing import Any


class OpError(Exception):
    """What an operation raises while it runs. `message` is its text.

    >>> NotFoundError(None, None, "no such file").message
    'no such file'
    """

    def __init__(self, node_def: Any = None, op: Any = None, message: str = "") -> None:
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message

    def __str__(self) -> str:
        return self.message


class InvalidArgumentError(OpError):
    """A value that the operation does not take: shapes that do not fit, a check that failed."""


class FailedPreconditionError(OpError):
    """Something was used before it was there, such as a variable before its initialiser ran."""


class OutOfRangeError(OpError):
    """An iterator of a data set has no more elements."""


class NotFoundError(OpError):
    """A file that is not there."""


class UnimplementedError(OpError):
    """An operation that does not exist for these element types."""
