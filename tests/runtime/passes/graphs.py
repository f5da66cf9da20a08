"""A pass on graphs that are written as text."""

from collections.abc import Callable
from textwrap import dedent
from typing import Any

from runtime.formats.parse import parse
from runtime.graph import Graph
from runtime.graph.verify import verify

Pass = Callable[[Graph], Graph]


def check(run: Pass, before: str, after: str, **options: Any) -> None:
    """The pass makes the graph `after` of the graph `before`."""
    graph = parse(dedent(before), **options)
    verify(graph)
    changed = run(graph)
    verify(changed)
    assert str(changed).strip() == dedent(after).strip()


def unchanged(run: Pass, text: str, **options: Any) -> None:
    """The pass leaves the graph as it is."""
    check(run, text, text, **options)
