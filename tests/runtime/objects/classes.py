"""The smallest classes, and a list of objects, which several programs use."""


class Box:
    def __init__(self, x):
        self.x = x


class Node:
    def __init__(self, v, nxt=None):
        self.v = v
        self.next = nxt


def each(cls, values):
    """A list of objects, of a length that a run knows: one for each value but zero."""
    made = []
    for v in values:
        if v != 0:
            made.append(cls(v))
    return made
