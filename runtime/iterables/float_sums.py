"""`sum` as Python has it from 3.12 on: of floats, what rounding loses is kept.

As long as the sum is a float, the error of each addition (Knuth's two-sum, which is what CPython's Neumaier
sum computes, too) is added up beside it. It is added at the end, or before something that is no plain number.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from autograph.operators import if_exp, plus
from runtime.control_flow.choices import dispatch
from runtime.staged.numbers import StagedNumber
from runtime.tracer.spec import Choice

#: the sum so far, and what was lost of it
Total: TypeAlias = "tuple[Any, Any]"


def kind(value: Any) -> str:
    """Which of Python's own numbers it is; empty for all else."""
    if isinstance(value, StagedNumber):
        return value.kind
    return type(value).__name__ if type(value) in (bool, int, float, complex) else ""


def added(total: Total, item: Any) -> Total:
    """With one more item."""
    found, lost = total
    if isinstance(found, Choice):
        return dispatch(found, lambda one: added((one, lost), item))
    if isinstance(item, Choice):
        return dispatch(item, lambda one: added(total, one))
    if kind(found) != "float":
        return plus(found, item), lost
    if kind(item) == "float":
        whole = found + item
        part = whole - found
        return whole, lost + ((found - (whole - part)) + (item - part))
    if kind(item) in ("int", "bool"):
        return plus(found, item), lost
    return plus(finished(total), item), 0.0


def finished(total: Total) -> Any:
    """The sum, with what was lost where that is a number."""
    found, lost = total
    if isinstance(found, Choice):
        return dispatch(found, lambda one: finished((one, lost)))
    if kind(found) != "float":
        return found
    with_lost = lambda: if_exp(lost - lost == 0.0, lambda: found + lost, lambda: found)
    return if_exp(lost != 0.0, with_lost, lambda: found)
