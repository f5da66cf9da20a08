"""Where the nodes of a drawing go: layers from top to bottom, few crossings, straight lines (Sugiyama).

>>> a, b, c = Box(60, 20), Box(60, 20), Box(60, 20)
>>> drawing = place([a, b, c], [(0, 2), (1, 2)])
>>> a.y == b.y < c.y, a.x < c.x < b.x
(True, True)

Source: Sugiyama, Tagawa, Toda, "Methods for visual understanding of hierarchical system structures" (1981).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

GAP_X, GAP_Y = 18.0, 30.0
SWEEPS = 8

#: indices of two boxes, the upper one first
Edge: TypeAlias = tuple[int, int]


@dataclass(eq=False, slots=True)
class Box:
    """A node of a known size; ``place`` fills in its upper left corner."""

    width: float
    height: float
    x: float = 0.0
    y: float = 0.0

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(slots=True)
class Drawing:
    """The size of the whole, and where each edge passes the layers between: (x, top, bottom)."""

    width: float
    height: float
    bends: dict[Edge, list[tuple[float, float, float]]]


@dataclass(eq=False, slots=True)
class _Node:
    width: float
    height: float
    rank: int
    box: Box | None = None  # None: a bend of a long edge
    above: list[_Node] = field(default_factory=list)
    below: list[_Node] = field(default_factory=list)
    center: float = 0.0
    place: int = 0
    top: float = 0.0
    bottom: float = 0.0


def place(boxes: Sequence[Box], edges: Sequence[Edge], last: int | None = None) -> Drawing:
    """Lay the boxes out; edges go from earlier to later boxes.

    ``last`` is a box that goes below all others.
    """
    if not boxes:
        return Drawing(0.0, 0.0, {})
    layers, chains = _layers(boxes, edges, last)
    _order(layers)
    _spread(layers)
    left = min(node.center - node.width / 2 for layer in layers for node in layer)
    y = 0.0
    for layer in layers:
        height = max(node.height for node in layer)
        for node in layer:
            node.top, node.bottom = y, y + height
            if node.box is not None:
                node.box.x = node.center - node.width / 2 - left
                node.box.y = y
        y += height + GAP_Y
    right = max(node.center + node.width / 2 for layer in layers for node in layer)
    bends = {edge: [(n.center - left, n.top, n.bottom) for n in chain] for edge, chain in chains.items()}
    return Drawing(right - left, y - GAP_Y, bends)


def _layers(
    boxes: Sequence[Box], edges: Sequence[Edge], last: int | None
) -> tuple[list[list[_Node]], dict[Edge, list[_Node]]]:
    """One list of nodes for each layer, with bends where an edge passes a layer; the bends of each edge."""
    nodes = [_Node(box.width, box.height, 0, box) for box in boxes]
    for start, end in sorted(edges, key=lambda edge: edge[1]):
        nodes[end].rank = max(nodes[end].rank, nodes[start].rank + 1)
    if last is not None:
        nodes[last].rank = max(nodes[last].rank, *(node.rank for node in nodes)) + (len(nodes) > 1)
    layers: list[list[_Node]] = [[] for _ in range(max(node.rank for node in nodes) + 1)]
    for node in nodes:
        layers[node.rank].append(node)
    chains: dict[Edge, list[_Node]] = {}
    for start, end in edges:
        upper = nodes[start]
        chain = chains[start, end] = []
        for rank in range(upper.rank + 1, nodes[end].rank):
            bend = _Node(6.0, 0.0, rank)
            layers[rank].append(bend)
            chain.append(bend)
            _link(upper, bend)
            upper = bend
        _link(upper, nodes[end])
    return [layer for layer in layers if layer], chains


def _link(upper: _Node, lower: _Node) -> None:
    upper.below.append(lower)
    lower.above.append(upper)


def _order(layers: list[list[_Node]]) -> None:
    """Within each layer, near the mean of the neighbours: few edges cross."""
    for layer in layers:
        _number(layer)
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        for layer in layers if downwards else reversed(layers):
            keys = {id(node): _mean_place(node, node.above if downwards else node.below) for node in layer}
            layer.sort(key=lambda node: keys[id(node)])
            _number(layer)


def _mean_place(node: _Node, neighbours: list[_Node]) -> float:
    return sum(other.place for other in neighbours) / len(neighbours) if neighbours else float(node.place)


def _number(layer: list[_Node]) -> None:
    for k, node in enumerate(layer):
        node.place = k


def _spread(layers: list[list[_Node]]) -> None:
    """Centres: as near to the neighbours' as the order and the widths allow."""
    for layer in layers:
        _settle(layer, [0.0] * len(layer))
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            _settle(layer, [_mean_center(node) for node in layer])


def _mean_center(node: _Node) -> float:
    neighbours = node.above + node.below
    if not neighbours:
        return node.center
    return sum(other.center for other in neighbours) / len(neighbours)


def _settle(layer: list[_Node], wanted: list[float]) -> None:
    """Least squares under the order, by pooling neighbours that collide."""
    offsets = [0.0]
    for left, right in zip(layer, layer[1:], strict=False):
        offsets.append(offsets[-1] + left.width / 2 + GAP_X + right.width / 2)
    pools: list[tuple[float, int]] = []  # mean of (wanted - offset), number of nodes
    for wish, offset in zip(wanted, offsets, strict=True):
        mean, count = wish - offset, 1
        while pools and pools[-1][0] > mean:
            other, n = pools.pop()
            mean, count = (mean * count + other * n) / (count + n), count + n
        pools.append((mean, count))
    means = [mean for mean, count in pools for _ in range(count)]
    for node, mean, offset in zip(layer, means, offsets, strict=True):
        node.center = mean + offset
