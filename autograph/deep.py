"""Room for deeply nested programs: work that ran out of stack is done again on a large one.

>>> def depth(n): return 0 if n == 0 else 1 + depth(n - 1)
>>> with_room(depth, 20_000)
20000

* **Room** (`deep.py`): trees are as deep as programs. `with_room(work)` does work that ran out
  of stack once more in a thread with a large one; every entry that walks trees goes through it
  (`parse_text`, conversion, `to_code`, the command line).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from autograph.errors import ConversionError
from autograph.locks import new_lock

P = ParamSpec("P")
R = TypeVar("R")

_STACK_BYTES = 512 * 1024 * 1024  # reserved, not used: the system gives pages when they are touched
_FRAMES = 50_000  # CPython itself, which recurses in C, allows itself three times as many
_one_at_a_time = new_lock()
_here = threading.local()


def with_room(work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """`work(*args)`; where that exceeds the recursion limit, once more in a thread with a large stack.

    `work` must be repeatable. The trees of programs are as deep as the programs, and a function may be
    converted at a moment when its caller has used up most of the stack.
    """
    if getattr(_here, "is_large", False):
        return work(*args, **kwargs)
    try:
        return work(*args, **kwargs)
    except RecursionError:
        pass
    with _one_at_a_time:
        try:
            return _in_large_thread(lambda: work(*args, **kwargs))
        except RecursionError:
            raise too_deep() from None


def too_deep() -> ConversionError:
    """The error for a program that no stack is large enough for."""
    return ConversionError(
        "the code is nested too deeply to be converted",
        hint="give parts of the expression, or of the statements, names of their own",
    )


def _in_large_thread(work: Callable[[], R]) -> R:
    results: list[Any] = []
    failures: list[BaseException] = []

    def run() -> None:
        _here.is_large = True
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001  # raised again where the work was asked for
            failures.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(max(limit, _FRAMES))
    try:
        thread = threading.Thread(target=run, name="autograph conversion")
        try:
            thread.start()
        except RuntimeError:  # there is no room for such a stack
            raise RecursionError from None
        finally:
            threading.stack_size(size)
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
    if failures:
        raise failures[0]
    result: R = results[0]
    return result
