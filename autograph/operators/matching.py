"""What a `match` statement takes apart.

>>> match_subject((1, None))
(1, None)
"""

from __future__ import annotations

from typing import Any

from autograph.staging import Stage, claiming, claiming_any, registered_stages


def match_subject(value: Any) -> Any:
    """`value`, for patterns that ask for classes or for None, which staged values cannot answer."""
    if registered_stages():
        stage = _stage_within(value, 3)
        if stage is not None:
            stage.refuse(
                "a `match` statement whose patterns ask for a class, or for None, of parts",
                "take the value apart first, and test the parts with `if`",
            )
    return value


def _stage_within(value: Any, depth: int) -> Stage | None:
    """The stage that claims the value, or one of its parts."""
    if type(value) not in (tuple, list, dict) or not depth:
        return claiming(value)
    parts = list(value.values()) if type(value) is dict else value
    return claiming_any(parts) or next(filter(None, (_stage_within(part, depth - 1) for part in parts)), None)
