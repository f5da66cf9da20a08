"""The operators of lists, tuples and deques of the run beside a NumPy scalar: `t + np.float64(2)`.

NumPy's scalars make an array of such a sequence. They cannot make one while tracing, so that they are told to
leave the answer to the sequence (`__array_ufunc__`). A scalar that is staged answers by its own operators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph import operators
from runtime.ops.instances import class_attribute
from runtime.staged import foreign_operands
from runtime.staged.numbers import COMPARISONS, OPERATORS
from runtime.staged.operands import repeated

Method = Callable[[Any, Any], Any]


def _own_first(own: Method | None, answer: Method) -> Method:
    def operate(self: Any, other: Any) -> Any:
        if isinstance(other, np.generic):
            return answer(self, other)
        return NotImplemented if own is None else own(self, other)

    return operate


def _as_array(name: str, swapped: bool = False) -> Method:
    def answer(self: Any, other: Any) -> Any:
        array = operators.call(np.asarray, self)
        return (
            foreign_operands.plainly(name)(other, array)
            if swapped
            else foreign_operands.plainly(name)(array, other)
        )

    return answer


def _repeating(own: Method) -> Method:
    """``t * np.int64(2)`` is Python's own repetition, and by another scalar an error."""

    def answer(self: Any, times: Any) -> Any:
        is_int = isinstance(times, np.integer)
        made = repeated(self, times, type(times).__name__, is_int)
        return own(self, int(times)) if made is NotImplemented else made

    return answer


def install(cls: type[Any]) -> None:
    """Give the class of sequences its operators beside NumPy's scalars."""
    cls.__array_ufunc__ = None
    for name in OPERATORS:
        for swapped in (False, True):
            method = f"__{'r' if swapped else ''}{name}__"
            own = class_attribute(cls, method)  # not that of its own class: `type` has an `__or__`
            repeats = name == "mul" and own is not None
            answer = _repeating(own) if repeats else _as_array(name, swapped)
            setattr(cls, method, _own_first(own, answer))
    for name in COMPARISONS:
        method = f"__{name}__"
        setattr(cls, method, _own_first(getattr(cls, method, None), _as_array(name)))
