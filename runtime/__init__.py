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

import os
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING


def _check_not_hidden():  # type: () -> None
    """A file autograph.py of the user's, beside the program, is found before the package of that name."""
    module = sys.modules.get("autograph") or PathFinder.find_spec("autograph")
    found = getattr(module, "__file__", None) or getattr(module, "origin", None)
    if found is not None and not os.path.isdir(os.path.join(os.path.dirname(found), "operators")):
        message = "the file %s hides the package `autograph`, which `runtime` needs: rename the file"
        raise ImportError(message % found, name="autograph", path=found)


_check_not_hidden()

if TYPE_CHECKING:
    from autograph import __version__ as __version__
    from runtime import debugging as debugging
    from runtime import optimizers as optimizers
    from runtime.differentiation.api import custom_gradient as custom_gradient
    from runtime.differentiation.api import grad as grad
    from runtime.differentiation.api import hessian as hessian
    from runtime.differentiation.api import hvp as hvp
    from runtime.differentiation.api import jacobian as jacobian
    from runtime.differentiation.api import jvp as jvp
    from runtime.differentiation.api import remat as remat
    from runtime.differentiation.api import stop_gradient as stop_gradient
    from runtime.differentiation.api import value_and_grad as value_and_grad
    from runtime.differentiation.api import vjp as vjp
    from runtime.differentiation.tape import GradientTape as GradientTape
    from runtime.export.events import EventWriter as EventWriter
    from runtime.export.onnx import export_onnx as export_onnx
    from runtime.functions.checking import CheckError as CheckError
    from runtime.functions.concrete import ConcreteFunction as ConcreteFunction
    from runtime.functions.decorator import function as function
    from runtime.functions.functions import Function as Function
    from runtime.functions.modes import run_functions_eagerly as run_functions_eagerly
    from runtime.functions.on_jax import to_jax as to_jax
    from runtime.functions.on_jax import vmap as vmap
    from runtime.functions.refusals import FallbackWarning as FallbackWarning
    from runtime.functions.retracing import RetracingWarning as RetracingWarning
    from runtime.functions.tensor_specs import TensorSpec as TensorSpec
    from runtime.gradients.errors import GradientError as GradientError
    from runtime.ops.threads import get_threads as get_threads
    from runtime.ops.threads import set_threads as set_threads
    from runtime.saving.checkpoints import CheckpointFolder as CheckpointFolder
    from runtime.saving.folders import LoadError as LoadError
    from runtime.saving.load import load as load
    from runtime.saving.save import save as save
    from runtime.stage.functional import cond as cond
    from runtime.stage.functional import prange as prange
    from runtime.stage.functional import while_loop as while_loop
    from runtime.state.variables import Module as Module
    from runtime.state.variables import Variable as Variable
    from runtime.tensor import Tensor as Tensor
    from runtime.tensor import constant as constant

# Where the public names live. They are loaded when first used, so that `import runtime` costs a program
# that may never trace anything nothing but NumPy.
_HOMES = {
    "run_functions_eagerly": "functions.modes",
    "debugging": "debugging",
    "optimizers": "optimizers",
    "to_jax": "functions.on_jax",
    "vmap": "functions.on_jax",
    "EventWriter": "export.events",
    "cond": "stage.functional",
    "grad": "differentiation.api",
    "value_and_grad": "differentiation.api",
    "jvp": "differentiation.api",
    "vjp": "differentiation.api",
    "jacobian": "differentiation.api",
    "hessian": "differentiation.api",
    "hvp": "differentiation.api",
    "stop_gradient": "differentiation.api",
    "custom_gradient": "differentiation.api",
    "remat": "differentiation.api",
    "GradientTape": "differentiation.tape",
    "GradientError": "gradients.errors",
    "while_loop": "stage.functional",
    "prange": "stage.functional",
    "get_threads": "ops.threads",
    "set_threads": "ops.threads",
    "CheckError": "functions.checking",
    "ConcreteFunction": "functions.concrete",
    "FallbackWarning": "functions.refusals",
    "RetracingWarning": "functions.retracing",
    "Function": "functions.functions",
    "function": "functions.decorator",
    "TensorSpec": "functions.tensor_specs",
    "CheckpointFolder": "saving.checkpoints",
    "export_onnx": "export.onnx",
    "LoadError": "saving.folders",
    "load": "saving.load",
    "save": "saving.save",
    "Module": "state.variables",
    "Variable": "state.variables",
    "Tensor": "tensor",
    "constant": "tensor",
}

# Written out, for tools that read it without running it.
__all__ = [
    "CheckError",
    "CheckpointFolder",
    "ConcreteFunction",
    "EventWriter",
    "FallbackWarning",
    "Function",
    "GradientError",
    "GradientTape",
    "LoadError",
    "Module",
    "RetracingWarning",
    "Tensor",
    "TensorSpec",
    "Variable",
    "__version__",
    "cond",
    "constant",
    "custom_gradient",
    "debugging",
    "export_onnx",
    "function",
    "get_threads",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "load",
    "optimizers",
    "prange",
    "remat",
    "run_functions_eagerly",
    "save",
    "set_threads",
    "stop_gradient",
    "to_jax",
    "value_and_grad",
    "vjp",
    "vmap",
    "while_loop",
]


if not TYPE_CHECKING:  # or a misspelt name would be fine for type checkers

    def __getattr__(name):  # type: (str) -> object
        if name == "__version__":
            from autograph import __version__

            return __version__
        home = _HOMES.get(name)
        if home is None:
            message = "module 'runtime' has no attribute %r" % name
            if sys._getframe(1).f_code.co_name != "_handle_fromlist":  # an import: `debug` is a module
                from runtime.arguments import instead_of

                message += instead_of(name)
            raise AttributeError(message, name=name, obj=sys.modules[__name__])
        from autograph.loading import later, loaded

        if "tensor" not in globals():
            later(__name__, "allowed", "other_words", "recording", "tensor")

        module = loaded("runtime." + home)
        value = module if name == home else getattr(module, name)
        globals()[name] = value
        return value


def __dir__():  # type: () -> list[str]
    return __all__ + [name for name in globals() if name.startswith("__") and name not in __all__]
