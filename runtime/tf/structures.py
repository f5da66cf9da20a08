"""Structures of tensors, and what a traced loop can go over besides tensors."""

from __future__ import annotations

from typing import Any

NAMESPACE = "runtime.tf"


def iterator_of(iterable: Any) -> Any:
    """What runs a traced loop over something that only a run can go over, such as a data set; or None."""
    return iterable._traced_loop() if hasattr(iterable, "_traced_loop") else None


class Result:
    """A leaf of what a function returns that is the k-th result of its graph."""

    def __init__(self, place: int) -> None:
        self.place = place
