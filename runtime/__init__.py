# ruff: noqa: UP031, UP036  # old Pythons must be able to read this file
"""Arrays, graphs and engines: ``@runtime.function`` makes ordinary Python over arrays fast.

>>> import numpy as np
>>> import runtime as rt
>>> @rt.function
... def relu(x):
...     if x.sum() > 0:
...         return x
...     return 0 * x
>>> relu(np.array([1.0, 2.0]))
array([1., 2.])
"""

import sys

# As in `autograph/__init__.py`: every Python can read this file.
if sys.version_info < (3, 11):
    import autograph  # noqa: F401  # it says which Python is needed

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime import debugging as debugging
    from runtime.control_flow.functional import cond as cond
    from runtime.control_flow.functional import while_loop as while_loop
    from runtime.export.onnx import export_onnx as export_onnx
    from runtime.functions.concrete import ConcreteFunction as ConcreteFunction
    from runtime.functions.eager import run_functions_eagerly as run_functions_eagerly
    from runtime.functions.fallback import FallbackWarning as FallbackWarning
    from runtime.functions.functions import Function as Function
    from runtime.functions.functions import function as function
    from runtime.functions.retracing import RetracingWarning as RetracingWarning
    from runtime.functions.signature import TensorSpec as TensorSpec
    from runtime.reports.checking import CheckError as CheckError
    from runtime.saving.checkpoints import Checkpoints as Checkpoints
    from runtime.saving.errors import LoadError as LoadError
    from runtime.saving.load import load as load
    from runtime.saving.save import save as save
    from runtime.state.modules import Module as Module
    from runtime.state.variables import Variable as Variable
    from runtime.tensor import Tensor as Tensor
    from runtime.tensor import constant as constant

# Where the public names live. They are loaded when first used, so that `import runtime` costs a program
# that may never trace anything nothing but NumPy.
_HOMES = {
    "run_functions_eagerly": "functions.eager",
    "debugging": "debugging",
    "cond": "control_flow.functional",
    "while_loop": "control_flow.functional",
    "CheckError": "reports.checking",
    "ConcreteFunction": "functions.concrete",
    "FallbackWarning": "functions.fallback",
    "RetracingWarning": "functions.retracing",
    "Function": "functions.functions",
    "function": "functions.functions",
    "TensorSpec": "functions.signature",
    "Checkpoints": "saving.checkpoints",
    "export_onnx": "export.onnx",
    "LoadError": "saving.errors",
    "load": "saving.load",
    "save": "saving.save",
    "Module": "state.modules",
    "Variable": "state.variables",
    "Tensor": "tensor",
    "constant": "tensor",
}

__all__ = list(_HOMES)

_GRADIENTS = ("grad", "value_and_grad", "jacobian", "jvp", "vjp", "GradientTape")


def __getattr__(name):  # type: (str) -> object
    home = _HOMES.get(name)
    if home is None:
        message = "module 'runtime' has no attribute %r" % name
        if name in _GRADIENTS:
            message += (
                "; there are no gradients of graphs yet. jax.grad differentiates the same function, "
                "converted with autograph.convert (docs/stages/with-jax.md)"
            )
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    from importlib import import_module

    module = import_module("runtime." + home)
    value = module if name == home else getattr(module, name)
    globals()[name] = value
    return value


def __dir__():  # type: () -> list[str]
    return sorted(set(globals()) | set(_HOMES))
