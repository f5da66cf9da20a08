"""Nested short loops: each is unrolled, and the trace holds the product of their turns.

A loop of ten turns in a loop of twenty is two hundred copies of its body. Where these become many, the trace
is begun again with the loops of the nest staged. What cannot be staged in that way (the number of turns is a
shape later on) is unrolled after all: `Decisions.after_refusal`.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from autograph.errors import user_frame
from autograph.operators import for_stmt
from autograph.staging import State
from runtime.iterables.iteration import Indexed
from runtime.tracer.builder import Staged
from runtime.tracer.decisions import Restart
from runtime.tracer.trace import Trace

#: a loop may be unrolled this often, all its turns together, ...
MAX_TURNS = 96
#: ... or until the operations since it began first are more than these: plain Python numbers cost none
MAX_OPERATIONS = 600

#: bits of an int that may outgrow a staged one
LARGE = 31

Site = tuple[str, int]


def count(trace: Trace, site: Site, iterable: Any, turns: int, state: State) -> None:
    """A loop is about to be unrolled. Begins the trace again where its nest has become too large."""
    if not _is_countable(iterable):
        return
    before, budget = trace.unrolled_loops.get(site, (0, trace.budget))
    trace.unrolled_loops[site] = (before + turns, budget)
    if before + turns > MAX_TURNS and budget - trace.budget > MAX_OPERATIONS and not _has_large_int(state):
        sites = (frozenset({site}) | _around(trace)) - trace.decisions.unrolled
        reason = f"the loops around line {site[1]} have more than {before} turns together"
        raise Restart(trace.decisions.with_staged_nest(sites), reason)


def _has_large_int(state: State) -> bool:
    """Is a plain int on its way past 64 bits? A staged one could not get there."""
    return any(type(value) is int and value.bit_length() > LARGE for value in state.get())


def _is_countable(iterable: Any) -> bool:
    """Numbers or items of arrays, which are alike in each turn; those of a list may be anything."""
    return isinstance(iterable, range | Staged | Indexed)


def _around(trace: Trace) -> frozenset[Site]:
    """The sites of such loops that run now, this one's own caller's and those further out."""
    found: set[Site] = set()
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame is not trace.base:
        if frame.f_code is for_stmt.__code__ and _is_countable(frame.f_locals["iterable"]):
            user = user_frame(frame.f_back)
            if user is not None:
                found.add((user.f_code.co_filename, user.f_lineno))
        frame = frame.f_back
    return frozenset(found)
