"""Managers that `contextlib.contextmanager` makes of generator functions, in a trace.

    @contextmanager
    def scaled(x, k):
        yield x * k
        print("done")

    with scaled(x, 2) as y: ...

The generator is advanced as Python advances it, once on entering and once on leaving, and what it does on the
way becomes part of the graph. It stands still in between, so it cannot be left in two ways, as a block that
may raise at run time would have it: where the `yield` stands in a `try` or `with`, such a block is refused.
"""

from __future__ import annotations

import contextlib
import dis
import itertools
import types
from typing import Any, NoReturn

from autograph import tracebacks
from autograph.errors import AutographError
from autograph.operators import call
from runtime.iteration.iterators import TracedIterator
from runtime.staged.value_classes import STANDING_FOR
from runtime.tracer.trace import Trace, require_trace


@contextlib.contextmanager
def _example() -> Any:
    yield


_HELPER = _example.__code__


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
        self.generator = call(function, *args, **kwargs)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return contextlib._GeneratorContextManager

    def _recreate_cm(self) -> NoReturn:
        """Asked of a manager that decorates a function."""
        raise refuse_manager(require_trace(), self.function)

    def __enter__(self) -> Any:
        try:
            return next(self.generator)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        if isinstance(error, AutographError):
            return False
        if kind is None:
            try:
                next(self.generator)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.generator.throw(error)
        except StopIteration as stop:
            return stop is not error
        except BaseException as raised:
            wrapped = isinstance(error, StopIteration) and raised.__cause__ is error
            if raised is not error and not (isinstance(raised, RuntimeError) and wrapped):
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")

    def sees_exceptions(self) -> bool:
        """Does the `yield` where the generator stands now stand in a `try` or a `with`?"""
        generator = self.generator
        while isinstance(generator, TracedIterator):
            generator = generator._inner
        frame = getattr(generator, "gi_frame", None)
        if frame is None:
            return True
        return any(
            entry.start <= frame.f_lasti < entry.end and not is_put_around(frame.f_code, entry.target)
            for entry in dis.Bytecode(frame.f_code).exception_entries  # type: ignore[attr-defined]
        )


def refuse_manager(trace: Trace, function: Any) -> Exception:
    """The error for a manager of a generator function that was made before, or for many calls."""
    name = function.__qualname__
    return trace.refuse(
        f"the manager that `{name}` gives was made outside, or decorates a function: it is entered only once",
        f"write `with {name}(...):` where it is to be entered",
        name,
    )


STANDING_FOR[GeneratorContext] = contextlib._GeneratorContextManager


def is_put_around(code: types.CodeType, handler: int) -> bool:
    """Is it the handler that Python or the conversion puts around the whole of a generator function?"""
    begin = itertools.islice((one for one in dis.get_instructions(code) if one.offset >= handler), 4)
    return any(one.opname == "CALL_INTRINSIC_1" or one.argval is tracebacks for one in begin)
