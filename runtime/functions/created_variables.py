"""Variables that a function makes: on the call that first needs them, not on each.

    @rt.function                          @rt.function
    def f(x):                             def f(x):
        total = rt.Variable(0.0)              global total
        total.assign_add(x)                   if total is None:
        return total.value                        total = rt.Variable(0.0)
                                              ...
    f(1.0); f(2.0)      # refused         f(1.0); f(2.0)      # made by the first call

A call that makes some has to leave the world such that the next one makes no more: the guards of its trace
hold no longer. Where they still do, what the variables held is lost with the call, and the next is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.errors import StagingError
from runtime.engines.tracebacks import located
from runtime.graph import Location


class CreatedVariables:
    """What one trace makes: where, and whether a call of it has shown that the next would make them again."""

    def __init__(self, places: Sequence[Location]) -> None:
        self.places = places
        self.again = False

    def run(self, run: Callable[[Any], Any], check: Callable[[Any], Any], leaves: Any) -> Any:
        """A call of the trace. Raises StagingError for one after a call that left nothing behind."""
        if self.again:
            raise self.refusal()
        result = run(leaves)
        self.again = bool(check(leaves))
        return result

    def refusal(self) -> StagingError:
        """The error (not raised) for a later call that makes variables once more."""
        error = StagingError(
            "a variable is made here by each call, so that what it held is lost with the call before",
            hint="create it outside and pass it in; or keep it in an object or a global, and make it under "
            "`if self.v is None:`; or make it an attribute of an rt.Module, in its `__init__`",
        )
        return located(error, self.places[0])
