"""Objects that refer to each other, or to themselves: walked, changed, returned, stored outside."""

import numpy as np

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()
ONE, OTHER = np.array([1.0, -2.0, 3.0]), np.array([-1.0, 2.0, 5.0])
BOTH = ((ONE,), (OTHER,))


class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent, self.children = value, parent, []
        if parent is not None:
            parent.children.append(self)

    def depth(self):
        node, depth = self, 0
        while node.parent is not None:
            node, depth = node.parent, depth + 1
        return depth


class Forest:
    root = None


@PROGRAMS.of(*BOTH)
def walked_from_below(x):
    root = Node(x[0])
    child = Node(x[1], root)
    if x[0] > 0:
        Node(x[2], child)
    else:
        Node(x[2], root)
    return [child.depth(), len(root.children)], sum(c.value * c.parent.value for c in root.children)


@PROGRAMS.of(*BOTH)
def a_ring(x):
    first, second = Node(x[0]), Node(x[1])
    first.parent, second.parent = second, first
    at, total = first, np.float64(0)
    for v in x:
        if v > 0:
            total += at.value
        at = at.parent
    return total


@PROGRAMS.of(*BOTH)
def a_tree_is_returned(x):
    root = Node(x[0])
    child = Node(x[1], root)
    Node(x[2], child)
    return root.children[0].parent is root, root, child


@PROGRAMS.of(*BOTH)
def a_list_of_itself_is_returned(x):
    items = [x[0]]
    items.append(items)
    table = {"items": items}
    table["table"] = table
    return table


@PROGRAMS.of(*BOTH)
def a_tree_is_stored_outside(x):
    Forest.root = Node(x[0])
    Node(x[1], Forest.root)
    if x[0] > 0:
        Forest.root.value += 1
    return x[2]


test_program = PROGRAMS.test()


def test_who_is_who() -> None:
    @rt.function
    def tree(x):
        root = Node(x[0])
        return root, Node(x[1], root)

    root, child = tree(ONE)
    assert child.parent is root and root.children == [child]
    assert tree(ONE)[0] is not root
