"""Managers that `contextlib.contextmanager` makes of generator functions, in a trace.

    @contextmanager
    def scaled(x, k):
        yield x * k
        print("done")

    with scaled(x, 2) as y: ...

The generator is turned inside out where it is entered (`stage/with_statements.py`): its code runs as an
ordinary function, and where it yields, the block does.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any, NoReturn

from runtime.staged.needed_now import STANDING_FOR
from runtime.tracer.trace import Trace, require_trace

#: what `contextmanager` makes of any function
_HELPER = contextlib.contextmanager(lambda: iter(())).__code__


def makes_context(function: Any) -> bool:
    """Is it what `contextlib.contextmanager` made of a generator function?"""
    plain = getattr(function, "__func__", function)
    return isinstance(plain, types.FunctionType) and plain.__code__ is _HELPER


def context_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> GeneratorContext:
    """What stands for the manager that ``function(*args, **kwargs)`` gives."""
    if isinstance(function, types.MethodType):
        args = (function.__self__, *args)
    return GeneratorContext(function.__wrapped__, args, kwargs)


class GeneratorContext(contextlib.ContextDecorator):
    """Stands for a manager that advances ``function(*args, **kwargs)``, a generator of the user's."""

    stands_for = "a context manager"

    __runtime_traced_methods__ = True  # its methods are ours, and run as they are

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.name = function.__qualname__
        self.function, self.args, self.kwargs = function, args, kwargs

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return contextlib._GeneratorContextManager

    def _recreate_cm(self) -> NoReturn:
        """Asked of a manager that decorates a function."""
        raise refuse_manager(require_trace(), self.function)


def refuse_manager(trace: Trace, function: Any) -> Exception:
    """The error for a manager of a generator function that was made before, or for many calls."""
    name = function.__qualname__
    return trace.refuse(
        f"the manager that `{name}` gives was made outside, or decorates a function: it is entered only once",
        f"write `with {name}(...):` where it is to be entered",
        name,
    )


STANDING_FOR[GeneratorContext] = contextlib._GeneratorContextManager
