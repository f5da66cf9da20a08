"""`assert` and `raise` where a stage may want to record rather than perform them.

>>> assert_stmt(2 > 1)
>>> raise_stmt(ValueError("no"))
Traceback (most recent call last):
ValueError: no
"""

from __future__ import annotations

from typing import Any

from autograph.staging import NOTHING, Thunk, active_stage, claiming, claiming_any


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
