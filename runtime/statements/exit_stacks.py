"""`contextlib.ExitStack` in a trace: each manager that is entered is a `with` of its own, one in the other.

    with ExitStack() as stack:
        a = stack.enter_context(first)          with first as a, second as b:
        b = stack.enter_context(second)             ...
        ...

So a manager is entered where the stack's own block runs, and not under a staged condition or in a staged
loop: there only a run knows which have been.
"""

from __future__ import annotations

import contextlib
import warnings
from typing import TYPE_CHECKING, Any, NoReturn

from autograph.operators import call
from runtime.staged.value_classes import STANDING_FOR
from runtime.statements.contexts import StagedContext
from runtime.tracer.call_handlers import handles

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


class TracedExitStack:
    """Stands for an ExitStack, and for the context of its `with`."""

    stands_for = "an ExitStack"

    __runtime_traced_methods__ = True  # its methods are ours, and run as they are

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._contexts: list[StagedContext] = []
        self._block: Any = None  # that managers are entered in

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # `isinstance` sees what it stands for
        return contextlib.ExitStack

    def __enter__(self) -> TracedExitStack:
        self._block = self._trace.block
        self._trace.exit_stacks.append(self)
        return self

    def enter_context(self, cm: Any) -> Any:
        _require_protocol(type(cm))
        return self._entered(StagedContext, cm)

    def push(self, exit: Any) -> Any:
        has_exit = getattr(type(exit), "__exit__", None) is not None
        self._entered(_Pushed if has_exit else _Called, exit)
        return exit

    def callback(self, callback: Any, /, *args: Any, **kwds: Any) -> Any:
        self._entered(_Callback, (callback, args, kwds))
        return callback

    def close(self) -> None:
        self._require_own_block("closed")
        self._leave(None, None, None)
        self._block = self._trace.block

    def pop_all(self) -> Any:
        raise self._trace.refuse(
            "the managers of an ExitStack are handed on to another one, which may be left anywhere",
            "enter them in the stack that leaves them",
        )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'ExitStack' object has no attribute '{name}'")

    def _entered(self, kind: type[StagedContext], manager: Any) -> Any:
        self._require_own_block("given a manager")
        context = kind(self._trace, manager)
        entered = context.__enter__()
        self._contexts.append(context)
        before, now = self._block, self._trace.block
        stacks = self._trace.exit_stacks
        for stack in stacks[stacks.index(self) :]:  # those that are left before this one
            if stack._block is before:
                stack._block = now
        return entered

    def _require_own_block(self, what: str) -> None:
        if self._block is not self._trace.block:
            raise self._trace.refuse(
                f"an ExitStack is {what} outside of the block of its own `with`, "
                "under a staged condition or in a staged loop",
                "enter the managers in the block of the `with` itself",
            )

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        try:
            return self._leave(kind, error, traceback)
        finally:
            self._trace.exit_stacks.remove(self)
            self._block = None

    def _leave(self, kind: Any, error: Any, traceback: Any) -> bool:
        given = error
        while self._contexts:
            context = self._contexts.pop()
            try:
                if context.__exit__(kind, error, traceback):
                    kind = error = traceback = None
            except BaseException as raised:  # noqa: BLE001  what the exits further out are to see
                kind, error, traceback = type(raised), raised, raised.__traceback__
        if error is not given and error is not None:
            raise error
        return given is not None and error is None


STANDING_FOR[TracedExitStack] = contextlib.ExitStack


class _Pushed(StagedContext):
    """Of a manager that counts as entered."""

    def enter(self) -> None:
        self._check()


class _Called(StagedContext):
    """Of a function that is called on leaving, with the exception or with None."""

    def enter(self) -> None:
        """There is nothing to enter."""

    def _sees_exceptions(self) -> bool:
        return True

    def _run(self, name: str, *args: Any) -> Any:
        return call(self.manager, *args)


class _Callback(_Called):
    """Of one that is called with arguments of its own, and sees no exception."""

    def _run(self, name: str, *args: Any) -> Any:
        function, given, named = self.manager
        call(function, *given, **named)


def _require_protocol(cls: type) -> None:
    if not (hasattr(cls, "__enter__") and hasattr(cls, "__exit__")):
        name = f"{cls.__module__}.{cls.__qualname__}"
        raise TypeError(f"'{name}' object does not support the context manager protocol")


@handles(contextlib.ExitStack)
def exit_stack(trace: Trace) -> TracedExitStack:
    return TracedExitStack(trace)


@handles(warnings.catch_warnings)
def catch_warnings(trace: Trace, *args: Any, **kwargs: Any) -> NoReturn:
    raise trace.refuse(
        "`warnings.catch_warnings` changes what is warned of, and would do so only while tracing",
        "put the `with` statement around the call of the decorated function",
    )
