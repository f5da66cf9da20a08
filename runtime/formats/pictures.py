"""What pictures of a graph show: names in a scope for each function that was called, kinds told by colour.

>>> names = NodeNames()
>>> names.unique("loss"), names.unique("loss"), names.unique("two words")
('loss', 'loss_1', 'two_words')
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from runtime.graph import Graph, Operation, Value
from runtime.graph.effects import effects_of


class NodeNames:
    """The names of one graph, or of one function of its library."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """The name, spelled as the format allows, with a number where it is there already."""
        base = re.sub(r"[^\w.\-/]", "_", name, flags=re.ASCII).lstrip("_-/") or "value"
        made, count = base, self._counts.get(base, 0)
        while made in self._used:
            count += 1
            made = f"{base}_{count}"
        self._counts[base] = count
        self._used.add(made)
        return made


@dataclass(frozen=True)
class Naming:
    """Who says what things are called: a parameter, an operation with its scopes, the kind of an operation,
    and a function of Python that an operation calls ("" for one that has no name for others). ``form``: the
    operation that is written in place of one; its last results are those of the other."""

    param: Callable[[Value], str]
    operation: Callable[[Operation], str]
    kind: Callable[[Operation], str]
    function: Callable[[object], str] = lambda function: ""
    form: Callable[[Operation], Operation] = lambda op: op


def naming_of(graph: Graph) -> Naming:
    """The naming of a graph that `rt.function` has traced. It is asked once for each operation, in order."""
    scopes = _CallScopes(graph.name)

    def operation(op: Operation) -> str:
        hints = [] if op.blocks else [value.hint for value in op.outputs if value.hint]
        own = hints[0] if hints else op.name
        return "/".join(filter(None, [scopes.of(op), own]))

    return Naming(
        lambda value: value.hint or (value.owner.name if value.owner else "input"),
        operation,
        lambda op: "Const" if op.is_constant else op.name,
    )


class _CallScopes:
    """A scope for each function that was called: `layer/` and `layer_1/` for two calls of layer().

    An operation knows its function and its place there, and not who called. A place that comes a second time
    begins another scope: the function was called again, or its loop was unrolled.
    """

    def __init__(self, outermost: str) -> None:
        self._outermost = outermost
        self._names = NodeNames()
        self._current: dict[str, tuple[str, set[object]]] = {}

    def of(self, op: Operation) -> str:
        at = op.location
        if at is None or at.function.rpartition(".")[2] in (self._outermost, "<module>"):
            return ""
        scope, places = self._current.get(at.function, ("", set()))
        place = at.file, at.line, at.span, op.name
        if not scope or (place in places and not op.is_constant):
            scope, places = self._names.unique(_called(at.function)), set()
            self._current[at.function] = scope, places
        places.add(place)
        return scope


def _called(function: str) -> str:
    """What a function is called by its user.

    >>> _called("train.<locals>.step"), _called("Dense.__call__"), _called("f.<locals>.<lambda>")
    ('step', 'Dense', 'lambda')
    """
    return function.removesuffix(".__call__").rpartition(".")[2].strip("<>")


#: kind -> (fill, line)
COLOURS = {
    "plain": ("#eaf2ff", "#9dbcf0"),
    "view": ("#e6f7f5", "#8ccfc7"),
    "write": ("#fff3d9", "#e6bd62"),
    "effect": ("#ffe8e4", "#ee9f92"),
    "control": ("#f5f6f9", "#b7bfcd"),
    "param": ("#e9f7e8", "#94cf90"),
    "end": ("#f2ebfd", "#bda3ea"),
}


def kind_of(operation: Operation) -> str:
    """The key of COLOURS for an operation."""
    if operation.blocks:
        return "control"
    effects = effects_of(operation)
    if effects.ordered:
        return "effect"
    if effects.writes:
        return "write"
    return "plain" if effects.view_of is None else "view"


def block_labels(operation: Operation) -> list[str]:
    """What the blocks of an operation are called.

    >>> from runtime.graph import Block
    >>> block_labels(Operation("while", blocks=(Block(), Block())))
    ['test', 'body']
    """
    named = {"if": ["then", "else"], "while": ["test", "body"], "try": ["body", "handler"]}
    labels = named.get(operation.name, ["test", "body"] if operation.is_counted else [])
    labels = labels[-len(operation.blocks) :]
    return labels + [f"block {k}" for k in range(len(labels), len(operation.blocks))]
