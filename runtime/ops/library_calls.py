"""Calls of library functions in rules of derivatives: ``library("scipy.special.psi")(x)``.

The operation is `call`, which a trace emits for a function of SciPy. A function in a rule only
computes, so that a call whose result nobody uses goes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import numpy as np

from autograph.records import record
from runtime.ops.expressions import Expr, ops
from runtime.ops.promotion import elementwise
from runtime.ops.template import build
from runtime.types import ArrayType, ScalarType, Type, type_of


@record(slots=False)
class LibraryFunction:
    """A function that gives one array or number, and does nothing else."""

    function: Callable[..., Any]
    only_computes: ClassVar[bool] = True

    @property
    def __name__(self) -> str:
        return self.function.__name__

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


@cache
def _named(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def library(name: str) -> Callable[..., Any]:
    """A function of a library by its full name, for arguments that are an `Expr` or constants.

    What is no ufunc needs ``like=``: an `Expr` of the shape and dtype of the result; or ``shape=`` and
    ``dtype=``; or ``outputs=``, the types of several.
    """
    function = _named(name)

    def call(
        *args: Any, like: Any = None, shape: Any = None, dtype: Any = None, outputs: Any = None, **kwargs: Any
    ) -> Any:
        template, values = build((args, kwargs), lambda item: isinstance(item, Expr))
        if outputs is None and isinstance(function, np.ufunc):
            types = tuple([arg.type if isinstance(arg, Expr) else type_of(arg) for arg in args])
            outputs = elementwise(function)(types)
        elif outputs is None:
            outputs = _stated(like, shape, dtype)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        return ops.call(*values, function=LibraryFunction(function), template=template, outputs=outputs)

    return call


class _Functions:
    """``special.psi(x)``: the functions of a package, each as `library` gives it."""

    def __init__(self, package: str) -> None:
        self._package = package

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return library(f"{self._package}.{name}")


special: Any = _Functions("scipy.special")


def _stated(like: Any, shape: Any, dtype: Any) -> Type:
    shape = like.shape if shape is None else shape
    dtype = like.dtype if dtype is None else np.dtype(dtype)
    return ArrayType(dtype, tuple(shape)) if shape else ScalarType(dtype)
