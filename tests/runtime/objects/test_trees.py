"""Trees, linked lists and graphs of objects, made inside or found outside, and functions that walk them."""

from tests.programs import Programs
from tests.runtime.objects.classes import Node

PROGRAMS = Programs()

scenario = PROGRAMS.scenario


@scenario
def tree_sum(function):
    class Tree:
        def __init__(self, v, l=None, r=None):
            self.v = v
            self.l = l
            self.r = r

    def total(t, x):
        if t is None:
            return 0.0
        s = t.v if t.v > x else 0.0
        return s + total(t.l, x) + total(t.r, x)

    @function
    def f(t, x):
        return total(t, x)

    t = Tree(1.0, Tree(2.0), Tree(3.0, Tree(4.0)))
    r = [f(t, 1.5), f(t, 2.5)]
    t.r.v = 100.0
    r.append(f(t, 1.5))
    t.l.l = Tree(7.0)
    r.append(f(t, 1.5))
    return r


@scenario
def tree_outside(function):
    class T:
        def __init__(self, v, *kids):
            self.v = v
            self.kids = list(kids)

    def total(t, x):
        s = t.v if t.v > x else 0.0
        for k in t.kids:
            s += total(k, x)
        return s

    root = T(1.0, T(2.0), T(3.0, T(4.0)))

    @function
    def f(x):
        return total(root, x)

    r = [f(0.0), f(2.5)]
    root.kids.append(T(10.0))
    r.append(f(0.0))
    root.kids[1].kids[0].v = 7.0
    r.append(f(0.0))
    root.kids.pop(0)
    r.append(f(0.0))
    return r


@scenario
def linked_list_global(function):
    lst = Node(1.0, Node(2.0, Node(3.0)))

    @function
    def f(x):
        node = lst
        t = 0.0
        while node is not None:
            if node.v > x:
                t += node.v
            node = node.next
        return t

    r = [f(1.5), f(0.5)]
    lst.next.next.next = Node(10.0)
    r.append(f(1.5))
    lst.next = None
    r.append(f(0.5))
    return r


test_program = PROGRAMS.test()
