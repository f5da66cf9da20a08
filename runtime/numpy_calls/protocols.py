"""What NumPy asks of a staged value by its protocols, and what methods of arrays mean: a part of the trace.

The classes of staged values (`runtime/staged`) find it at their builder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.numpy_calls import methods, staged_calls, ufuncs


class NumPyProtocols:
    """The functions and methods of NumPy, and of Python on its numbers, in operations."""

    def ufunc(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``__array_ufunc__``"""
        return ufuncs.call_ufunc(ufunc, method, inputs, kwargs)

    def function(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``__array_function__``"""
        return staged_calls.staged_function(function, args, kwargs)

    def method(self, name: str) -> Callable[..., Any] | None:
        """The method of arrays of this name; None where there is no staged form."""
        return methods.METHODS.get(name)

    def rounded(self, number: Any, digits: Any) -> Any:
        """``round(number, digits)``"""
        return staged_calls.builtins.rounded(number, digits)
