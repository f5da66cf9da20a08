"""Locks that are free again in the child of a fork, where the threads that held them do not exist.

>>> lock = new_lock()
>>> with lock, lock:
...     print("entered twice by one thread")
entered twice by one thread
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

_locks: weakref.WeakSet[Any] = weakref.WeakSet()


def new_lock() -> Any:
    """A lock that the thread which holds it may take again."""
    lock = threading.RLock()
    _locks.add(lock)
    return lock


def _free() -> None:
    for lock in _locks:
        if not lock._is_owned():  # by the thread that forked
            lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free)
