"""Whether a value counts as true: a test that is a staged bool already needs nothing of `choices.py`."""

from __future__ import annotations

from typing import Any

from runtime.control_flow import choices
from runtime.tracer.builder import Staged
from runtime.types import BOOL


def truth(value: Any) -> Any:
    """``bool(value)``: a plain bool, or a staged Python bool."""
    return value if isinstance(value, Staged) and value.type == BOOL else choices.truth(value)
