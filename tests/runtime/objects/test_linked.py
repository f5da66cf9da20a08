"""Objects that refer to others, made or changed under staged conditions: chains, trees, cycles, classes."""

import math
from collections import deque

import numpy as np
import pytest

from tests.differential import ENGINES, check_scenario

SCENARIOS = []


def scenario(function):
    SCENARIOS.append(function)
    return function


def A(*values):
    return np.array(values, dtype=float)


class Node:
    def __init__(self, v, nxt=None):
        self.v = v
        self.next = nxt


class P:
    def __init__(self, x):
        self.x = x


class Shape:
    count = 0

    def __init__(self, name):
        self.name = name

    def area(self):
        return 0.0

    def describe(self):
        return f"{self.name}:{self.area():.2f}"


class Circle(Shape):
    def __init__(self, r):
        super().__init__("circle")
        self.r = r

    def area(self):
        return math.pi * self.r**2


class Square(Shape):
    def __init__(self, s):
        super().__init__("square")
        self.s = s

    def area(self):
        return self.s * self.s

    @property
    def side(self):
        return self.s

    @side.setter
    def side(self, v):
        if v < 0:
            raise ValueError(f"side {v}")
        self.s = v


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

    return [f(A(1, -2, 3, 4)), f(A(-1, -2)), f(A(5, 6, 7, 8, 9))]


@scenario
def linked_list_static(function):
    class Node:
        def __init__(self, v, nxt=None):
            self.v = v
            self.next = nxt

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

    return [f(A(1, -2, 3, 4)), f(A(-1, -2, 5))]


@scenario
def linked_list_global(function):
    class Node:
        def __init__(self, v, nxt=None):
            self.v = v
            self.next = nxt

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
    class Node:
        def __init__(self, v, nxt=None):
            self.v = v
            self.next = nxt

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
def bst_insert(function):
    class N:
        def __init__(self, k):
            self.k = k
            self.l = None
            self.r = None

    class BST:
        def __init__(self):
            self.root = None
            self.n = 0

        def insert(self, k):
            self.n += 1
            if self.root is None:
                self.root = N(k)
                return
            c = self.root
            while True:
                if k < c.k:
                    if c.l is None:
                        c.l = N(k)
                        return
                    c = c.l
                else:
                    if c.r is None:
                        c.r = N(k)
                        return
                    c = c.r

        def walk(self):
            out = []

            def go(n):
                if n is None:
                    return
                go(n.l)
                out.append(n.k)
                go(n.r)

            go(self.root)
            return out

    t = BST()

    @function
    def f(x):
        t.insert(x)

    for v in [5.0, 2.0, 8.0, 1.0, 9.0, 3.0]:
        f(v)
    return t.walk(), t.n


@scenario
def hierarchy(function):
    @function
    def f(a):
        shapes = []
        for v in a:
            if v > 0:
                shapes.append(Circle(v))
            elif v < 0:
                shapes.append(Square(-v))
        total = 0.0
        for s in shapes:
            total += s.area()
            if isinstance(s, Square):
                s.side = s.side + 1
            print(s.describe(), s.name)
        return total, [s.area() for s in shapes]

    return [f(A(1, -2, 3)), f(A(0.0)), f(A(2, -2))]


@scenario
def setter_raises(function):
    @function
    def f(a):
        sq = []
        for v in a:
            if v != 0:
                sq.append(Square(1.0))
        for s, v in zip(sq, a):
            s.side = v
        return [s.s for s in sq]

    r = []
    for v in (A(1, 2, 0), A(1, -2), A(5)):
        try:
            r.append(f(v))
        except ValueError as e:
            r.append(str(e))
    return r


@scenario
def tree_children(function):
    class T:
        def __init__(self, v):
            self.v = v
            self.kids = []

        def add(self, k):
            self.kids.append(k)
            return k

    def total(t):
        s = t.v
        for k in t.kids:
            s += total(k)
        return s

    def depth(t):
        d = 0
        for k in t.kids:
            d = max(d, depth(k))
        return d + 1

    @function
    def f(a):
        root = T(0.0)
        cur = root
        for v in a:
            n = T(v)
            if v > 0:
                cur = cur.add(n)
            else:
                root.add(n)
        return total(root), depth(root)

    return [f(A(1, -2, 3)), f(A(2, 1, 1, -1)), f(A(-1))]


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

    return [unroll(f(A(1, -2, 3))), unroll(f(A(-1))), unroll(f(A(1, 2, 3, 4)))]


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

    return [f(A(1, -2, 3), 5), f(A(1), 3), f(A(1, 2, 3, 4), 9)]


@scenario
def nested_lists(function):
    class Graph:
        def __init__(self):
            self.adj = {}

        def edge(self, a, b):
            self.adj.setdefault(a, []).append(b)
            self.adj.setdefault(b, []).append(a)

        def bfs(self, s):
            dist = {s: 0}
            q = deque([s])
            while q:
                u = q.popleft()
                for v in self.adj[u]:
                    if v not in dist:
                        dist[v] = dist[u] + 1
                        q.append(v)
            return dist

    @function
    def f(e, s):
        g = Graph()
        for a, b in e:
            g.edge(int(a), int(b))
        return g.bfs(s)

    return [f(np.array([[0, 1], [1, 2], [0, 3]]), 0), f(np.array([[0, 1], [1, 2], [0, 3], [3, 4]]), 4)]


@scenario
def optional_best(function):
    @function
    def f(a):
        best = None
        for i, v in enumerate(a):
            if best is None or v > best.x:
                best = P(v)
                best.i = i
        if best is None:
            return None
        return best.x, best.i

    return [f(A(1, -2, 3)), f(A(1)), f(A())]


@scenario
def callbacks(function):
    class Bus:
        def __init__(self):
            self.handlers = {}
            self.log = []

        def on(self, k, h):
            self.handlers.setdefault(k, []).append(h)

        def emit(self, k, v):
            for h in self.handlers.get(k, []):
                h(v)

    @function
    def f(a):
        b = Bus()
        tot = [0.0]

        def add(v):
            tot[0] += v

        b.on("add", add)
        b.on("add", b.log.append)
        for v in a:
            if v > 0:
                b.emit("add", v)
        return tot[0], b.log

    return [f(A(1, -2, 3)), f(A(1))]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", SCENARIOS, ids=lambda program: program.__name__)
def test_scenario(program, engine):
    check_scenario(program, engines=(engine,), promotes=True)
