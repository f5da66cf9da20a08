"""The table itself, and how an implementation enters it.

    @implements(np.sort, unsupported=("kind", "order"))
    def sort(a, axis=-1, kind=None, order=None, *, stable=None):
        return apply("sort", [a], axis=axis, stable=stable)

An implementation has the parameters of the function that it implements, in the same order. A parameter
listed as ``unsupported`` is refused when the call gives it anything but its default.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from runtime.staged.operands import refuse

F = TypeVar("F", bound=Callable[..., Any])

#: function -> its staged implementation
TABLE: dict[Any, Callable[..., Any]] = {}

#: NumPy's default for "not given" in several functions
NOT_GIVEN: Any = __import__("numpy")._NoValue


def implements(*functions: Any, unsupported: Sequence[str] = ()) -> Callable[[F], F]:
    """Enter the decorated function into the table, for each of ``functions``."""

    def decorate(implementation: F) -> F:
        name = getattr(functions[0], "__name__", repr(functions[0]))
        guarded = _refusing(implementation, name, tuple(unsupported)) if unsupported else implementation
        for function in functions:
            TABLE[function] = guarded
        return guarded  # type: ignore[return-value]

    return decorate


def _refusing(
    implementation: Callable[..., Any], name: str, parameters: tuple[str, ...]
) -> Callable[..., Any]:
    signature = inspect.signature(implementation)
    defaults = {p: signature.parameters[p].default for p in parameters}

    @functools.wraps(implementation)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        for parameter in parameters:
            value = bound.arguments.get(parameter, NOT_GIVEN)
            if value is not NOT_GIVEN and value is not None and not _is_default(value, defaults[parameter]):
                raise refuse(
                    f"the argument `{parameter}` of {name}() is not supported in a staged function",
                    f"leave out `{parameter}`, and write what it does with other functions",
                )
        return implementation(*args, **kwargs)

    return guarded


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))
