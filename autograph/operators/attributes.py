"""Where attributes are read and stored: what stands on the left of the dot.

Without a stage it is the object itself, and so it is for a stage that has nothing to see there.
"""

from __future__ import annotations

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
