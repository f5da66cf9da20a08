"""`copy.deepcopy` and `dataclasses.asdict` of what holds containers and objects that only a run knows."""

import copy
import dataclasses

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
X, ONE, NONE = np.array([3.0, -1.0, 2.0]), np.array([1.0]), np.zeros(0)


@dataclasses.dataclass
class Item:
    price: float
    tags: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Order:
    name: str
    items: list = dataclasses.field(default_factory=list)


class Node:
    def __init__(self, value):
        self.value = value
        self.children = []


@PROGRAMS.of(X, ONE)
def what_is_shared_stays_shared(x):
    rows = [[v] for v in x if v > 0]
    whole = copy.deepcopy([rows, rows[0], {"rows": rows}])
    whole[0][0].append(7.0)
    return whole[1], whole[2]["rows"] is whole[0], rows


@PROGRAMS.of((1.0,), (-1.0,))
def one_of_several(v):
    a, b, root = Node(v), Node(2.0), Node(3.0)
    root.left = a if v > 0 else b
    root.right = a
    other = copy.deepcopy(root)
    other.right.value = 9.0
    return other.left.value, other.left is other.right, a.value


@PROGRAMS.of((2.0,), (-1.0,))
def nested_dataclasses(price):
    order = Order("a", [Item(price), Item(1.0)])
    if price > 0:
        order.items[0].tags.append("large")
    return dataclasses.asdict(order)


test_copies = PROGRAMS.test()
