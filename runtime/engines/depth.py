"""How deep the functions of a graph may call one another: as deep as Python's own may.

A call inside a graph counts one, as a call counts one in Python; at ``sys.getrecursionlimit()`` of them
RecursionError is raised. The interpreter spends several Python frames on each, so it raises Python's
limit while it runs. That is safe: since 3.11 a Python function that calls another uses no C stack.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from autograph.locks import new_lock

_lock = new_lock()
_runs = 0  # under way, in all threads
_own_limit = 0  # Python's limit before the first of them
_raised_limit = 0


def allowed_depth() -> int:
    """How many calls may stand in one another: Python's limit as the user set it."""
    with _lock:
        return _own_limit if _runs else sys.getrecursionlimit()


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
