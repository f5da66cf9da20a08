"""Looking inside: ``AUTOGRAPH_DEBUG=1..4`` in the environment, or ``with debug(2):`` for one block.

    1  the passes with their times, and operations that fell back to NumPy
    2  the graph after each pass that changed it
    3  the generated Python, loop nests and LLVM
    4  which rule fired where

Plain text on stderr, which can be pasted into a test.

>>> with debug(3):
...     level()
3
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from runtime.graph import Graph, Operation
from runtime.graph.verify import verify

_level: ContextVar[int | None] = ContextVar("autograph_debug", default=None)
#: the verifier runs after the last pass; AUTOGRAPH_VERIFY=each: after each one, =0: never; with =loads each
#: run looks up what the trace took for known of objects, and raises AssertionError where that is wrong
_VERIFY = "AUTOGRAPH_VERIFY"


def level() -> int:
    """How much to show; 0 is nothing."""
    chosen = _level.get()
    if chosen is not None:
        return chosen
    text = os.environ.get("AUTOGRAPH_DEBUG", "")
    return int(text) if text.isdigit() else 0


@contextmanager
def debug(wanted: int = 2) -> Iterator[None]:
    """Show more within the ``with`` block, in this thread."""
    token = _level.set(wanted)
    try:
        yield
    finally:
        _level.reset(token)


def show(at: int, title: str, text: str | Callable[[], str] = "") -> None:
    """Print a title and a program to stderr when the level is at least ``at``."""
    if level() < at:
        return
    body = text if isinstance(text, str) else text()
    print(f"# --- {title}", file=sys.stderr)
    if body:
        print(body.rstrip("\n"), file=sys.stderr)


def fired(rule: str, op: Operation) -> None:
    """Level 4: a rule changed an operation."""
    if level() >= 4:
        print(f"#     {rule}: {op.name} at {op.location or 'no known line'}", file=sys.stderr)


def verifies() -> bool:
    """Is a graph verified once the passes are done? It takes as long as a pass."""
    return os.environ.get(_VERIFY, "1") != "0"


def verifies_loads() -> bool:
    """Do runs compare what a trace knows of the attributes of objects with what these hold?"""
    return os.environ.get(_VERIFY) == "loads"


def after(name: str, before: Graph, graph: Graph, seconds: float) -> None:
    """What happens between passes: print (levels 1 and 2) and, where one is to be found, verify."""
    now = level()
    if now >= 1:
        changed = before is not graph and str(before) != str(graph)
        show(1, f"{name}: {seconds * 1e3:.2f} ms{'' if changed else ', no change'}")
        if changed and now >= 2:
            print(str(graph).rstrip("\n"), file=sys.stderr)
    if os.environ.get(_VERIFY) == "each":
        verify(graph, functions=False)  # a pass takes them one by one
