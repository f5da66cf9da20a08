"""A graph as a picture, drawn without any program installed.

Operations are boxes, edges are values, control flow is a frame around its blocks. Hovering over a box
shows the whole operation and the user's line.

>>> from runtime.formats.parse import parse
>>> picture = to_svg(parse('''
... graph double(x: float) -> float:
...     y: float = py.mul(x, 2.0)
...     return y
... '''))
>>> picture[:4], "py.mul(x, 2.0)" in picture
('<svg', True)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from runtime.formats.kinds import COLOURS, block_labels, kind_of
from runtime.formats.layout import Box, Drawing, Edge, place
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.literals import is_constant
from runtime.graph.liveness import used_values
from runtime.graph.names import is_shown

FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
CHARACTER = 7.25  # width at 12 px
SMALL = 6.1  # width at 10 px
PADDING, HEADER, LABEL = 12.0, 26.0, 20.0
LONGEST = 46


def to_svg(graph: Graph) -> str:
    """One ``<svg>`` element, which is also a complete file."""
    return _Picture(graph).svg()


@dataclass(eq=False)
class _Node:
    """A box, with the frames inside it where it is control flow."""

    title: str
    subtitle: str
    kind: str
    tooltip: str
    box: Box
    uses: list[Value]
    makes: list[Value]
    frames: list[_Frame] = field(default_factory=list)


@dataclass(eq=False)
class _Frame:
    """One block: its nodes, placed relative to its own corner."""

    label: str
    nodes: list[_Node]
    edges: list[Edge]
    drawing: Drawing
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0


class _Picture:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.writer = graph.writer()
        self.out: list[str] = []

    def svg(self) -> str:
        parts = [(part, self.frame(part.body, "", "return")) for part in self.graph.whole()]
        titles = [
            f"graph {part.name}" if part is self.graph else f"function @{part.name}" for part, _ in parts
        ]
        wide = [
            max(frame.width, len(title) * CHARACTER) + 2 * PADDING
            for (_, frame), title in zip(parts, titles, strict=True)
        ]
        width, height = max(wide), 0.0
        for (_, frame), title in zip(parts, titles, strict=True):  # one below the other
            self.text(PADDING, height + PADDING + 12, title, size=13, weight="bold")
            self.draw(frame, (width - frame.width) / 2, height + PADDING + HEADER)
            height += frame.height + 2 * PADDING + HEADER
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}">'
        )
        arrow = (
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0,1 L7,4 L0,7 z" fill="#8a94a6"/></marker></defs>'
        )
        paper = f'<rect width="{width:.0f}" height="{height:.0f}" rx="6" fill="#ffffff"/>'
        return "\n".join([head, arrow, paper, *self.out, "</svg>"]) + "\n"

    # -- what is to be drawn ---------------------------------------------------------------------------

    def frame(self, block: Block, label: str, end: str) -> _Frame:
        nodes = [self.operation(op) for op in block.operations if is_shown(op)]
        used = {value for node in nodes for value in node.uses} | set(block.results)
        shown = [value for value in block.params if value in used or end == "return"]
        nodes = [self.param(value) for value in shown] + nodes
        last = None
        if block.ends == "yield":
            last = len(nodes)
            nodes.append(self.end(block, end))
        edges = _edges(nodes)
        drawing = place([node.box for node in nodes], edges + _spine(nodes), last)
        width = max(drawing.width, len(label) * SMALL)
        return _Frame(label, nodes, edges, drawing, width, drawing.height)

    def param(self, value: Value) -> _Node:
        name, type = self.writer.names[value], str(value.type)
        return self.node(name, type, "param", f"{name}: {type}", [], [value])

    def end(self, block: Block, end: str) -> _Node:
        text = f"{end} {self.writer.operands(block.results)}".strip()
        return self.node(text, "", "end", text, list(block.results), [])

    def operation(self, op: Operation) -> _Node:
        left = ", ".join(self.writer.typed(value) for value in op.outputs)
        lines = self.writer.sentence(op)
        place = f"{op.location} in {op.location.function}" if op.location else ""
        tooltip = "\n".join(filter(None, [f"{left} = {lines}" if left else lines, place]))
        node = self.node(lines, left, kind_of(op), tooltip, list(used_values(op)), list(op.outputs))
        if op.blocks:
            self.nest(node, op)
        return node

    def node(
        self, title: str, subtitle: str, kind: str, tooltip: str, uses: list[Value], makes: list[Value]
    ) -> _Node:
        title, subtitle = _short(title), _short(subtitle)
        width = max(len(title) * CHARACTER, len(subtitle) * SMALL) + 18
        return _Node(title, subtitle, kind, tooltip, Box(width, 40 if subtitle else 26), uses, makes)

    def nest(self, node: _Node, op: Operation) -> None:
        """Put the blocks of an operation side by side into its box."""
        x, tallest = PADDING, 0.0
        top = HEADER + (12 if node.subtitle else 0)
        for label, block in zip(block_labels(op), op.blocks, strict=True):
            frame = self.frame(block, label, "yield")
            frame.x, frame.y = x + PADDING, top + LABEL
            x += frame.width + 3 * PADDING
            tallest = max(tallest, frame.height)
            node.frames.append(frame)
        node.box.width = max(node.box.width, x)
        node.box.height = top + LABEL + tallest + 2 * PADDING
        spare = (node.box.width - x) / len(node.frames)
        for k, frame in enumerate(node.frames):
            frame.x += spare * k + spare / 2
            frame.height = tallest

    # -- drawing ---------------------------------------------------------------------------------------

    def draw(self, frame: _Frame, x: float, y: float) -> None:
        for start, end in frame.edges:
            self.edge(frame.nodes[start].box, frame.nodes[end].box, frame.drawing.bends[start, end], x, y)
        for node in frame.nodes:
            self.draw_node(node, x + node.box.x, y + node.box.y)

    def draw_node(self, node: _Node, x: float, y: float) -> None:
        fill, stroke = COLOURS[node.kind]
        box, middle = node.box, x + node.box.width / 2
        rounding = 13 if node.kind in ("param", "end") else 5
        self.out.append(f"<g><title>{escape(node.tooltip)}</title>")
        self.out.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
            f'rx="{rounding}" fill="{fill}" stroke="{stroke}"/>'
        )
        self.text(middle, y + 17, node.title, anchor="middle")
        if node.subtitle:
            self.text(middle, y + 32, node.subtitle, size=10, anchor="middle", colour="#5b6577")
        self.out.append("</g>")
        for frame in node.frames:
            self.panel(frame, x + frame.x, y + frame.y)

    def panel(self, frame: _Frame, x: float, y: float) -> None:
        self.out.append(
            f'<rect x="{x - PADDING:.1f}" y="{y - LABEL:.1f}" width="{frame.width + 2 * PADDING:.1f}" '
            f'height="{frame.height + LABEL + PADDING:.1f}" rx="4" fill="#ffffff" stroke="#d5dae3"/>'
        )
        self.text(x - PADDING + 7, y - 6, frame.label, size=10, weight="bold", colour="#7a8496")
        self.draw(frame, x + (frame.width - frame.drawing.width) / 2, y)

    def edge(self, start: Box, end: Box, bends: list[tuple[float, float, float]], x: float, y: float) -> None:
        """From the foot of one box to the head of another, straight past the layers between."""
        here_x, here_y = start.middle, start.y + start.height
        path = f"M{x + here_x:.1f},{y + here_y:.1f}"
        for there_x, top, bottom in [*bends, (end.middle, end.y, end.y)]:
            bend = max(12.0, (top - here_y) / 2)
            path += f" C{x + here_x:.1f},{y + here_y + bend:.1f} {x + there_x:.1f},{y + top - bend:.1f}"
            path += f" {x + there_x:.1f},{y + top:.1f}"
            path += (
                f" V{y + bottom:.1f}" if bottom > top else ""
            )  # a stroke of no length would turn the arrow
            here_x, here_y = there_x, bottom
        self.out.append(
            f'<path d="{path}" fill="none" stroke="#8a94a6" stroke-width="1.2" marker-end="url(#arrow)"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: int = 12,
        anchor: str = "start",
        weight: str = "normal",
        colour: str = "#1f2733",
    ) -> None:
        self.out.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'font-weight="{weight}" fill="{colour}">{escape(words)}</text>'
        )


def _edges(nodes: list[_Node]) -> list[Edge]:
    """From where a value is made to where it is used."""
    makers = {value: k for k, node in enumerate(nodes) for value in node.makes}
    edges: dict[Edge, None] = {}
    for k, node in enumerate(nodes):
        for value in node.uses:
            if not is_constant(value) and value in makers:
                edges[makers[value], k] = None
    return list(edges)


def _spine(nodes: list[_Node]) -> list[Edge]:
    """Control flow and effects stand one below the other, in the order in which they happen."""
    steps = [k for k, node in enumerate(nodes) if node.kind in ("control", "effect", "write")]
    return list(zip(steps, steps[1:], strict=False))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
