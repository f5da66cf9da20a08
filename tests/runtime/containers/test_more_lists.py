"""Slices, extending, comparing, mistakes midway; functions of the standard library on lists."""

import bisect
import functools
import heapq
from collections import defaultdict

import numpy as np

from tests.programs import Programs
from tests.runtime.containers.values import X

PROGRAMS = Programs()


@PROGRAMS.of((5,), (3,))
def exception_midway(n):
    log = []
    for i in range(n):
        log.append(i)
        print("at", i, log)
        if i == 3:
            raise RuntimeError(f"at {log}")
    return log


@PROGRAMS.of((5,), (2,), (0,))
def del_slices(n):
    xs = list(range(10))
    for i in range(n):
        del xs[0]
    del xs[1:3]
    xs[1:2] = [7, 8, 9]
    return xs


@PROGRAMS.of((5,), (0,))
def extend_various(n):
    xs = []
    for i in range(n):
        xs.extend([i, i])
        xs.extend((i,))
        xs += [9]
        xs.extend(range(2))
    return xs


@PROGRAMS.of((X, 5), (X, 0))
def extend_array(x, n):
    xs = []
    for i in range(n):
        xs.extend(x)
    return xs


@PROGRAMS.of((5,), (0,))
def comp_of_list(n):
    xs = [i for i in range(n)]
    ys = [a + b for a, b in zip(xs, xs[1:])]
    zs = [(i, v) for i, v in enumerate(ys) if v % 3]
    return ys, zs, [[j for j in range(i)] for i in xs]


@PROGRAMS.of((5,), (0,))
def reduce_list(n):
    xs = []
    for i in range(n):
        xs.append(i)
    return functools.reduce(lambda a, b: a + b, xs, 10)


@PROGRAMS.of((5,), (0,))
def map_list(n):
    xs = []
    for i in range(n):
        xs.append(i)
    return list(map(lambda v: v * 2, xs)), list(filter(lambda v: v % 2, xs)), [str(v) for v in xs]


@PROGRAMS.of((5,), (0,))
def counter_like(n):
    c = defaultdict(int)
    for i in range(n):
        c[i % 3] += 1
    return dict(c)


@PROGRAMS.of((5,), (0,))
def in_checks(n):
    xs = []
    for i in range(n):
        if i * 2 not in xs:
            xs.append(i * 2)
    return xs, 4 in xs, xs.count(4)


@PROGRAMS.of((5,), (0,))
def walrus(n):
    xs = []
    i = 0
    while (k := len(xs)) < n:
        xs.append(k * k)
    return xs


@PROGRAMS.of((5,), (0,))
def compare(n):
    xs, ys = [], []
    for i in range(n):
        xs.append(i)
        ys.append(i)
    if n:
        ys[-1] += 1
    return xs == ys, xs != ys, xs < ys, xs <= xs, xs == [0, 1, 2, 3, 4]


@PROGRAMS.of((5,), (0,))
def nested_index(n):
    m = [[1, 2, 3], [4, 5, 6]]
    t = 0
    for i in range(n):
        t += m[i % 2][i % 3]
    return t


@PROGRAMS.of((5,), (0,))
def array_index_with_list(n):
    x = np.arange(10.0)
    idx = []
    for i in range(n):
        idx.append(i)
    return x[idx], x[np.array(idx, dtype=int)]


@PROGRAMS.of((5,), (0,))
def chars(n):
    out = []
    for ch in "hello world":
        if len(out) < n:
            out.append(ch)
    return "".join(out)


@PROGRAMS.of((5,), (0,))
def matrix_rows(n):
    rows = []
    for i in range(n):
        rows.append([i, i + 0.5])
    a = np.array(rows) if rows else np.zeros((0, 2))
    return a, a.sum()


@PROGRAMS.of((3,), (0,))
def bools(n):
    xs = [True] * n
    for i in range(n):
        xs[i] = not xs[i]
    return xs, any(xs), all(xs)


@PROGRAMS.of((3,), (0,))
def sum_mixed(n):
    xs = [0.5]
    for i in range(n):
        xs.append(i)
    return sum(xs), sum(xs) / len(xs), max(xs), sorted(xs)


@PROGRAMS.of((3,), (0,))
def tuple_keys(n):
    seen = {}
    for i in range(n):
        for j in range(i):
            seen[i, j] = i * j
    return seen, (2, 1) in seen


@PROGRAMS.of((3,), (0,))
def set_ops(n):
    a, b = set(), {1, 2}
    for i in range(n):
        a.add(i)
    return a | b, a & b, a - b, a == b, sorted(a)


@PROGRAMS.of((3,), (0,))
def strip_loop(n):
    text = "a,b;c"
    out = []
    cur = ""
    for ch in text:
        if ch in ",;":
            out.append(cur)
            cur = ""
        else:
            cur += ch
        if len(out) > n:
            break
    return out, cur


@PROGRAMS.of((5,), (0,), (1,))
def heap(n):
    h = []
    for i in range(n):
        heapq.heappush(h, (i * 7) % 5)
    return h


@PROGRAMS.of((7,), (0,), (1,))
def heap_sort(n):
    h = []
    for i in range(n):
        heapq.heappush(h, (i * 7) % 5)
    out = []
    while h:
        out.append(heapq.heappop(h))
    return out


@PROGRAMS.of((7,), (1,))
def heap_known(n):
    h = [5, 3, 9, 1]
    heapq.heapify(h)
    a = heapq.heappushpop(h, n)
    heapq.heappush(h, n * 2)
    return h, a


@PROGRAMS.of((7,), (0,), (1,))
def bisecting(n):
    xs = []
    for i in range(n):
        bisect.insort(xs, (i * 7) % 5)
    return xs, bisect.bisect_left(xs, 2), bisect.bisect([1, 3, 5], n)


@PROGRAMS.of((7,), (0,))
def dijkstra(n):
    graph = {0: [(1, 4), (2, 1)], 1: [(3, 1)], 2: [(1, 2), (3, 5)], 3: []}
    dist = {0: n}
    queue = [(n, 0)]
    while queue:
        d, node = heapq.heappop(queue)
        if d > dist[node]:
            continue
        for other, w in graph[node]:
            nd = d + w
            if other not in dist or nd < dist[other]:
                dist[other] = nd
                heapq.heappush(queue, (nd, other))
    return dist


test_program = PROGRAMS.test()
