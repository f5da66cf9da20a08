"""Variables that several functions share: where a call makes them, and where one is stored to.

A variable of a closure is named by a function that reads it, which has its cell. The marks come right after
the store; without a stage they do nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from autograph.registry import active_stage


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
