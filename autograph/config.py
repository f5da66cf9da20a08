"""Which modules are not converted when converted code calls into them.

Code of an excluded module is called as it is, and while a stage is active the call is offered to the
stage. Excluded are the standard library, autograph itself, and packages whose Python is a shell around
native code, or that a compiler should not look into (test frameworks, notebooks).

>>> is_excluded("json.decoder"), is_excluded("my_project.model")
(True, False)
>>> exclude("my_project.legacy"); is_excluded("my_project.legacy.io"), is_excluded("my_project.model")
(True, False)
>>> include("my_project.legacy"); is_excluded("my_project.legacy.io")
False
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType

# fmt: off
_PACKAGES = (
    "autograph",
    # arrays, frames, and compilers of their own
    "numpy", "scipy", "pandas", "polars", "pyarrow", "sklearn", "skimage", "xarray", "dask", "h5py",
    "jax", "jaxlib", "flax", "optax", "torch", "tensorflow", "keras", "numba", "llvmlite", "cupy",
    "sympy", "networkx", "onnx", "onnxruntime", "optree", "gast", "astunparse", "beniget",
    # pictures
    "matplotlib", "PIL", "plotly", "seaborn", "bokeh", "altair", "cv2", "imageio",
    # tools
    "pytest", "_pytest", "pluggy", "hypothesis", "coverage", "IPython", "ipykernel", "traitlets",
    "jupyter_client", "pygments", "rich", "colorama", "loguru", "structlog", "tqdm", "click", "typer",
    "pdb", "setuptools", "pip",
    "attr", "attrs", "pydantic", "requests", "urllib3", "yaml", "jinja2", "cffi", "cython", "Cython",
    "typing_extensions", "six", "importlib_metadata",
)
# fmt: on

# `__main__` is no module of the standard library's, though it has a name there.
_excluded: set[str] = (set(sys.stdlib_module_names) | set(_PACKAGES)) - {"__main__", "antigravity", "this"}
_included: set[str] = set()
#: called where `exclude` or `include` has changed something
on_change: list[Callable[[], None]] = []

#: functions of the standard library in Python that are converted all the same: they ask the user's own
#: methods, or walk through what the user has built
_ASKING = frozenset({
    *[("functools", f"_{wanted}_from_{given}") for wanted in ("lt", "gt", "le", "ge")
      for given in ("lt", "gt", "le", "ge") if wanted != given],
    *[("contextlib", name) for name in ("__call__", "inner", "_recreate_cm")],  # of a ContextDecorator
    *[("collections.abc", f"Sequence.{name}")
      for name in ("__contains__", "__reversed__", "index", "count")],
    *[("collections.abc", f"Mapping.{name}") for name in ("get", "__contains__")],
    *[("collections", f"Counter.{name}")
      for name in """total elements _keep_positive __add__ __sub__ __or__ __and__ __pos__
           __neg__ __iadd__ __isub__ __ior__ __iand__ __le__ __lt__ __ge__ __gt__""".split()],
    *[("dataclasses", name) for name in ("asdict", "astuple", "_asdict_inner", "_astuple_inner")],
})  # fmt: skip


def exclude(module: str) -> None:
    """Do not convert functions of `module` and of what is below it, from the next call on."""
    _included.discard(module)
    _excluded.add(module)
    for changed in on_change:
        changed()


def include(module: str) -> None:
    """Convert functions of `module` and below, even inside an excluded package, from the next call on."""
    _excluded.discard(module)
    _included.add(module)
    for changed in on_change:
        changed()


def is_excluded(module: str) -> bool:
    """Is `module` called as it is? The longest prefix that was named decides."""
    while module:
        if module in _included:
            return False
        if module in _excluded:
            return True
        module = module.rpartition(".")[0]
    return False


def is_function_excluded(function: FunctionType) -> bool:
    """Is this function called as it is?"""
    module = function.__globals__.get("__name__") or ""
    code = function.__code__
    return is_excluded(module) and not {(module, code.co_name), (module, code.co_qualname)} & _ASKING
