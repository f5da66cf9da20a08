"""PennyLane's AutoGraph over `autograph`: stands for both modules of `pennylane.capture.autograph`.

Catalyst uses it where `capture=True`. It knows no way back: a loop that cannot be traced is an error.
"""

import textwrap
import warnings

import jax
import pennylane as qp
from pennylane.exceptions import AutoGraphError, AutoGraphWarning
from quantum_program import Enumerate, ProgramStage, Range, disable_autograph

PRange, PEnumerate = Range, Enumerate
__all__ = ["autograph_source", "disable_autograph", "run_autograph"]


class CaptureStage(ProgramStage):
    name, library, error = "pennylane", qp, AutoGraphError
    # Looked up when it is used: this module is imported before those.
    wrappers = property(lambda self: (qp.adjoint, qp.ctrl, qp.grad, qp.jacobian, qp.vjp, qp.jvp))

    def is_operator(self, value):
        abstract = isinstance(value, jax.core.Tracer) and value.aval
        return super().is_operator(value) or isinstance(abstract, qp.capture.primitives.AbstractOperator)

    def are_arrays(self, a, b):
        return True

    def failed(self, error, what=None):
        if not what:
            raise error
        raise AutoGraphError(
            f"Tracing of an AutoGraph converted {what} failed with an exception:\n"
            f"  {type(error).__name__}:{textwrap.indent(str(error), '    ')}\n"
            "See that the loop's variable is not used where JAX needs a number, that all variables have\n"
            "a value before the loop, and that none changes its type."
        ) from error


TRANSFORMER = STAGE = CaptureStage()


def run_autograph(fn):
    """A function, QNode or callable object whose control flow is captured."""
    if hasattr(fn, "ag_unconverted"):
        warnings.warn(f"AutoGraph has transformed {fn} already.", AutoGraphWarning, stacklevel=2)
        return fn
    return STAGE.run_autograph(fn)


def autograph_source(fn):
    """The source code of a function that AutoGraph converted."""
    fn = getattr(fn, "ag_unconverted", fn)
    return STAGE.source(getattr(fn.func, "ag_unconverted", fn.func) if isinstance(fn, qp.QNode) else fn)


PennyLaneTransformer = NESTED_OPTIONS = STANDARD_OPTIONS = TOPLEVEL_OPTIONS = (
    None  # PennyLane's tests import them
)
