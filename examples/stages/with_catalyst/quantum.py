"""Catalyst's AutoGraph over `autograph`: stands for both modules of `catalyst.autograph` (see `run.py`)."""

import inspect
import textwrap
import warnings

import catalyst
import pennylane as qp
from catalyst.tracing.contexts import EvaluationContext
from catalyst.utils.callables import CatalystCallable
from catalyst.utils.exceptions import AutoGraphError
from pennylane.queuing import AnnotatedQueue
from quantum_program import Enumerate, ProgramStage, Range, disable_autograph, get_source_code_info

CRange, CEnumerate = Range, Enumerate
__all__ = ["autograph_source", "disable_autograph", "get_source_code_info", "run_autograph"]


class CatalystStage(ProgramStage):
    """What cannot be traced is forgotten, and left to Python."""

    name, library, error = "catalyst", catalyst, AutoGraphError
    in_both = [getattr(m, n) for m in (catalyst, qp) for n in "adjoint ctrl grad jacobian jvp vjp".split()]
    wrappers = [*in_both, qp.prod, catalyst.value_and_grad, catalyst.vmap, catalyst.mitigate_with_zne]

    def checkpoint(self):
        """How far the program is: its equations, and its operations."""
        at = EvaluationContext
        equations = at.find_jaxpr_frame().tracing_eqns if at.is_tracing() else []
        queue = at.find_quantum_queue() if at.is_quantum_tracing() else None
        return equations, len(equations), queue, AnnotatedQueue.__len__(queue) if queue is not None else 0

    def rollback(self, checkpoint):
        equations, count, queue, operations = checkpoint
        del equations[count:]
        while queue is not None and AnnotatedQueue.__len__(queue) > operations:  # of a tape, `len` is another
            AnnotatedQueue.popitem(queue)

    def failed(self, error, what=None):
        if catalyst.autograph_strict_conversion:
            raise error
        if what and not catalyst.autograph_ignore_fallbacks:
            why = f"  {type(error).__name__}:{textwrap.indent(str(error), '    ')}\n\nat\n{self.statement()}"
            hint = "which Python does now. Does its variable stand where JAX needs a number?"
            text = f"Tracing of an AutoGraph converted {what} failed with an exception:\n{why}{hint}"
            warnings.warn(text, stacklevel=2)
        return NotImplemented

    def call(self, function, args, kwargs):
        if isinstance(function, CatalystCallable):
            return function.call_with_wrapper(self.later, args, kwargs)
        if hasattr(function, "__wrapped__") and function.__module__ == qp.prod.__module__:
            options = inspect.getclosurevars(function).nonlocals
            inner = self.later(function.__wrapped__)
            return qp.prod(inner, id=options["id"], lazy=options["lazy"])(*args, **kwargs)
        return super().call(function, args, kwargs)


TRANSFORMER = STAGE = CatalystStage()
run_autograph = STAGE.run_autograph


def autograph_source(fn):
    """The source code of a function that AutoGraph converted."""
    fn = getattr(fn, "ag_unconverted", fn)
    fn = fn.original_function if isinstance(fn, catalyst.QJIT) else fn
    return STAGE.source(fn.func if isinstance(fn, qp.QNode) else fn)
