"""The parts of one large operation, or of one loop, over the processor's cores.

NumPy, the library of linear algebra and machine code let other threads run while they compute. The parts are
the same however many threads there are, so that the results are, too. One operation has the threads at a
time: what another thread of the program computes meanwhile, or a part itself, takes no more.

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
from operator import index
from queue import SimpleQueue
from typing import Any

from runtime.arguments import wrong_argument


def cores() -> int:
    """How many threads may work: the cores that this process may use, or what the user says."""
    for name in ("AUTOGRAPH_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        said = os.environ.get(name, "")
        if said.isdecimal() and int(said):
            return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


#: at most so many threads in one operation
limit = cores()


def set_threads(count: int | None) -> None:
    """At most ``count`` threads work on one operation or loop; None: one for each core, or what
    AUTOGRAPH_THREADS says. No result depends on it. A process that was forked begins with one.

    Raises ArgumentError where it is no int of at least 1.
    """
    global limit
    if count is not None and (isinstance(count, bool) or not hasattr(count, "__index__") or index(count) < 1):
        raise wrong_argument(
            f"rt.set_threads of {count!r}", "give the number of threads, at least 1", "count"
        )
    limit = cores() if count is None else index(count)


def get_threads() -> int:
    """How many threads may work on one operation or loop, see `set_threads`."""
    return limit


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


#: held by the one operation that has the helpers
_working = _thread.allocate_lock()


def share(
    work: Callable[[Iterator[Any]], None], parts: Sequence[Any], stop: Callable[[], None] = lambda: None
) -> None:
    """Call ``work`` in each thread, with an iterator over those of the parts that this thread takes.

    ``stop`` is called where a signal's handler raises while it waits for the others, which it does anyway.
    """
    left, working = iter(parts), _working
    wanted = min(limit, len(parts)) - 1
    if wanted < 1 or not working.acquire(blocking=False):
        return work(left)
    tasks = [_Task(work, left) for _ in range(wanted)]
    try:
        _work_together(work, left, tasks, stop)
    finally:
        working.release()
    for task in tasks:
        if task.error is not None:
            raise task.error
    return None


def _work_together(
    work: Callable[[Iterator[Any]], None], left: Iterator[Any], tasks: list[_Task], stop: Callable[[], None]
) -> None:
    try:
        for task in tasks:
            _helpers.ask(task, len(tasks))
        work(left)
    finally:
        _wait_for(tasks, stop)


def _wait_for(tasks: Sequence[_Task], stop: Callable[[], None]) -> None:
    """They work on the memory of the one that asks, so nothing ends this early."""
    interrupt: BaseException | None = None
    waiting = [*tasks]
    while waiting:
        try:
            waiting[-1].finish()
            waiting.pop()
        except BaseException as error:  # noqa: BLE001  # a handler's: raised when no thread works any more
            interrupt = error
            stop()
    if interrupt is not None:
        raise interrupt


def _forget() -> None:
    """The threads stay with the parent. As many processes as cores would have too many, so there are none."""
    global _helpers, _working, limit
    _helpers, _working, limit = _Helpers(), _thread.allocate_lock(), 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
