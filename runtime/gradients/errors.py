"""What is said where a gradient cannot be taken."""

from __future__ import annotations

from autograph.errors import StagingError
from runtime.graph import Location, Operation
from runtime.ops import REGISTRY
from runtime.ops.definition import NoDerivative


class GradientError(StagingError):
    """A derivative that does not exist, or of which nobody has written down the rule.

    ``place`` is the user's, as the graph has it; who raises the error to the user gives it the line.
    """

    place: Location | None = None


def no_derivative(op: Operation, reason: str = "") -> GradientError:
    """The cotangent of a result arrives at an operation without a rule; ``reason``: what its rule says."""
    rule = REGISTRY[op.name].vjp
    if not reason:
        reason = rule.reason if isinstance(rule, NoDerivative) else "nobody has written its rule yet"
    error = GradientError(
        f"the gradient goes through `{op.name}`, which has no derivative here: {reason}",
        hint="write this part with operations that have one, give it a gradient of its own with "
        "rt.custom_gradient, or leave it out of the gradient with rt.stop_gradient",
    )
    return at(error, op)


def at(error: GradientError, op: Operation) -> GradientError:
    """The error with the user's line that the operation comes from."""
    error.place = op.location
    return error
