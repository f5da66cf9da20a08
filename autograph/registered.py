"""The stages that there are. Errors ask them what a value is; `registry.py` lets them come and go."""

from __future__ import annotations

import threading
from typing import Any

#: in the order of registration
stages: list[Any] = []

#: the registered stages, and one more entry for each trace under way in any thread; empty: nobody is asked
present: list[Any] = []


class _Thread(threading.local):
    """The stages whose traces are under way in this thread, the innermost first."""

    traces: tuple[Any, ...] = ()
    stages_if = False  # may the innermost one want an `if` whose test is Python's?


thread = _Thread()


def text_of(value: Any) -> str | None:
    """What a stage says that a value of its own is; None for any other value."""
    asked = (*thread.traces, *stages)
    stage = next((stage for stage in asked if stage.claims(value)), None)
    return None if stage is None else stage.text_of(value)
