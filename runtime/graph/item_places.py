"""Which items of an array do two operations touch: surely different ones? Read off counters of loops.

>>> from runtime.formats.parse import parse
>>> graph = parse('''
... graph f(x: f64[9]) -> ():
...     for i: int in range(0, 8, 1):
...         n: int = py.add(i, 1)
...         for j: int in range(n, 9, 1):
...             y: f64 = x[i]
...             x[j] = y
...     return
... ''')
>>> read, store = [op for op in graph.operations() if op.is_item]
>>> places = ItemPlaces(graph)
>>> places.are_apart(read, store), places.is_inside(read)
(True, True)
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.graph.core import Graph
from runtime.graph.operations import Operation, Value
from runtime.ops.definition import Dynamic
from runtime.types import INT, ArrayType, is_known


class Sum(NamedTuple):
    """An int: a value plus a constant; without a value the constant itself."""

    base: Value | None
    offset: int


class ItemPlaces:
    """Bounds of the ints that index items, in one graph as it stands."""

    def __init__(self, graph: Graph) -> None:
        #: the counter of a ``for`` -> the loop
        self._loops = {op.blocks[-1].params[0]: op for op in graph.operations() if op.is_counted}

    def are_apart(self, a: Operation, b: Operation) -> bool:
        """Do two operations on items of one array surely touch different ones?"""
        if a.inputs[0] is not b.inputs[0]:
            return False
        of_a, of_b = _places(a), _places(b)
        return of_a is not None and of_b is not None and any(map(self._differ, of_a, of_b))

    def is_inside(self, op: Operation) -> bool:
        """Is the item surely one of the array, so that nothing is raised?"""
        return self.perhaps_outside(op) == []

    def perhaps_outside(self, op: Operation) -> list[tuple[Sum, int]] | None:
        """The indices that may lie outside, each with the length of its axis; None: that is not known."""
        places = _places(op)
        shape = op.inputs[0].shape
        if places is None or not is_known(shape):
            return None
        return [
            (place, n)
            for place, n in zip(places, shape, strict=True)
            if not (self.is_natural(place) and self.is_below(place, Sum(None, n)))
        ]

    def _differ(self, a: Sum, b: Sum) -> bool:
        """Negative ones count from the end: whether these differ is not known."""
        natural = self.is_natural(a) and self.is_natural(b)
        return natural and (self.is_below(a, b) or self.is_below(b, a))

    def is_natural(self, x: Sum) -> bool:
        return self.is_below(Sum(None, -1), x)

    def is_below(self, x: Sum, y: Sum) -> bool:
        if x.base is y.base:
            return x.offset < y.offset
        least, most = self.least(y), self.most(x)
        return (least is not None and self.is_below(x, least)) or (
            most is not None and self.is_below(most, y)
        )

    def least(self, x: Sum) -> Sum | None:
        """What a counter is never below."""
        loop, step = self.loop_of(x)
        if loop is None or step == 0:
            return None
        base, offset = sum_of(loop.inputs[0] if step > 0 else loop.inputs[1])
        return Sum(base, offset + x.offset + (step < 0))

    def most(self, x: Sum) -> Sum | None:
        loop, step = self.loop_of(x)
        if loop is None or step == 0:
            return None
        base, offset = sum_of(loop.inputs[1] if step > 0 else loop.inputs[0])
        return Sum(base, offset + x.offset - (step > 0))

    def loop_of(self, x: Sum) -> tuple[Operation | None, int]:
        """The loop whose counter it is, and its step; 0 for one that only a run knows."""
        loop = self._loops.get(x.base) if x.base is not None else None
        step = sum_of(loop.inputs[2]) if loop is not None else Sum(None, 0)
        return loop, step.offset if step.base is None else 0


def _places(op: Operation) -> list[Sum] | None:
    """The index of the one item that is read or stored; None for other accesses."""
    array, index = op.inputs[0].type, op.attributes["index"]
    dynamic = op.indices
    if not isinstance(array, ArrayType) or len(index) != len(array.shape):
        return None
    found: list[Sum] = []
    for item in index:
        if type(item) is int:
            found.append(Sum(None, item))
        elif isinstance(item, Dynamic) and dynamic[item.index].type == INT:
            found.append(sum_of(dynamic[item.index]))
        else:
            return None
    return found


#: of sums and differences: how the second operand counts
SIGNS = {"py.add": 1, "py.sub": -1}


def sum_of(value: Value) -> Sum:
    """A value as another one plus a constant, as far as additions of constants go."""
    op = value.owner
    if op is None:
        return Sum(value, 0)
    if op.is_constant and type(op.attributes["value"]) is int:
        return Sum(None, op.attributes["value"])
    sign = SIGNS.get(op.name)
    if sign is not None:
        left, right = sum_of(op.inputs[0]), sum_of(op.inputs[1])
        if right.base is None:
            return Sum(left.base, left.offset + sign * right.offset)
        if left.base is None and sign > 0:
            return Sum(right.base, left.offset + right.offset)
    return Sum(value, 0)
