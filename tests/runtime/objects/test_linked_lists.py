"""Nodes that refer to the next one, made, walked and turned round under staged conditions."""

import numpy as np

from tests.features.registry import floats
from tests.programs import Programs
from tests.runtime.objects.classes import Box, Node

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def linked_list(function):
    class Node:
        def __init__(self, v, nxt=None):
            self.v = v
            self.next = nxt

    @function
    def f(x):
        head = None
        for v in x:
            if v > 0:
                head = Node(v, head)
        total = 0.0
        k = 0
        while head is not None:
            total += head.v * k
            k += 1
            head = head.next
        return total

    return [f(floats(1, -2, 3, 4)), f(floats(-1, -2)), f(floats(5, 6, 7, 8, 9))]


@scenario
def linked_list_static(function):
    @function
    def f(x):
        head = None
        for k in range(3):
            head = Node(x[k], head)
        total = 0.0
        node = head
        while node is not None:
            total = total * 2 + node.v
            node = node.next
        return total

    return [f(floats(1, -2, 3, 4)), f(floats(-1, -2, 5))]


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


@scenario
def reverse_list(function):
    def tolist(n):
        out = []
        while n is not None:
            out.append(n.v)
            n = n.next
        return out

    @function
    def rev(head):
        prev = None
        while head is not None:
            nxt = head.next
            head.next = prev
            prev = head
            head = nxt
        return prev

    r = []
    for k in range(1, 5):
        h = None
        for i in range(k):
            h = Node(i, h)
        r.append(tolist(rev(h)))
    return r


@scenario
def return_node(function):
    @function
    def f(a):
        head = None
        for v in a:
            if v > 0:
                head = Node(v, head)
        return head

    def unroll(n):
        o = []
        while n is not None:
            o.append(n.v)
            n = n.next
        return o

    return [unroll(f(floats(1, -2, 3))), unroll(f(floats(-1))), unroll(f(floats(1, 2, 3, 4)))]


@scenario
def cycle(function):
    @function
    def f(a, k):
        first = Node(a[0])
        cur = first
        for v in a[1:]:
            n = Node(v)
            cur.next = n
            cur = n
        cur.next = first
        t = 0.0
        node = first
        for i in range(k):
            node = node.next
            t += node.v
            node.v += 1
            if node is first:
                t += 1000
        return t

    return [f(floats(1, -2, 3), 5), f(floats(1), 3), f(floats(1, 2, 3, 4), 9)]


@scenario
def optional_best(function):
    @function
    def f(a):
        best = None
        for i, v in enumerate(a):
            if best is None or v > best.x:
                best = Box(v)
                best.i = i
        if best is None:
            return None
        return best.x, best.i

    return [f(floats(1, -2, 3)), f(floats(1)), f(floats())]


@PROGRAMS.of(*[(np.array([n]),) for n in (3, 0, 5)])
def made_and_turned_round_in_loops(x):
    head = None
    for i in range(int(x[0])):
        head = Node(i, head)
    turned = None
    while head:
        head.next, turned, head = turned, head, head.next
    found = []
    while turned:
        found.append(turned.v)
        turned = turned.next
    return found


test_program = PROGRAMS.test()
