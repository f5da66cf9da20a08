"""The stages that there are. Errors ask them what a value is; `registry.py` lets them come and go."""

from __future__ import annotations

from typing import Any

#: in the order of registration
stages: list[Any] = []


def text_of(value: Any) -> str | None:
    """What a stage says that a value of its own is; None for any other value."""
    stage = next((stage for stage in stages if stage.claims(value)), None)
    return None if stage is None else stage.text_of(value)
