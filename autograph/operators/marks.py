"""Marks of compiled code: what a stage sees where Python has no hook. Without a stage they do nothing.

Attributes are read and stored on what stands on the left of the dot: the object itself, unless a stage
puts something else in its place. Variables that several functions share are named by a function that reads
them, which has their cells; their marks come right after the store.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from autograph.registry import active_stage


def read_from(owner: Any) -> Any:
    """What to read an attribute of, for `owner.name`.

    >>> read_from(len).__name__
    'len'
    """
    stage = active_stage()
    return owner if stage is None else stage.read_from(owner)


def stored_to(owner: Any, name: str) -> Any:
    """What to store an attribute to, or delete one of, for `owner.name = value`.

    >>> stored_to(len, "note") is len
    True
    """
    stage = active_stage()
    return owner if stage is None else stage.stored_to(owner, name)


def new_variables(read: Callable[[], Any]) -> None:
    """A call of the function that owns these variables begins.

    >>> def f(total):
    ...     new_variables(lambda: (total,))
    ...     return total
    >>> f(2)
    2
    """
    stage = active_stage()
    if stage is not None:
        stage.new_variables(read)


def stored_variable(read: Callable[[], Any], value: Any = None) -> Any:
    """`value`, after the variable that `read` reads was bound or unbound.

    >>> stored_variable(lambda: total, total := 3)
    3
    """
    stage = active_stage()
    if stage is not None:
        stage.stored_variable(read)
    return value


def stored_global(name: str, value: Any = None) -> Any:
    """`value`, after the global of that name, of the caller's module, was bound or unbound.

    >>> stored_global("total", 3)
    3
    """
    stage = active_stage()
    if stage is not None:
        stage.stored_global(sys._getframe(1).f_globals, name)
    return value
