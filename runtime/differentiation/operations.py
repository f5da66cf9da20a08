"""The programs of single operations on Tensors, as tapes outside of decorated functions record them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.errors import StagingError
from autograph.operators import call
from runtime.functions.functions import Function
from runtime.functions.programs import Program
from runtime.tracer.known_items import with_known_items


class _Applied:
    """One operation as a function of its arrays and numbers."""

    def __init__(self, function: Any, template: Any) -> None:
        self.function = function
        self.template = template
        self.__name__ = getattr(function, "__name__", "operation")

    def __call__(self, *leaves: Any) -> Any:
        args, kwargs = self.template.fill(leaves)
        return with_known_items(call(self.function, *args, **kwargs))

    def __runtime_traced__(self, *leaves: Any) -> Any:
        return self(*leaves)


#: what was called with which structure of arguments -> the function that is traced for them
_functions: dict[Any, Function[Any, Any]] = {}
_MOST_FUNCTIONS = 4096


def program_of_call(
    function: Any, template: Any, leaves: Sequence[Any], results: int
) -> tuple[Program, list[int]]:
    """The program of one operation, and which of the leaves it takes."""
    key: Any = (function, template)
    try:
        known = _functions.get(key)
    except TypeError:  # the function has no hash
        key, known = None, None
    if known is None:
        known = Function(_Applied(function, template), engine="numpy", max_traces=None)
        known._retracing.silence()
        if key is not None and len(_functions) < _MOST_FUNCTIONS:
            _functions[key] = known
    concrete = known.get_concrete_function(*leaves)
    if len(concrete.graph.results) != results:
        raise StagingError(
            f"what `{known.name}` gives has no derivative on a tape",
            hint="do this in a decorated function that is called while the tape records",
        )
    return concrete.program, concrete.positions
