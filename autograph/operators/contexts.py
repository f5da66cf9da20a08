"""`with` where a stage may want to know of the context manager.

>>> from contextlib import nullcontext
>>> with context(nullcontext(3)) as three:
...     three
3
"""

from __future__ import annotations

from typing import Any

from autograph.staging import active_stage


def context(manager: Any) -> Any:
    """`manager`, or what an active stage puts in its place."""
    stage = active_stage()
    return manager if stage is None else stage.context(manager)
