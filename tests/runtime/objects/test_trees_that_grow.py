"""Trees that a function makes, key by key: each doubles what is unrolled, so that nodes become real ones."""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
KEYS = np.array([5, 2, 8, 1, 9, 3])


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Node(key)
            else:
                self.left.insert(key)
        elif self.right is None:
            self.right = Node(key)
        else:
            self.right.insert(key)

    def total(self):
        left = self.left.total() if self.left else 0
        right = self.right.total() if self.right else 0
        return self.key + left + right


@PROGRAMS.of((KEYS,), (KEYS[::-1].copy(),), (np.array([4, 4, 4, 4]),))
def sorted_by_a_tree(keys):
    def walk(node):
        if node is not None:
            walk(node.left)
            found.append(node.key)
            walk(node.right)

    root = Node(keys[0])
    for key in keys[1:]:
        root.insert(key)
    found = []
    walk(root)
    return found, root.total()


class Checked:
    """Reads are the program's own business, so that an instance is no object of a run."""

    reads = 0

    def __init__(self, key):
        self.key, self.next = key, None

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)

    def append(self, key):
        if key == self.key:
            return
        if self.next is None:
            self.next = Checked(key)
        else:
            self.next.append(key)

    def length(self):
        return 1 if self.next is None else 1 + self.next.length()


test_program = PROGRAMS.test()


def test_objects_that_compute_their_attributes_are_refused():
    def program(keys):
        first = Checked(keys[0])
        for key in keys[1:]:
            first.append(key)
        return first.length()

    with pytest.raises(StagingError, match="a Checked is made here, whose class computes"):
        rt.function(program)(KEYS)


def test_the_trace_does_not_double_with_each_key():
    function = rt.function(sorted_by_a_tree)
    graphs = [function.get_concrete_function(np.arange(n)).graph for n in (8, 16)]
    small, large = (sum(1 for _ in graph.operations()) for graph in graphs)
    assert small < 300 and large < 2 * small
