"""`tqdm` in a decorated function: each run shows a bar of its own.

    for i in tqdm(range(n), desc="steps"):
        x = step(x)

The loop goes over the items themselves, by a generator that is converted as those for itertools are
(`calls/itertools_calls.py`); the bar is an object of the run, which closes it when it ends.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from autograph.operators import call
from runtime.calls.run_time_calls import call_in_run
from runtime.iterables.generators import made_of
from runtime.tracer.call_handlers import handles
from runtime.tracer.trace import Trace
from runtime.types import ObjectType

_MODULES = frozenset({"tqdm.std", "tqdm.asyncio", "tqdm.auto", "tqdm.autonotebook", "tqdm.notebook"})
_RANGES = frozenset({"trange", "tarange", "tnrange"})


def makes_bar(function: Any) -> bool:
    """Is it one of tqdm's classes, or one of its short forms for a range?"""
    if getattr(function, "__module__", None) not in _MODULES:
        return False
    return isinstance(function, type) or getattr(function, "__name__", None) in _RANGES


def begin(make: Any, total: Any, options: Mapping[str, Any]) -> Any:
    """The bar of a run: tqdm over nothing yet."""
    return _class(make)(total=total, **options)


def _class(make: Any) -> Any:
    return make if isinstance(make, type) else sys.modules[make.__module__].tqdm


def advance(bar: Any) -> None:
    bar.update(1)


def close(bar: Any) -> None:
    bar.close()


def shown(make: Any, iterable: Any, total: Any, options: Mapping[str, Any]) -> Iterator[Any]:
    bar = begin(make, total, options)
    for item in iterable:
        yield item
        advance(bar)
    close(bar)


@handles(begin)
def _begin(trace: Trace, make: Any, *given: Any) -> Any:
    return call_in_run(trace, begin, (make, *given), {}, (ObjectType(_class(make).__name__),))


@handles(advance)
def _advance(trace: Trace, bar: Any) -> None:
    call_in_run(trace, advance, (bar,), {}, ())


@handles(close)
def _close(trace: Trace, bar: Any) -> None:
    call_in_run(trace, close, (bar,), {}, ())


def stage_bar(trace: Trace, make: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A bar over what it is given; NotImplemented for one that the program moves itself."""
    if not isinstance(make, type):
        args = (call(range, *args),)
    if len(args) != 1 or "iterable" in kwargs:
        return NotImplemented
    total = kwargs.pop("total", None)
    if total is None:
        try:
            total = call(len, args[0])
        except TypeError:  # a generator
            pass
    given = make, args[0], total, kwargs
    return made_of(trace, shown, shown(*given), given, {})
