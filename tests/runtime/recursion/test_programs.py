"""Recursive programs that people write: puzzles, memoised functions, searches, walks."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


A = np.array


@scenario
def backtrack(function):
    def solve(n):
        cols = [0] * n
        count = 0

        def ok(r, c):
            for i in range(r):
                d = cols[i] - c
                if d == 0 or d == r - i or d == i - r:
                    return False
            return True

        def place(r):
            nonlocal count
            if r == n:
                count += 1
                return
            for c in range(n):
                if ok(r, c):
                    cols[r] = c
                    place(r + 1)

        place(0)
        return count

    @function
    def f(n):
        return solve(n)

    return [f(4), f(5), f(6)]


@scenario
def memo(function):
    memo = {}

    def fib(n):
        if n < 2:
            return n
        if n in memo:
            return memo[n]
        memo[n] = fib(n - 1) + fib(n - 2)
        return memo[n]

    @function
    def f(n):
        return fib(n)

    return [f(10), f(20), f(5), sorted(memo.items())[:3], len(memo)]


@scenario
def memo_default(function):
    def fib(n, memo=None):
        if memo is None:
            memo = {}
        if n < 2:
            return n
        if n in memo:
            return memo[n]
        memo[n] = fib(n - 1, memo) + fib(n - 2, memo)
        return memo[n]

    @function
    def f(n):
        return fib(n)

    return [f(10), f(20), f(5)]


@scenario
def ackermann(function):
    @function
    def ack(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return ack(m - 1, 1)
        return ack(m - 1, ack(m, n - 1))

    return [ack(2, 3), ack(1, 5), ack(0, 0)]


@scenario
def hanoi(function):
    moves = []

    def h(n, a, b, c):
        if n == 0:
            return 0
        k = h(n - 1, a, c, b)
        moves.append((a, c))
        return k + 1 + h(n - 1, b, a, c)

    @function
    def f(n):
        return h(n, "A", "B", "C")

    return [f(3), f(2), moves]


@scenario
def quicksort(function):
    def qs(xs):
        if len(xs) <= 1:
            return xs
        p = xs[0]
        return qs([x for x in xs[1:] if x < p]) + [p] + qs([x for x in xs[1:] if x >= p])

    @function
    def f(a):
        return qs(list(a))

    return [f(A([3.0, 1.0, 2.0])), f(A([5.0, 4.0, 3.0, 2.0, 1.0, 6.0])), f(A([1.0]))]


@scenario
def quicksort_inplace(function):
    def qs(a, lo, hi):
        if lo < hi:
            p = a[hi]
            i = lo
            for j in range(lo, hi):
                if a[j] < p:
                    a[i], a[j] = a[j], a[i]
                    i += 1
            a[i], a[hi] = a[hi], a[i]
            qs(a, lo, i - 1)
            qs(a, i + 1, hi)

    @function
    def f(a):
        qs(a, 0, len(a) - 1)
        return a

    return [f(A([3.0, 1.0, 2.0])), f(A([5.0, 4.0, 3.0, 2.0, 1.0, 6.0]))]


@scenario
def flood(function):
    def fill(g, i, j, old, new):
        if i < 0 or j < 0 or i >= g.shape[0] or j >= g.shape[1]:
            return 0
        if g[i, j] != old:
            return 0
        g[i, j] = new
        return (
            1
            + fill(g, i + 1, j, old, new)
            + fill(g, i - 1, j, old, new)
            + fill(g, i, j + 1, old, new)
            + fill(g, i, j - 1, old, new)
        )

    @function
    def f(g, i, j):
        return fill(g, i, j, g[i, j], 9)

    g = A([[1, 1, 0], [0, 1, 0], [1, 0, 1]])
    return [f(g, 0, 0), g.copy(), f(g, 2, 2), g]


@scenario
def mutual(function):
    calls = [0]

    def even(n):
        calls[0] += 1
        return True if n == 0 else odd(n - 1)

    def odd(n):
        return False if n == 0 else even(n - 1)

    @function
    def f(n):
        return even(n), calls[0]

    return [f(10), f(7), f(0)]


@scenario
def perm(function):
    def perms(xs):
        if len(xs) == 0:
            return [[]]
        out = []
        for i in range(len(xs)):
            for p in perms(xs[:i] + xs[i + 1 :]):
                out.append([xs[i]] + p)
        return out

    @function
    def f(a):
        return perms([a[0], a[1], a[2]])

    return [f(A([3.0, 1.0, 2.0]))]


@scenario
def subsets(function):
    res = []

    def go(i, cur, target, a):
        if target == 0:
            res.append(list(cur))
            return
        if i == len(a) or target < 0:
            return
        cur.append(a[i])
        go(i + 1, cur, target - a[i], a)
        cur.pop()
        go(i + 1, cur, target, a)

    @function
    def f(a, t):
        go(0, [], t, a)
        return len(res)

    return [f(A([1, 2, 3]), 3), f(A([1, 2, 3, 4]), 5)], res


@scenario
def nested_list_sum(function):
    def s(x):
        if isinstance(x, list):
            t = 0
            for y in x:
                t += s(y)
            return t
        return x

    @function
    def f(x, k):
        return s([x, [k, [x, k]], []])

    return [f(1.5, 2), f(2.5, 3)]


@scenario
def optional_result(function):
    def find(a, lo, hi, v):
        if lo > hi:
            return None
        m = (lo + hi) // 2
        if a[m] == v:
            return m
        if a[m] < v:
            return find(a, m + 1, hi, v)
        return find(a, lo, m - 1, v)

    @function
    def f(a, v):
        r = find(a, 0, len(a) - 1, v)
        return "none" if r is None else r

    a = A([1.0, 3.0, 5.0, 7.0])
    return [f(a, 5.0), f(a, 4.0), f(a, 1.0)]


@scenario
def obj_recursive(function):
    class Counter:
        def __init__(self):
            self.n = 0
            self.deepest = 0

        def walk(self, k, d=0):
            self.n += 1
            if d > self.deepest:
                self.deepest = d
            if k > 0:
                self.walk(k - 1, d + 1)
                self.walk(k - 2, d + 1)

    @function
    def f(k):
        c = Counter()
        c.walk(k)
        return c.n, c.deepest

    c = Counter()

    @function
    def g(k):
        c.walk(k)
        return c.n

    return [f(5), f(3), g(4), g(2), c.n, c.deepest]


def positive(f, k=1.0):
    def wrapper(x):
        if x.sum() > 100:
            raise ValueError("large")
        r = f(x) + k
        return -r if r.sum() < 0 else r

    return wrapper


@positive
def lower(x):
    return x - 3


@positive
def higher(x):
    return lower(x) * 10 if x[0] > 0 else x


TWICE = positive(positive(lambda x: x - 5, 2.0), 4.0)


@positive
def halved(x):
    return halved(x / 2) + 1 if x[0] > 1 else x


@scenario
def functions_that_one_decorator_made_call_each_other(function):
    @function
    def f(x):
        return higher(x), TWICE(x), halved(x)

    return [f(A([1.0, 2.0])), f(A([-1.0, 2.0])), f(A([9.0, -20.0]))]


@scenario
def of_defaults_only(function):
    made = []
    for k in range(3):

        def step(x, k=k, inner=made[-1] if made else None):
            y = x + k if x > 0 else -x
            return inner(y * 2) if inner is not None else y

        made.append(step)

    @function
    def f(x):
        return made[2](x)

    return [f(1.0), f(-2.0), f(0.0)]


@scenario
def a_decorator_of_functions_made_inside(function):
    @function
    def f(x):
        inner = positive(positive(lambda v: v * x, 2.0), x[0])
        return inner(x)

    return [f(A([1.0, 2.0])), f(A([-1.0, 2.0]))]


test_program = PROGRAMS.test()
