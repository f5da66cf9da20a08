"""What Python makes of the answer of a special method: ``len(x)`` is an int, also of an np.int64.

Of a staged answer the type is known: Python's own function is asked what it makes of a value of that type,
and whether it takes it at all. Plain answers are given to Python's own function as they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators import call
from runtime.tracer.builder import Staged
from runtime.tracer.trace import require_trace
from runtime.types import STR, ArrayType, NumberType, ScalarType, Type

_NUMBERS = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}


def checked_answer(owner: Any, answer: Any, name: str, function: Callable[[Any], Any]) -> Any:
    """``function(owner)``, where ``owner`` has the method ``name``, which gave ``answer``."""
    if not isinstance(answer, Staged):
        return function(_answering(owner, name, answer))
    sample = _sample(answer.type)
    if sample is None:
        raise require_trace().refuse(
            f"`{type(owner).__name__}.{name}` gives a {answer.type}, and Python asks for a number",
            "return a Python number there",
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # an `__int__` that gives a bool
        made = function(_answering(owner, name, sample))  # or Python's complaint
    if name == "__len__":
        answer = call(require_trace().environment.enter(_length, None), call(int, answer))
        return call(bool, answer) if function is bool else answer
    return call(type(made), answer)


def _length(length: Any) -> Any:
    if length < 0:
        raise ValueError("__len__() should return >= 0")
    return length


def _answering(owner: Any, name: str, answer: Any) -> Any:
    """An object of a class of the same name, whose method of this name gives this answer."""
    cls = type(owner)
    made = type(cls.__name__, (), {name: lambda self, *spec: answer, "__module__": cls.__module__})
    made.__qualname__ = cls.__qualname__
    return made()


def _sample(kind: Type) -> Any:
    """A value of the type; None: there is none that stands for all."""
    if isinstance(kind, NumberType):
        return _NUMBERS[kind.kind]
    if isinstance(kind, ScalarType):
        return kind.dtype.type(1)
    if isinstance(kind, ArrayType) and None not in kind.shape:
        return np.ones([n or 0 for n in kind.shape], kind.dtype)
    return "text" if kind == STR else None
