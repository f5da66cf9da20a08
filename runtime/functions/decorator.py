"""``@function``: a Python function that traces, compiles and runs itself.

>>> @function
... def clip(x, low):
...     if x < low:
...         return low
...     return x
>>> clip(-3.0, 0.0), clip(5.0, 0.0), clip.trace_count
(0.0, 5.0, 1)

On ``async def``, what it computes is a graph, as long as nothing must be waited for. The coroutine of a call
traces, compiles and runs when it is awaited. It may await other coroutines of the user's that compute; one
that really suspends is refused where it does.

>>> import asyncio, runtime as rt
>>> @rt.function
... async def double(x): return x * 2
>>> asyncio.run(double(21))
42"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Unpack, cast, overload

from runtime import arguments
from runtime.functions import dispatch, native_entries
from runtime.functions.functions import MAX_TRACES, Function
from runtime.objects import entered

if TYPE_CHECKING:
    from runtime.functions.decorator_types import Holder, Options, P, R


@entered.with_entries
class _Now(entered.Entered):
    """What the coroutine of an AsyncFunction calls: machine code takes these calls."""

    __slots__ = ("function",)

    function: weakref.ref[Function[..., Any]]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return Function.__call__(cast("Function[..., Any]", self.function()), *args, **kwargs)


class AsyncFunction(Function):
    """A compiled function whose calls are to be awaited."""

    __slots__ = ("_now",)

    def __init__(self, python_function: Any, **options: Any) -> None:
        super().__init__(python_function, **options)
        self._now = _Now()
        self._now.function = weakref.ref(self)
        mark = getattr(inspect, "markcoroutinefunction", None)  # from Python 3.12 on
        if mark is not None:
            mark(self)

    def make_again(self) -> tuple[Any, tuple[Any, ...]]:
        return functools.partial(made_again, **self._options()), (self.python_function,)

    async def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        made = self._now(*args, **kwargs)
        return await made if type(made) is types.CoroutineType else made

    def _entered(self) -> Any:
        return self._now if entered.can_be_entered(self._now) else None

    def _enter(self, made: tuple[dispatch.Made, ...]) -> None:
        native_entries.enter(self._now, made, _Now.__call__, self.python_function)


def made_again(python_function: Any, **options: Any) -> AsyncFunction:
    """By name, for pickles, as for `Function`."""
    return AsyncFunction(python_function, **options)


class Decorator(Protocol):
    """What ``function`` with options in parentheses returns."""

    @overload
    def __call__(self, python_function: Holder, /) -> Holder: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, python_function: Callable[P, R], /) -> Function[P, R]: ...


@overload
def function(  # type: ignore[overload-overlap]
    python_function: Holder, **options: Unpack[Options]
) -> Holder: ...
@overload
def function(python_function: Callable[P, R], **options: Unpack[Options]) -> Function[P, R]: ...
@overload
def function(python_function: None = None, **options: Unpack[Options]) -> Decorator: ...
def function(
    python_function: Any = None,
    *,
    engine: str = "auto",
    input_signature: Sequence[Any] | None = None,
    reduce_retracing: bool = False,
    check: str | None = None,
    fallback: str | None = None,
    max_traces: int | None = MAX_TRACES,
    name: str | None = None,
    slow_notice: bool = True,
    cache: bool | None = None,
    **unknown: Any,
) -> Any:
    """Make a function trace, compile and run itself. A decorator, with or without options.

    engine: "auto" (machine code where possible), "native", "exact" (machine code that leaves sums and
        products to NumPy, for its very bits), or "numpy" (the reference interpreter).
    input_signature: one TensorSpec (or a structure of them) per argument; then there is one trace, for all
        arguments that fit it.
    reduce_retracing: lengths of arrays that keep changing are left open from the third on.
    check: "first" runs the plain function beside the compiled one at the first call of each trace, "always"
        at each call; a difference raises CheckError. The function's effects happen once.
    fallback: "python" runs the plain function where staging is refused, and warns once.
    max_traces: so many traces are kept (128 where nothing is said, None for all); those go that were not
        used for the longest time, and are made again when they are needed.
    slow_notice: a trace or a compilation of more than two seconds says once on stderr what it is at.
    cache: True keeps machine code on disk, in the folder that AUTOGRAPH_CACHE_DIR names or in
        ~/.cache/autograph, so that other processes need not compile it. Where nothing is said, code is kept
        if that variable is set.

    Raises SourceNotFoundError where the function's text cannot be found.

    >>> @function(check="first")
    ... def double(x):
    ...     return 2 * x
    >>> double(4)
    8
    """
    options: dict[str, Any] = {
        "engine": engine, "input_signature": input_signature, "reduce_retracing": reduce_retracing,
        "check": check, "fallback": fallback, "max_traces": max_traces, "name": name,
        "slow_notice": slow_notice, "cache": cache,
    }  # fmt: skip
    for name in unknown:
        raise arguments.unknown_option(name, list(options))
    if python_function is None:
        return functools.partial(function, **options)
    if isinstance(python_function, Function):
        return python_function
    made: Any = functools.partial(function, **options)
    if isinstance(python_function, staticmethod | classmethod):
        return type(python_function)(made(python_function.__func__))
    if isinstance(python_function, property):
        parts = (python_function.fget, python_function.fset, python_function.fdel)
        kind: Any = type(python_function)
        return kind(*[part and made(part) for part in parts], doc=python_function.__doc__)
    if inspect.iscoroutinefunction(python_function):
        return AsyncFunction(python_function, **options)
    return Function(python_function, **options)
