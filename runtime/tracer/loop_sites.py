"""The loops of the program that a trace goes through now, and what they have become so far.

Each has a *site*, by which a later attempt knows it again: its line, its column, and how many loops of the
same expression are around it (a comprehension within a comprehension has the place of the outer one).
"""

from __future__ import annotations

import sys
import weakref
from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from typing import NamedTuple

from autograph.errors import user_frame
from autograph.records import record
from runtime.graph.user_locations import location_in


class Site(NamedTuple):
    """Where a loop stands."""

    file: str
    line: int
    column: int = -1
    level: int = 0


@record(slots=False, frozen=False, eq=False)
class Loop:
    """A loop that runs now: unrolled turn by turn, or staged."""

    site: Site
    frame: int  # identity of the user's frame in which it stands
    turns: int  # of an unrolled loop: how many it has; of a staged one: 1, the copies of its body
    done: int = 0  # turns so far
    is_unrolled: bool = False
    is_forced: bool = False  # it cannot be staged
    inside: set[Site] = field(default_factory=set)  # the loops that ran in it
    over: bool = False


class Loops:
    """The loops of a trace, innermost last."""

    def __init__(self) -> None:
        self._begun: list[weakref.ref[Loop]] = []  # a loop that is left early is nobody's any more
        self.turns: Counter[Site] = Counter()  # of the unrolled ones, and of `while` loops that ran as Python
        self.budgets: dict[Site, int] = {}  # of operations, when such a `while` loop began
        self.collecting: set[Site] = set()  # staged comprehensions that could be unrolled

    def __iter__(self) -> Iterator[Loop]:
        """Those that run now, outer ones first."""
        found = [reference() for reference in self._begun]
        return iter([loop for loop in found if loop is not None and not loop.over])

    def begin(self, loop: Loop) -> None:
        """From here on it runs, as long as somebody holds it and it is not over."""
        around = list(self)
        self._begun = [weakref.ref(one) for one in (*around, loop)]
        for one in around:
            one.inside.add(loop.site)


def site_of_loop(loops: Loops) -> tuple[Site, int]:
    """The site of the loop that the user's code begins here, and the identity of its frame."""
    frame = user_frame(sys._getframe(1))
    if frame is None:
        return Site("<unknown>", 0), 0
    place = location_in(frame.f_code, frame.f_lasti)
    column = -1 if place.span is None else place.span[0]
    site = Site(place.file, place.line, column)
    level = sum(1 for loop in loops if loop.frame == id(frame) and loop.site[:3] == site[:3])
    return site._replace(level=level), id(frame)


def site_here(loops: Loops) -> Site:
    """The site of the loop that the user's code begins here."""
    return site_of_loop(loops)[0]
