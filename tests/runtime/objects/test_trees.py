"""Trees and graphs of objects, made inside or found outside, and functions that walk them."""

from collections import deque

import numpy as np

from tests.features.registry import floats
from tests.programs import Programs

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

    return [f(floats(1, -2, 3)), f(floats(2, 1, 1, -1)), f(floats(-1))]


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


test_program = PROGRAMS.test()
