"""What a restart of a trace may decide otherwise, and the exceptions that end or restart one."""

from __future__ import annotations

import sys
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from types import CodeType
from typing import Any, TypeAlias

from autograph.records import record
from runtime.guards.paths import Path

#: of a loop: see loop_sites.py
_Site: TypeAlias = "tuple[str, int, int, int]"

#: so many items of containers from outside are traced one by one where the program asks for that
MAX_ONE_BY_ONE = 1000
#: a larger trace is a loop unrolled by mistake
MAX_OPERATIONS = 20_000
#: the cost of a loop of so many turns that it is not unrolled for the sake of a list
TOO_DEAR = sys.maxsize


@record(slots=False)
class Kept:
    """What keeps a loop from being staged, and in which line that was found."""

    why: str
    line: int | None = None


@record(slots=False)
class Decisions:
    """What a restart may change."""

    static_numbers: bool = False  # Python numbers among the arguments are constants of the trace
    static_reason: str = ""  # why they are
    staged_paths: frozenset[Path] = frozenset()  # numbers that kept changing: inputs
    fixed_paths: frozenset[Path] = frozenset()  # numbers that kept changing, and cannot be inputs
    unrolled: dict[_Site, Kept] = field(default_factory=dict)  # loops that cannot be staged, and why
    staged_loops: frozenset[_Site] = frozenset()  # Python loops that must be staged
    dear: dict[_Site, int] = field(default_factory=dict)  # of them, those whose copies only cost too much
    unroll_limit: int = 32  # loops with more static iterations are staged
    graph_functions: frozenset[CodeType] = frozenset()  # recursive: calls of them are operations
    growing: frozenset[tuple[str, int]] = frozenset()  # loops over a list that they make longer or shorter
    advancing: frozenset[Any] = frozenset()  # sites of iterators whose place only a run knows
    containers: dict[Any, Any] = field(default_factory=dict)  # what those of a site hold, as far as known
    data: frozenset[Path] = frozenset()  # short ones from outside that are data: see data.py, ...
    item_by_item: frozenset[Path] = frozenset()  # ... and long ones that are none
    closed_with: bool = False  # the blocks of `with` statements are closures, which may be left in the middle
    generalised_functions: frozenset[CodeType] = frozenset()  # those whose plain numbers are staged
    unrolled_functions: frozenset[CodeType] = frozenset()  # never made graph functions
    classes: dict[Any, type] = field(default_factory=dict)  # made inside, by statement: one for all attempts

    def with_unrolled(self, site: _Site, why: Kept, inside: AbstractSet[_Site] = frozenset()) -> Decisions:
        """The loop is unrolled; those ``inside`` it may be staged for all that is known now."""
        unrolled = {one: kept for one, kept in self.unrolled.items() if one not in inside}
        without = frozenset({site})
        return replace(
            self,
            unrolled={**unrolled, site: why},
            staged_loops=self.staged_loops - without,
            dear={one: cost for one, cost in self.dear.items() if one != site},
        )

    def with_items_known(self, data: dict[Path, Any]) -> Decisions | None:
        """These texts, lists and dicts from outside are no data after all, the texts first. None: they are
        too long, or that was tried."""
        texts = {path: value for path, value in data.items() if isinstance(value, str)}
        known = texts or {path: value for path, value in data.items() if type(value) in (list, dict)}
        if known.keys() <= self.item_by_item or not texts and sum(map(len, known.values())) > MAX_ONE_BY_ONE:
            return None
        others = {site: held for site, held in self.containers.items() if site not in known}
        return replace(
            self,
            item_by_item=self.item_by_item.union(known),
            data=self.data.difference(known),
            containers=others,
        )

    def with_staged(self, site: _Site) -> Decisions:
        return replace(self, staged_loops=self.staged_loops | {site})

    def with_dear(self, site: _Site, cost: int) -> Decisions:
        return replace(self, staged_loops=self.staged_loops | {site}, dear={**self.dear, site: cost})

    def with_collecting(self, sites: AbstractSet[_Site]) -> Decisions:
        """Comprehensions that were staged for their many turns may be unrolled after all."""
        return replace(self, dear={**dict.fromkeys(sites - self.unrolled.keys(), TOO_DEAR), **self.dear})

    def with_function(self, code: CodeType, generalised: bool) -> Decisions:
        more = self.generalised_functions | {code} if generalised else self.generalised_functions
        return replace(
            self,
            graph_functions=self.graph_functions | {code},
            generalised_functions=more,
        )

    def after_refusal(self, has_numbers: bool, why: Kept) -> Decisions | None:
        """What else may be tried for a function that was refused; ``has_numbers``: among its arguments."""
        if self.dear:
            return replace(
                self,
                staged_loops=self.staged_loops.difference(self.dear),
                unrolled=self.unrolled | dict.fromkeys(self.dear, why),
                dear={},
            )
        none: frozenset[CodeType] = frozenset()
        if self.graph_functions:  # the recursion may end while tracing
            unrolled = self.unrolled_functions | self.graph_functions
            return replace(
                self, graph_functions=none, generalised_functions=none, unrolled_functions=unrolled
            )
        if not has_numbers or self.static_numbers:
            return None
        # A number may be needed as a plain Python number: a shape, an axis, an index into a list.
        return replace(
            self,
            static_numbers=True,
            unrolled_functions=none,
            containers={},
            unrolled={},  # it may have been the number that they were unrolled for in vain
        )


class Control(BaseException):
    """Unwinds the user's frames for the tracer's own purposes; never seen by the user."""


class PathEnded(Control):
    """The traced path raises here at run time: nothing after it is reached."""


class Restart(Control):
    """Trace again with other decisions. ``reason`` is for who debugs the tracer."""

    def __init__(self, decisions: Decisions, reason: str) -> None:
        super().__init__(reason)
        self.decisions = decisions
        self.reason = reason
