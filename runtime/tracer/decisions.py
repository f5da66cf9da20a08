"""What a restart of a trace may decide otherwise, and the exceptions that end or restart one.

How large a trace may be: the loops that it goes through, what a copy costs, what is staged after all.

Each loop has a *site*, by which a later attempt knows it again: its line, its column, and how many loops of
the same expression are around it (a comprehension within a comprehension has the place of the outer one).

What a copy of operations costs is the time that machine code takes to be made, against what it saves.
Measured on programs of one kind of operation each: a unit is what arithmetic on a number takes, 0.3 to
0.5 ms. An array that is made or written is a loop nest, in versions for several layouts, which takes 5 to
40 ms; to copy it saves next to nothing in a run, so that it counts for more. What calls NumPy is a call.
"""

from __future__ import annotations

import linecache
import sys
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

from autograph.errors import StagingError, place, user_frame
from autograph.records import record
from runtime.graph import Operation
from runtime.graph.effects import effects_of
from runtime.graph.user_locations import location_in
from runtime.guards.paths import Path
from runtime.ops.definition import REGISTRY
from runtime.tracer.builder import refuse
from runtime.types import ArrayType

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


#: fewer turns of a `while` loop are no reason for a large trace
MANY_TURNS = 16

_BY_ITSELF = "write its body as a decorated function of its own, and the loop around it in plain Python"


def stage_longest_loop(decisions: Decisions, loops: Loops) -> None:
    """Begin again with the `while` loop of most turns staged; returns where that was tried."""
    site = max(loops.budgets, key=loops.turns.__getitem__, default=None)
    if site is not None and loops.turns[site] > MANY_TURNS:
        if site not in decisions.staged_loops and site not in decisions.unrolled:
            turns = loops.turns[site] - 1
            raise Restart(decisions.with_staged(site), f"it is a loop of more than {turns} turns")


def too_large(decisions: Decisions, loops: Loops) -> None:
    """Begin again with less unrolled. Raises StagingError where that was tried."""
    stage_longest_loop(decisions, loops)
    if decisions.unroll_limit > 2:
        raise Restart(replace(decisions, unroll_limit=2), f"more than {MAX_OPERATIONS} operations")
    site = max(loops.turns, key=loops.turns.__getitem__, default=None)
    if site is None or loops.turns[site] <= MANY_TURNS:
        raise refuse(
            f"the trace has more than {MAX_OPERATIONS} operations, most of them in no loop that is unrolled",
            "decorate the functions that it calls, and call them from a plain one: what a decorated "
            "function calls becomes part of its own trace",
        )
    why, hint = "All that it runs over, or tests, is known while tracing", "run over an array or a range, or "
    kept = decisions.unrolled.get(site)
    if kept is not None:
        at = "" if kept.line is None else f" (line {kept.line})"
        why, hint = f"It cannot be staged: {kept.why}{at}", ""
    text = linecache.getline(site.file, site.line)  # the statement: a loop's own instruction is at its items
    raise place(
        StagingError(
            f"the trace has more than {MAX_OPERATIONS} operations: "
            f"this loop is unrolled, {loops.turns[site]} times until here. {why}",
            line=site.line,
            column=len(text) - len(text.lstrip()) + 1,
            hint=hint + _BY_ITSELF,
        ),
        site.file,
    )


#: all copies of a loop's body together may cost this much, a third of a second, ...
MAX_COST = 800
#: ... or this, a second, where to stage the loop would make lists of the run of lists of the trace
MAX_COST_WITH_LISTS = 2600

NEST = 100
CONTROL = 10
CALL = 4

_ONE_BY_ONE = frozenset({"elementwise", "reduction", "scan", "conversion", "creation"})


def cost_of(operations: Iterable[Operation]) -> int:
    """The cost of operations, with those of their blocks."""
    return sum(own_cost(one) + sum(cost_of(block.operations) for block in one.blocks) for one in operations)


def own_cost(operation: Operation) -> int:
    """The cost of one operation, without its blocks."""
    definition = REGISTRY[operation.name]
    if definition.family == "constant" or operation.is_landing:
        return 0
    if operation.blocks:
        return CONTROL
    if definition.family in ("indexing", "memory") and effects_of(operation).writes:
        return NEST if _is_array(operation.inputs[-1].type) else CALL
    if definition.family in _ONE_BY_ONE:
        parts = (*operation.inputs, *operation.outputs)
        return NEST if any(_is_array(value.type) for value in parts) else 1
    return CALL if definition.native is None else 1


def _is_array(kind: object) -> bool:
    return isinstance(kind, ArrayType) and kind.ndim > 0
