"""``rt.grad``, ``rt.value_and_grad``: the gradient of a function, as a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.callees.builtin_calls import handles
from runtime.differentiation.derivatives import Gradient


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Gradient:
    """A function that gives the gradient of ``f``, which returns one float, with respect to an argument.

    argnums: which argument, or several: then the result is a tuple. An argument may be a structure (a list, a dict,
        a dataclass, ...) of floats and arrays; its gradient has the same structure.
    has_aux: ``f`` returns ``(number, other)``, and the result is ``(gradient, other)``.

    >>> import numpy as np
    >>> grad(lambda x: (x * x).sum())(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return Gradient(f, argnums, has_aux, with_value=False)


def value_and_grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Gradient:
    """As `grad`, but the function gives ``(value, gradient)``; with ``has_aux`` ``((value, other), gradient)``.

    >>> value_and_grad(lambda x: x**3)(2.0)
    (8.0, 12.0)
    """
    return Gradient(f, argnums, has_aux, with_value=True)


for _function in (grad, value_and_grad):
    handles(_function)(lambda trace, *args, _function=_function, **kwargs: _function(*args, **kwargs))
