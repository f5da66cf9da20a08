"""Algorithms over lists."""

from tests.programs import Programs

PROGRAMS = Programs()


@PROGRAMS.of((5,), (0,), (50,))
def fib(n):
    out = [0, 1]
    for i in range(n):
        out.append(out[-1] + out[-2])
    return out


@PROGRAMS.of((27,), (1,), (6,))
def collatz(n):
    seen = [n]
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        seen.append(n)
    return seen, len(seen)


@PROGRAMS.of((27,), (1,), (6,))
def dfs(n):
    stack = [n]
    total = 0
    while stack:
        k = stack.pop()
        total += k
        if k > 1:
            stack.append(k // 2)
            if k % 3 == 0:
                stack.append(k // 3)
    return total


@PROGRAMS.of((3,), (0,), (9,))
def while_pop(n):
    xs = list(range(n))
    out = []
    while len(xs) > 2:
        out.append(xs.pop(0))
        if len(out) > 4:
            break
    else:
        out.append(-1)
    return xs, out


@PROGRAMS.of((6,), (1,))
def sieve(n):
    flags = [True] * (n + 1)
    primes = []
    for i in range(2, n + 1):
        if flags[i]:
            primes.append(i)
            j = i * i
            while j <= n:
                flags[j] = False
                j += i
    return primes


@PROGRAMS.of((6,), (1,))
def pascal(n):
    row = [1]
    for i in range(n):
        nxt = [1]
        for j in range(len(row) - 1):
            nxt.append(row[j] + row[j + 1])
        nxt.append(1)
        row = nxt
    return row


@PROGRAMS.of((6,), (1,))
def bubble(n):
    xs = [(i * 7) % 5 for i in range(n)]
    for i in range(len(xs)):
        for j in range(len(xs) - 1):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


@PROGRAMS.of((6,), (1,))
def dp(n):
    best = [0] * (n + 1)
    for i in range(1, n + 1):
        best[i] = max(best[i - 1], i % 3 + best[max(i - 2, 0)])
    return best[-1], best


@PROGRAMS.of((6,), (1,))
def grid(n):
    g = [[0 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        g[i][n - 1 - i] = i
    return g, sum(sum(r) for r in g)


@PROGRAMS.of((30,), (0,))
def insort(n):
    xs = []
    for i in range(n):
        v = (i * 7) % 11
        j = 0
        while j < len(xs) and xs[j] < v:
            j += 1
        xs.insert(j, v)
    return xs


@PROGRAMS.of((5,), (0,))
def two_dim_walk(n):
    path = [(0, 0)]
    for i in range(n):
        r, c = path[-1]
        if i % 2:
            path.append((r + 1, c))
        else:
            path.append((r, c + 1))
    return path


@PROGRAMS.of((5,), (0,))
def heap_like(n):
    h = [5, 3]
    for i in range(n):
        h.append(i)
        h.sort()
        if len(h) > 4:
            h.pop()
    return h


@PROGRAMS.of((5,), (0,))
def matrix(n):
    m = [[0] * 3 for _ in range(4)]
    for i in range(n):
        m[i % 4][i % 3] += i
    return m


@PROGRAMS.of((5,), (0,), (9,))
def nested(n):
    rows = []
    for i in range(n):
        row = []
        for j in range(i):
            row.append(i * j)
        rows.append(row)
    return rows


@PROGRAMS.of((5,), (2,))
def nested2(n):
    rows = [[], []]
    for i in range(n):
        rows[i % 2].append(i)
    return rows, rows[0], rows[1]


test_program = PROGRAMS.test()
