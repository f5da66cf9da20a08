"""`with` where a stage may want to know of the context manager.

>>> from contextlib import nullcontext
>>> with context(nullcontext(3)) as three:
...     three
3
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.control_flow import Get, Set, no_state
from autograph.registry import active_stage
from autograph.staging import State, Thunk


def context(manager: Any) -> Any:
    """`manager`, or what an active stage puts in its place."""
    stage = active_stage()
    return manager if stage is None else stage.context(manager)


def with_stmt(
    manager: Any,
    body: Callable[[Any], None],
    swallowed: Thunk,
    orelse: Thunk | None = None,
    get_state: Get = no_state,
    set_state: Set = no_state,  # type: ignore[assignment]
    names: tuple[str, ...] = (),
) -> None:
    """`with manager as entered: body(entered)`; then `swallowed()` where the exit took an exception.

    >>> from contextlib import suppress
    >>> with_stmt(suppress(KeyError), lambda entered: {}["k"], lambda: print("swallowed"))
    swallowed
    """
    stage = active_stage()
    if stage is not None:
        taken = stage.with_stmt(
            manager,
            body,
            swallowed,
            orelse,
            State(names, get_state, set_state),
        )
        if taken is not NotImplemented:
            return
    ended = False
    with manager as entered:
        body(entered)
        ended = True
    if not ended:
        swallowed()
    elif orelse is not None:
        orelse()
