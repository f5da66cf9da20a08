"""Formulas for numbers, element by element, of what ONNX has."""

from __future__ import annotations

from runtime.export.onnx_call import INT64, Call
from runtime.export.onnx_nodes import Nodes


def length_of_range(c: Call) -> str:
    return range_length(c.nodes, *c.inputs(INT64))


def range_length(nodes: Nodes, start: str, stop: str, step: str) -> str:
    """How many numbers there are in a range: (stop - start + step - sign) // step, at least 0."""
    emit, zero = nodes.emit, nodes.number(0, INT64)
    ends = emit("Sub", emit("Add", emit("Sub", stop, start), step), emit("Sign", step))
    quotient = emit("Div", emit("Sub", ends, emit("Mod", ends, step)), step)
    return emit("Max", quotient, zero)
