"""``check_numerics``: decorated functions say where a NaN or an infinity comes from.

>>> import runtime as rt
>>> @rt.function
... def halve(x):
...     return x / (x - x)
>>> with check_numerics():
...     halve(2.0)
Traceback (most recent call last):
ZeroDivisionError: float division by zero
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from runtime.engines.numerics import NumericsError as NumericsError
from runtime.functions import modes


class check_numerics:  # called as a function is
    """From now on decorated functions raise NumericsError at the first NaN or infinity; False: no longer.

    The error names the operation, the values and the line that made it out of finite values. As a context
    manager it puts back what was before:

        with rt.debugging.check_numerics():
            train(x, y)

    All threads are meant. A function runs on the numpy engine for that time, whatever engine it has, as it
    was traced and with each operation looked at: many times slower. Functions that are not decorated,
    or run eagerly, are not looked at. What was not finite before (an argument, `np.inf` in the program) is no
    error, nor is what is computed of it.
    """

    def __init__(self, on: bool = True) -> None:
        self._before = modes.check_numerics.is_on
        modes.check_numerics.turn(bool(on))

    def __enter__(self) -> check_numerics:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        modes.check_numerics.turn(self._before)


def __dir__() -> list[Any]:
    return ["NumericsError", "check_numerics"]
