"""Say once, on stderr, what a trace or a compilation is at that goes on for long.

    autograph: tracing `solve` takes more than 2 seconds; it is at the loop at solver.py:12, turn 31 of 150

``rt.function(slow_notice=False)`` and ``AUTOGRAPH_SLOW_NOTICE=0`` in the environment turn it off.
"""

from __future__ import annotations

import _thread
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from autograph.errors import user_frame
from runtime.graph import Graph
from runtime.tracer.decisions import Loop, Site, own_cost
from runtime.tracer.trace import Trace

#: what takes longer is told
SECONDS = 2.0
_VARIABLE = "AUTOGRAPH_SLOW_NOTICE"


@contextmanager
def telling(wanted: bool, doing: str, at: Callable[[], str]) -> Iterator[None]:
    """If the ``with`` block takes long, say what takes so long (``doing``), and what it is ``at``."""
    if not wanted or os.environ.get(_VARIABLE) == "0":
        yield
        return
    running = _thread.allocate_lock()
    running.acquire()

    def watch() -> None:
        if not running.acquire(timeout=SECONDS):
            say(f"autograph: {doing} takes more than {SECONDS:g} seconds; {at()}")

    # No `threading.Thread`: that would count among the program's own threads.
    _thread.start_new_thread(watch, ())
    try:
        yield
    finally:
        running.release()


def say(text: str) -> None:
    if sys.stderr is not None:
        print(f"{text} (slow_notice=False or {_VARIABLE}=0 turns this notice off)", file=sys.stderr)


def place_of_trace(trace: Trace, thread: int) -> str:
    """What a trace is at that another thread makes."""
    loops = [loop for loop in trace.loops if loop.is_unrolled]
    if loops:
        return "it is at " + ", in ".join(map(_turn_of, reversed(loops)))
    if trace.base is None:
        return f"it takes in the argument `{trace.taking_in}`"
    frame = user_frame(sys._current_frames().get(thread))
    if frame is None:
        return "it is at what the function returns"
    return f"it is at {_text(Site(frame.f_code.co_filename, frame.f_lineno))}"


def _turn_of(loop: Loop) -> str:
    of_all = f" of {loop.turns}" if loop.turns > 1 else ""
    return f"the loop at {_text(loop.site)}, turn {loop.done}{of_all}"


def costly_part(graph: Graph, turns: Mapping[Site, int]) -> str:
    """The line from which most of a graph comes that takes long to compile, and the loop that was copied."""
    costs: Counter[tuple[str, int]] = Counter()
    for part in graph.whole():
        for operation in part.operations():
            if operation.location is not None:
                costs[operation.location.file, operation.location.line] += own_cost(operation)
    if not costs:
        return "it has no operations"
    (file, line), cost = costs.most_common(1)[0]
    text = f"{100 * cost // max(1, costs.total())} % of it is {_text(Site(file, line))}"
    if turns:
        site = max(turns, key=turns.__getitem__)
        text += f"; the loop at {_text(site)} is unrolled, {turns[site]} times"
    return text


def _text(site: Site) -> str:
    return f"{os.path.basename(site.file)}:{site.line}"
