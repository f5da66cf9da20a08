"""Calls that write into arrays that they are given: ``np.sum(x, out=y)``, ``np.add.at(x, index, 1)``.

NumPy's own function makes the call in each run, so that casts, overlaps, read-only arrays and shapes that do
not fit are its business, and its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runtime.staged.operands import Boxed, operand
from runtime.tracer.builder import Staged, emit, refuse
from runtime.tracer.spec import make_template
from runtime.types import ArrayType, ContainerType, ObjectType


def call_into(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *targets: Any
) -> None:
    """``function(*args, **kwargs)`` for what it writes into ``targets``, which are among its arguments.

    Raises StagingError where a target, or another argument, is nothing that the trace knows.
    """
    for target in targets:
        if not isinstance(target, Staged) or not isinstance(target.type, ArrayType):
            raise refuse(
                "`out` is not an array that the trace knows",
                "make it in the decorated function, or pass it as an argument",
            )
    template, leaves = make_template((_arguments(args), _arguments(kwargs)))
    written = tuple([k for k, leaf in enumerate(leaves) if any(leaf is target for target in targets)])
    emit("call_into", leaves, function=function, template=template, written=written)


def _arguments(item: Any) -> Any:
    """The same structure, with staged values, numbers and other plain things for leaves."""
    if isinstance(item, dict):
        return {key: _arguments(part) for key, part in item.items()}
    if type(item) in (list, tuple):
        return type(item)([_arguments(part) for part in item])
    if isinstance(item, Staged) and isinstance(item.type, ContainerType):
        return operand(item)
    if isinstance(item, Staged) and isinstance(item.type, ObjectType):
        raise refuse(
            f"a value of type {item.type} cannot be an operand of a staged operation",
            "convert it to a number or an array first",
        )
    return operand(item) if isinstance(item, np.ndarray | Boxed) and not isinstance(item, Staged) else item


def given_outputs(out: Any) -> Iterator[Any]:
    """The arrays of an ``out`` argument: an array, or a tuple of arrays and None."""
    yield from [part for part in (out if isinstance(out, tuple) else (out,)) if part is not None]
