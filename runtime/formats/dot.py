"""A graph in the DOT language of Graphviz, which draws it.

>>> from runtime.formats.parse import parse
>>> print(to_dot(parse('''
... graph double(x: float) -> float:
...     y: float = py.mul(x, 2.0)
...     return y
... ''')), end="")
digraph "double" {
  node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11];
  edge [color="#8a94a6"];
  compound=true;
  n1 [label="x: float", fillcolor="#e9f7e8", color="#94cf90"];
  n2 [label="py.mul(x, 2.0)\\ny: float", fillcolor="#eaf2ff", color="#9dbcf0"];
  n3 [label="return y", fillcolor="#f2ebfd", color="#bda3ea"];
  n1 -> n2;
  n2 -> n3;
}
"""

from __future__ import annotations

from runtime.formats.pictures import COLOURS, block_labels, kind_of
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.literals import is_constant
from runtime.graph.names import is_shown


def to_dot(graph: Graph) -> str:
    """The text of a ``.dot`` file. A nested block is a cluster."""
    return _Dot(graph).text()


class _Dot:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.writer = graph.writer()
        self.lines: list[str] = []
        self.edges: dict[str, None] = {}
        self.made_by: dict[Value, str] = {}
        self.nodes = self.clusters = 0

    def text(self) -> str:
        self.block(self.graph.body, "return", 1)
        for function in self.graph.functions.values():
            self.open_cluster(f"function @{function.name}", ("#ffffff", "#d5dae3"), 1)
            self.block(function.body, "return", 2)
            self.line("}", 1)
        head = [
            f"digraph {quoted(self.graph.name)} {{",
            '  node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11];',
            '  edge [color="#8a94a6"];',
            "  compound=true;",
        ]
        return "\n".join([*head, *self.lines, *[f"  {edge};" for edge in self.edges], "}"]) + "\n"

    def block(self, block: Block, end: str, depth: int) -> None:
        for value in block.params:
            self.made_by[value] = self.node(self.writer.typed(value), "param", depth)
        for op in block.operations:
            if is_shown(op):
                self.operation(op, depth)
        if block.ends == "yield":
            words = f"{end} {self.writer.operands(block.results)}".strip()
            self.connect(block.results, self.node(words, "end", depth))

    def operation(self, op: Operation, depth: int) -> None:
        outputs = ", ".join(self.writer.typed(value) for value in op.outputs)
        label = "\n".join(filter(None, [self.writer.sentence(op), outputs]))
        if not op.blocks:
            name = self.node(label, kind_of(op), depth, str(op.location or ""))
        else:
            name = self.clustered(op, label, depth)
        self.connect(op.inputs, name)
        self.made_by.update(dict.fromkeys(op.outputs, name))

    def clustered(self, op: Operation, label: str, depth: int) -> str:
        """A cluster for the operation with one for each block; the operation itself is a node in it."""
        self.open_cluster(op.name, COLOURS["control"], depth)
        name = self.node(label, "control", depth + 1, str(op.location or ""))
        for words, block in zip(block_labels(op), op.blocks, strict=True):
            self.open_cluster(words, ("#ffffff", "#d5dae3"), depth + 1)
            self.block(block, "yield", depth + 2)
            self.line("}", depth + 1)
        self.line("}", depth)
        return name

    def open_cluster(self, label: str, colours: tuple[str, str], depth: int) -> None:
        self.clusters += 1
        fill, line = colours
        self.line(f"subgraph cluster_{self.clusters} {{", depth)
        self.line(
            f'label={quoted(label)}; style="rounded,filled"; labeljust=l; fontname="monospace";', depth + 1
        )
        self.line(f'fillcolor="{fill}"; color="{line}";', depth + 1)

    def node(self, label: str, kind: str, depth: int, tooltip: str = "") -> str:
        self.nodes += 1
        fill, line = COLOURS[kind]
        extra = f", tooltip={quoted(tooltip)}" if tooltip else ""
        self.line(f'n{self.nodes} [label={quoted(label)}, fillcolor="{fill}", color="{line}"{extra}];', depth)
        return f"n{self.nodes}"

    def connect(self, values: tuple[Value, ...], name: str) -> None:
        for value in values:
            if not is_constant(value) and value in self.made_by:
                self.edges[f"{self.made_by[value]} -> {name}"] = None

    def line(self, text: str, depth: int) -> None:
        self.lines.append("  " * depth + text)


def quoted(text: str) -> str:
    """A DOT string. Backslashes of the text itself are kept."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
