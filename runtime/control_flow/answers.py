"""What Python makes of the answer of a special method: ``len(x)`` is an int that is not negative.

A staged answer has to be of a type that Python takes. A plain one is given to Python's own function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators import call
from runtime.tracer.builder import Staged
from runtime.tracer.trace import require_trace

#: by the method what Python makes of its answer, and which types it takes; all others give texts
_TAKEN: dict[str, tuple[type, tuple[str, ...]]] = {
    "__bool__": (bool, ("bool",)),
    "__len__": (int, ("int", "i64")),
    "__int__": (int, ("int",)),
    "__index__": (int, ("int",)),
    "__float__": (float, ("float", "f64")),
    "__complex__": (complex, ("complex", "c128")),
}


def checked_answer(owner: Any, answer: Any, name: str, function: Callable[[Any], Any]) -> Any:
    """``function(owner)``, where ``owner`` has the method ``name``, which gave ``answer``."""
    cls = type(owner)
    if not isinstance(answer, Staged):
        asked = type(cls.__name__, (), {name: lambda self, *spec: answer, "__module__": cls.__module__})
        return function(asked())
    made, taken = _TAKEN.get(name, (str, ("str",)))
    if str(answer.type) not in taken:
        raise require_trace().refuse(
            f"`{cls.__name__}.{name}` gives a staged {answer.type}, and Python asks for another type",
            f"return {made.__name__}(...)",
        )
    if name == "__len__":
        call(require_trace().environment.enter(_check_length, None), answer)
    return call(bool if function is bool else made, answer)


def _check_length(length: Any) -> None:
    if length < 0:
        raise ValueError("__len__() should return >= 0")
