"""The parts of one large operation, over the processor's cores.

NumPy and the library of linear algebra let other threads run while they compute. The parts are the same
however many threads there are, so that the results are, too.

>>> squares = {}
>>> share(lambda parts: squares.update((n, n * n) for n in parts), [1, 2, 3])
>>> sorted(squares.items())
[(1, 1), (2, 4), (3, 9)]
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

Part = TypeVar("Part")


def cores() -> int:
    """How many threads may work: the cores that this process may use, or what the user says."""
    said = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or ""
    if said.isdecimal() and int(said):
        return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


#: at most so many threads in one operation
limit = cores()

#: the threads beside the one that asks; None until a large operation runs
_helpers: ThreadPoolExecutor | None = None


def share(work: Callable[[Iterator[Any]], None], parts: Sequence[Any]) -> None:
    """Call ``work`` in each thread, with an iterator over those of the parts that this thread takes."""
    left = iter(parts)
    wanted = min(limit, len(parts)) - 1
    asked = [task for _ in range(wanted) if (task := _ask(work, left)) is not None]
    try:
        work(left)
    finally:
        for task in asked:
            if not task.cancel():
                task.exception()  # wait, for it works on the same arrays
    for task in asked:
        if not task.cancelled():
            task.result()


def _ask(work: Callable[[Iterator[Any]], None], left: Iterator[Any]) -> Future[None] | None:
    """A thread takes parts, with NumPy's settings of the one that asks."""
    global _helpers
    if _helpers is None:
        _helpers = ThreadPoolExecutor(max(limit, 2) - 1, thread_name_prefix="runtime")
    with contextlib.suppress(RuntimeError):  # while the interpreter ends it takes no work any more
        return _helpers.submit(copy_context().run, work, left)
    return None


def _forget() -> None:
    global _helpers
    _helpers = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # the threads stay with the parent
