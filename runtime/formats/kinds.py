"""What the pictures distinguish by colour: arithmetic, memory, effects, control flow."""

from __future__ import annotations

from runtime.graph import Operation
from runtime.graph.effects import effects_of

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
    labels = named.get(operation.name, ["test", "body"] if operation.name == "for" else [])
    labels = labels[-len(operation.blocks) :]
    return labels + [f"block {k}" for k in range(len(labels), len(operation.blocks))]
