"""How deep the functions of a graph may call one another: as deep as Python's own may.

A call inside a graph counts one, as a call counts one in Python; at ``sys.getrecursionlimit()`` of them
RecursionError is raised. The interpreter spends several Python frames on each, so it raises Python's
limit while it runs. That is safe: since 3.11 a Python function that calls another uses no C stack.
Machine code does, and stops before the end of its thread's stack, too.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograph.locks import new_lock

_lock = new_lock()
_runs = 0  # under way, in all threads
_own_limit = 0  # Python's limit before the first of them
_raised_limit = 0


@contextmanager
def room_for(frames: int) -> Iterator[int]:
    """Python's recursion limit is such that each of the allowed calls may take ``frames`` frames."""
    global _runs, _own_limit, _raised_limit
    with _lock:
        now = sys.getrecursionlimit()
        if not _runs or now != _raised_limit:  # the user's own
            _own_limit = now
        _runs += 1
        depth = _own_limit
        _raised_limit = max(now, _own_limit * (frames + 1))
        sys.setrecursionlimit(_raised_limit)
    try:
        yield depth
    finally:
        with _lock:
            _runs -= 1
            if not _runs and sys.getrecursionlimit() == _raised_limit:
                sys.setrecursionlimit(_own_limit)


# -- the C stack ---------------------------------------------------------------------------------------

#: so many bytes of a stack, but no more than half of it, are for what functions of a graph call
_FOR_OTHERS = 1 << 20

_here = threading.local()
#: what `stack_floor` gives for the main thread, and where that stack ends; zeros until it was asked
MAIN_STACK = (ctypes.c_uint64 * 2)()


def stack_floor() -> int:
    """The lowest address that functions of a graph may reach on the stack of this thread."""
    if not hasattr(_here, "floor"):
        low, size = _stack()
        _here.floor = low + min(_FOR_OTHERS, size // 2)
        if threading.get_ident() == threading.main_thread().ident:
            MAIN_STACK[:] = [_here.floor, low + size]
    return _here.floor


def _stack() -> tuple[int, int]:
    """The lowest address of this thread's stack, and its size; zeros where the system does not tell."""
    system: Any = ctypes.CDLL(None) if sys.platform != "win32" else None
    me = ctypes.c_void_p(threading.get_ident())
    if hasattr(system, "pthread_getattr_np"):
        attributes, low, size = ctypes.create_string_buffer(256), ctypes.c_void_p(), ctypes.c_size_t()
        if system.pthread_getattr_np(me, attributes):
            return 0, 0
        system.pthread_attr_getstack(attributes, ctypes.byref(low), ctypes.byref(size))
        system.pthread_attr_destroy(attributes)
        return low.value or 0, size.value
    if hasattr(system, "pthread_get_stackaddr_np"):  # macOS
        system.pthread_get_stackaddr_np.restype = ctypes.c_void_p
        system.pthread_get_stacksize_np.restype = ctypes.c_size_t
        size = system.pthread_get_stacksize_np(me)
        return system.pthread_get_stackaddr_np(me) - size, size
    return 0, 0
