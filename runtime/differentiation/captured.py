"""Arrays with respect to which a derivative is taken, and which the function finds by itself: a global, an
attribute, an item of a dict.

A trace knows arrays by where it found them. Which of them is the array that is meant, the trace sees at the
call that it is made for; guards say that it is so at each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.arguments import wrong_argument
from runtime.guards.paths import Guard, Names, Path
from runtime.guards.questions import IsThis
from runtime.tracer.trace import Trace


def found_as(trace: Trace, array: np.ndarray[Any, Any], kind: str, name: str) -> list[Any]:
    """The staged values that stand for an array in this trace, one for each place where it was found."""
    found: dict[Any, Any] = {}
    for path, staged, there in trace.outside.arrays:
        if there is array:
            _guard(trace, path, IsThis(array), "the array that a derivative is taken of")
            found[staged.value] = staged
        elif np.may_share_memory(there, array):
            raise wrong_argument(
                f"rt.{kind}: `{path}` shares memory with `{name}`, but is another array",
                f"give the array itself in `wrt`: wrt={path}",
                "wrt",
            )
        else:
            _guard(trace, path, _apart(array), "apart from the array that a derivative is taken of")
    if not found:
        raise wrong_argument(
            f"rt.{kind}: the function does not read the array `{name}`",
            "give the array that it reads, not a copy or a view; pass others as arguments, and use argnums",
            "wrt",
        )
    return list(found.values())


def _guard(trace: Trace, path: Path, condition: Any, expected: str) -> None:
    trace.outside.guards.append(Guard(path, condition, expected, routine=True))


def _apart(array: np.ndarray[Any, Any]) -> Any:
    def condition(source: str, names: Names) -> str:
        return f"not {names.of(np.may_share_memory)}({source}, {names.of(array)})"

    return condition
