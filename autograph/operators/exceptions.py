"""`try`, `with`, `assert` and `raise` where a stage may want to record rather than perform them.

>>> assert_stmt(2 > 1)
>>> raise_stmt(ValueError("no"))
Traceback (most recent call last):
ValueError: no
>>> from contextlib import nullcontext
>>> with context(nullcontext(3)) as three:
...     three
3
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from autograph.errors import StagingError
from autograph.operators.control_flow import Get, Set, no_state
from autograph.registry import active_stage, claiming, claiming_any
from autograph.staging import NOTHING, Handler, State, Thunk
from autograph.tracebacks import hide_frames, undo_bare_raise


def assert_stmt(test: Any, message: Thunk | None = None) -> None:
    """`assert test, message()`.

    >>> assert_stmt([], lambda: "empty")
    Traceback (most recent call last):
    AssertionError: empty
    """
    if test is True:
        return
    stage = active_stage() or claiming(test)
    if stage is not None and stage.assert_stmt(test, message) is not NotImplemented:
        return
    if not test:
        raise AssertionError if message is None else AssertionError(message())


def raise_stmt(exception: Any = NOTHING, cause: Any = NOTHING) -> None:
    """`raise exception from cause`; without a cause `raise exception`, without both a bare `raise`.

    >>> raise_stmt(KeyError("k"), None)
    Traceback (most recent call last):
    KeyError: 'k'
    """
    stage = active_stage() or claiming_any((exception, cause))
    if stage is not None and stage.raise_stmt(exception, cause) is not NotImplemented:
        return
    if exception is NOTHING:
        raise  # the exception that the caller is handling
    if cause is NOTHING:
        raise exception
    raise exception from cause


def try_stmt(
    body: Thunk,
    handlers: tuple[tuple[Thunk | None, Callable[[BaseException], None]], ...],
    orelse: Thunk | None = None,
    finalbody: Thunk | None = None,
    get_state: Get = no_state,
    set_state: Set = no_state,
    names: tuple[str, ...] = (),
    *,
    as_python: bool = False,
) -> None:
    """`try: body()` with its handlers: pairs of a thunk for what is caught (None for all) and a function.

    `as_python`: no stage is asked, for stages that put a body or handlers of their own in the user's place.

    >>> try_stmt(lambda: {}["k"], ((lambda: KeyError, lambda error: print("no key", error)),))
    no key 'k'
    """
    stage = None if as_python else active_stage()
    if stage is not None:
        clauses = tuple(Handler(types, run) for types, run in handlers)
        state = State(names, get_state, set_state)
        if stage.try_stmt(body, clauses, orelse, finalbody, state) is not NotImplemented:
            return
    raises = True
    try:  # no part in a function of its own: recursive functions stand in a `try` too
        try:
            body()
        except BaseException as error:
            hide_frames()  # handlers, and `finally`, see the traceback that they would see without us
            if not handlers or _is_refusal(error) or not _handle(error, handlers):
                raise
            raises = False
            return
        if orelse is not None:
            orelse()
        raises = False
    finally:
        if finalbody is not None:
            if raises:
                hide_frames()
            finalbody()


def _is_refusal(error: BaseException) -> bool:
    """Is it no exception of the program's, but what a stage says of it?"""
    return isinstance(error, StagingError) and active_stage() is not None


def _handle(
    error: BaseException, handlers: tuple[tuple[Thunk | None, Callable[[BaseException], None]], ...]
) -> bool:
    """Run the first handler that catches the exception that is being handled."""
    for types, run in handlers:
        if types is None or _matches(type(error), types()):
            before = error.__traceback__
            try:
                run(error)
            except BaseException as raised:
                if raised is error:
                    undo_bare_raise(error, before)
                raise
            finally:
                del before, error  # this frame may be kept, by that of a handler which raises
            return True
    return False


def _matches(kind: type[BaseException], types: Any) -> bool:
    """Python's own test: by the classes an exception's class was made from, with no hook asked."""
    wanted = classes_to_catch(types)
    return any(base is each for base in kind.__mro__ for each in wanted)


def classes_to_catch(types: Any) -> tuple[type[BaseException], ...]:
    """What `except types` catches. Raises Python's TypeError where one is no class of exceptions.

    >>> classes_to_catch((KeyError, (TypeError, IndexError)))
    Traceback (most recent call last):
    TypeError: catching classes that do not inherit from BaseException is not allowed
    """
    wanted = types if isinstance(types, tuple) else (types,)
    for each in wanted:  # all of them, before one may match
        if not (isinstance(each, type) and BaseException in each.__mro__):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    return wanted


def python_try(reason: str) -> Any:
    """Around each part of a `try` that stays Python's: a stage sees what its handlers would act on.

    >>> with python_try("the function is suspended in it"):
    ...     1 + 1
    2
    """
    stage = active_stage()
    return _NOTHING if stage is None else stage.python_try(reason)


_NOTHING = contextlib.nullcontext()


def context(manager: Any) -> Any:
    """`manager`, or what an active stage puts in its place."""
    stage = active_stage()
    return manager if stage is None else stage.context(manager)


def with_stmt(
    manager: Any,
    body: Callable[[Any], None],
    swallowed: Thunk,
    orelse: Thunk | None = None,
    get_state: Get = no_state,
    set_state: Set = no_state,
    names: tuple[str, ...] = (),
) -> None:
    """`with manager as entered: body(entered)`; then `swallowed()` where the exit took an exception.

    >>> from contextlib import suppress
    >>> with_stmt(suppress(KeyError), lambda entered: {}["k"], lambda: print("swallowed"))
    swallowed
    """
    stage = active_stage()
    if stage is not None:
        taken = stage.with_stmt(
            manager,
            body,
            swallowed,
            orelse,
            State(names, get_state, set_state),
        )
        if taken is not NotImplemented:
            return
    ended = False
    with manager as entered:
        body(entered)
        ended = True
    if not ended:
        swallowed()
    elif orelse is not None:
        orelse()
