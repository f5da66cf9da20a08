"""The parts of one large operation, over the processor's cores.

NumPy and the library of linear algebra let other threads run while they compute. The parts are the same
however many threads there are, so that the results are, too.

>>> squares = {}
>>> share(lambda parts: squares.update((n, n * n) for n in parts), [1, 2, 3])
>>> sorted(squares.items())
[(1, 1), (2, 4), (3, 9)]
"""

from __future__ import annotations

import _thread
import os
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context, copy_context
from queue import SimpleQueue
from typing import Any


def cores() -> int:
    """How many threads may work: the cores that this process may use, or what the user says."""
    said = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or ""
    if said.isdecimal() and int(said):
        return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


#: at most so many threads in one operation
limit = cores()


class _Task:
    """What one thread is asked to do: it, or the one that asks, takes the task, whoever comes first."""

    def __init__(self, work: Callable[[Iterator[Any]], None], left: Iterator[Any]) -> None:
        self.work, self.left = work, left
        self.context: Context = copy_context()  # with NumPy's settings of the one that asks
        self.taken, self.running = _thread.allocate_lock(), _thread.allocate_lock()
        self.running.acquire()
        self.error: BaseException | None = None

    def run(self) -> None:
        if self.taken.acquire(blocking=False):
            try:
                self.context.run(self.work, self.left)
            except BaseException as error:  # noqa: BLE001  # raised where the work was asked for
                self.error = error
            self.running.release()

    def finish(self) -> None:
        """Wait for it, for it works on the same arrays; nobody need begin any more."""
        if not self.taken.acquire(blocking=False):
            self.running.acquire()


class _Helpers:
    """The threads beside the one that asks. None runs until a large operation does.

    No `threading.Thread`: that would count among the program's own threads.
    """

    def __init__(self) -> None:
        self.tasks: SimpleQueue[_Task] = SimpleQueue()
        self.started = 0

    def ask(self, task: _Task, wanted: int) -> None:
        while self.started < wanted:
            self.started += 1
            _thread.start_new_thread(self._help, ())
        self.tasks.put(task)

    def _help(self) -> None:
        while True:
            self.tasks.get().run()


_helpers = _Helpers()


def share(work: Callable[[Iterator[Any]], None], parts: Sequence[Any]) -> None:
    """Call ``work`` in each thread, with an iterator over those of the parts that this thread takes."""
    left = iter(parts)
    wanted = min(limit, len(parts)) - 1
    tasks = [_Task(work, left) for _ in range(wanted)]
    for task in tasks:
        _helpers.ask(task, wanted)
    try:
        work(left)
    finally:
        for task in tasks:
            task.finish()
    for task in tasks:
        if task.error is not None:
            raise task.error


def _forget() -> None:
    global _helpers
    _helpers = _Helpers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # the threads stay with the parent
