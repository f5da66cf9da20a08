"""What may be assigned to a variable: a value of its shape, of a kind of number that it can hold.

>>> check_kind("assign of `k`", np.dtype("int8"), np.dtype("int64"), is_python=True)
>>> check_shape("assign of `w`", (2,), ())
Traceback (most recent call last):
ValueError: assign of `w`: the value has shape (), and a variable never changes its shape; `v[...] = value` \
broadcasts
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.config import include

include(__name__)

#: the kinds of dtypes, each of which holds those before it
_KINDS = ("b", "iu", "f", "c")


def check_shape(what: str, own: tuple[Any, ...], given: tuple[Any, ...]) -> None:
    """Raises ValueError for a value of another shape."""
    if own != given:
        hint = "; `v[...] = value` broadcasts" if len(given) < len(own) else ""
        raise ValueError(f"{what}: the value has shape {given}, and a variable never changes its shape{hint}")


def check_kind(what: str, own: Any, given: Any, is_python: bool) -> None:
    """Raises TypeError for numbers that a variable of dtype ``own`` cannot hold.

    ``is_python``: Python's numbers, alone or in lists. They fit into any dtype of their kind, or overflow.
    """
    fits = rank(given) <= rank(own) if is_python else np.can_cast(given, own, "same_kind")
    if not fits:
        raise TypeError(
            f"{what}: the value has dtype {given}; write value.astype({str(own)!r}) if this is meant"
        )


def rank(dtype: Any) -> int:
    """The place of a dtype's kind among those of numbers; objects and texts come last.

    >>> rank(np.dtype("uint8")) < rank(np.dtype("float32")) < rank(np.dtype(object))
    True
    """
    return next((place for place, kinds in enumerate(_KINDS) if dtype.kind in kinds), len(_KINDS))
