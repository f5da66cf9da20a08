"""A graph as nested boxes, in the order of the program: an operation is a box, and so is each block in one.

The colours are those of `autograph graph --format dot`, which Graphviz draws.
"""

from __future__ import annotations

from html import escape

from runtime.formats.pictures import COLOURS, block_labels, kind_of
from runtime.graph import Block, Graph, Operation
from runtime.graph.names import is_shown

LETTER, LINE, PAD = 7.0, 18.0, 8.0


class Box:
    """Lines of text, and boxes below them, one beside the other or one under the other."""

    def __init__(
        self, lines: list[str], kind: str = "", inner: list[Box] | None = None, beside: bool = False
    ) -> None:
        self.lines, self.kind, self.inner, self.beside = lines, kind, inner or [], beside
        widths, heights = [box.width for box in self.inner], [box.height for box in self.inner]
        gaps = PAD * max(0, len(self.inner) - 1)
        wide = sum(widths) + gaps if beside else max(widths, default=0)
        high = max(heights, default=0) if beside else sum(heights) + gaps
        self.width: float = max(wide, max((len(line) for line in lines), default=0) * LETTER) + 2 * PAD
        self.height: float = LINE * len(lines) + high + PAD * (1 + bool(self.inner))

    def svg(self, x: float, y: float) -> str:
        """The box with what is in it, its corner at (x, y)."""
        fill, line = COLOURS.get(self.kind, ("#ffffff", "#d5dae3"))
        parts = [
            f'<rect x="{x:g}" y="{y:g}" width="{self.width:g}" height="{self.height:g}" rx="4" '
            f'fill="{fill}" stroke="{line}"/>'
        ]
        for k, text in enumerate(self.lines):
            parts.append(f'<text x="{x + PAD:g}" y="{y + LINE * (k + 1) - 3:g}">{escape(text)}</text>')
        right, down = x + PAD, y + LINE * len(self.lines) + PAD
        for box in self.inner:
            parts.append(box.svg(right, down))
            if self.beside:
                right += box.width + PAD
            else:
                down += box.height + PAD
        return "\n".join(parts)


def graph_svg(graph: Graph) -> str:
    """The whole picture."""
    writer = graph.writer()

    def block_box(words: str, block: Block, end: str) -> Box:
        inner = [Box([writer.typed(value)], "param") for value in block.params] if end == "return" else []
        inner += [operation_box(op) for op in block.operations if is_shown(op)]
        if block.ends == "yield":
            inner.append(Box([f"{end} {writer.operands(block.results)}".strip()], "end"))
        return Box([words], "", inner)

    def operation_box(op: Operation) -> Box:
        given = ", ".join(writer.typed(value) for value in op.outputs)
        sentence = writer.sentence(op)
        if not op.blocks:
            return Box([f"{given} = {sentence}" if given else sentence], kind_of(op))
        blocks = [
            block_box(words, block, "yield") for words, block in zip(block_labels(op), op.blocks, strict=True)
        ]
        return Box(list(filter(None, [sentence, given])), "control", blocks, beside=True)

    whole = block_box(f"graph {graph.name}", graph.body, "return")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole.width + 2:g}" height="{whole.height + 2:g}" '
        'font-family="monospace" font-size="11.5" fill="#20242c">\n'
        f"{whole.svg(1, 1)}\n</svg>\n"
    )
