"""The smallest classes, which several programs use."""


class Box:
    def __init__(self, x):
        self.x = x


class Node:
    def __init__(self, v, nxt=None):
        self.v = v
        self.next = nxt
