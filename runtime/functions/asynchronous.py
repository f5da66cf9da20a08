"""``@rt.function`` on ``async def``: what it computes is a graph, as long as nothing must be waited for.

The coroutine of a call traces, compiles and runs when it is awaited. It may await other coroutines of the
user's that compute; one that really suspends is refused where it does.

>>> import asyncio, runtime as rt
>>> @rt.function
... async def double(x): return x * 2
>>> asyncio.run(double(21))
42
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

from runtime.functions.functions import Function


class AsyncFunction(Function):
    """A compiled function whose calls are to be awaited."""

    def __init__(self, python_function: Any, **options: Any) -> None:
        super().__init__(python_function, **options)
        mark = getattr(inspect, "markcoroutinefunction", None)  # from Python 3.12 on
        if mark is not None:
            mark(self)

    def make_again(self) -> tuple[Any, tuple[Any, ...]]:
        return functools.partial(made_again, **self._options()), (self.python_function,)

    async def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        return await made if inspect.iscoroutine(made) else made


def made_again(python_function: Any, **options: Any) -> AsyncFunction:
    """By name, for pickles, as for `Function`."""
    return AsyncFunction(python_function, **options)
