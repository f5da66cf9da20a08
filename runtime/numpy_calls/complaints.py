"""What a function itself says to a call that its staged form could not make.

>>> from runtime.numpy_calls.table import TABLE
>>> try:
...     TABLE[np.zeros]()
... except TypeError as error:
...     complaint(np.zeros, (), {}, error)
TypeError("zeros() missing required argument 'shape' (pos 0)")

The staged form has words of its own for a wrong axis, a missing argument or lengths that do not fit. So the
function is called with made-up operands of the same types and shapes: what it raises is what the program
would see. Objects and functions of the user's are not given to it: they might act.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import StagingError
from runtime.numpy_calls.whole import TRIALS, Sample, call_whole, is_known, is_plain, parts_of_call
from runtime.ops.definition import UnsupportedError
from runtime.tracer.builder import Staged, refuse
from runtime.tracer.faults import is_fault
from runtime.types import ArrayType


def complaint(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> Exception | None:
    """The exception to raise in place of ``error``; None where the function takes such arguments.

    ``error`` itself, where made-up operands cannot stand for the real ones.
    """
    operands = list(parts_of_call((args, kwargs)))
    types = [part.type for part in operands if isinstance(part, Staged)]
    if not all(map(is_plain, operands)) or not all(map(is_known, types)):
        return _about_parameters(function, args, kwargs) or error
    first, second = (_raised(function, Sample(values, 3), args, kwargs) for values in (TRIALS[0], TRIALS[3]))
    if first is None or second is None:
        return error if is_fault(error) else None
    if repr(first) != repr(second):  # the text quotes a value, which only a run knows
        return _not_staged(function)
    if isinstance(first, TypeError | type(error)) or all(isinstance(t, ArrayType) for t in types):
        return first
    return _not_staged(function)  # numbers may decide which of its errors it is


def _about_parameters(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Exception | None:
    """What it says where it has no such parameters, whatever the arguments are."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except ValueError:  # compiled, and says nothing of its parameters
        return None
    except TypeError:
        try:
            function(*[None] * len(args), **dict.fromkeys(kwargs))
        except TypeError as theirs:
            return theirs.with_traceback(None)
    return None


def _raised(
    function: Callable[..., Any], sample: Sample, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Exception | None:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            function(*sample.of(args), **sample.of(kwargs))
    except Exception as theirs:  # noqa: BLE001  whatever it raises is what the program would see
        return theirs.with_traceback(None)
    return None


def in_words_of(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> Exception:
    """The same, or a refusal where the function takes what its staged form does not."""
    theirs = complaint(function, args, kwargs, error)
    return _not_staged(function) if theirs is None or theirs is error else theirs


def made_or_complained(
    implementation: Callable[..., Any],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    as_a_whole: bool = True,
) -> Any:
    """What the implementation makes of a call of ``function``; where it cannot, a call as a whole.

    Raises what the function itself says to a wrong call. What writes or gives a view is not called
    ``as_a_whole``.
    """
    try:
        return implementation(*args, **kwargs)
    except (StagingError, UnsupportedError):
        raise
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        theirs = complaint(function, args, kwargs, error)
        if theirs is error:
            raise
        if theirs is not None:
            raise theirs from theirs.__cause__
        result = call_whole(function, args, kwargs) if as_a_whole else NotImplemented
        if result is NotImplemented:
            raise in_words_of(function, args, kwargs, error) from None
        return result


def _not_staged(function: Callable[..., Any]) -> Exception:
    name = getattr(function, "__name__", "a function")
    return refuse(f"{name}() is called in a way that is not staged", "call it with other arguments")
