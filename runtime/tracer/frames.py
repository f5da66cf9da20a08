"""One block of staged control flow under construction."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from typing import Any

from autograph.records import record
from runtime.graph import Block
from runtime.tracer.slots import Slot


@record(slots=False, frozen=False, eq=False)
class Frame:
    """One block of staged control flow under construction: the slots it wrote, with their values before."""

    block: Block
    written: dict[Hashable, tuple[Slot, Any]] = field(default_factory=dict)
    variables: dict[Hashable, Any] = field(default_factory=dict)  # what those of closures held at its start
    covered: set[Hashable] = field(default_factory=set)  # those that the statement's state takes care of
    heads: dict[Hashable, Slot] = field(default_factory=dict)  # slots that it begins with other values of
    copies: list[tuple[Any, Any]] = field(default_factory=list)  # containers, and what they held at its start
    is_straight: bool = False  # the block of a `with`: it runs once, wherever the code around does
