"""Programs over lists, dicts, texts and objects, beside plain Python: first calls, and calls after that.

Each is as people write it, and gets a fresh list or text for each call.
"""

import heapq
import random
import time
from collections.abc import Callable
from typing import Any

import runtime as rt
from tests.benchmarks.measure import paired, readable, report


def positive_sum(xs):
    total = 0.0
    for x in xs:
        if x > 0:
            total += x
    return total


def sorted_by_size(xs):
    return sorted(xs, key=lambda x: abs(x))


def bent(x):
    return x * x + 1.0 if x > 0 else -x


def each_bent(xs):
    return [bent(x) for x in xs]


def knapsack(weights, values, capacity):
    best = [[0] * (capacity + 1) for _ in range(len(weights) + 1)]
    for i in range(1, len(weights) + 1):
        for c in range(capacity + 1):
            best[i][c] = best[i - 1][c]
            if weights[i - 1] <= c:
                taken = best[i - 1][c - weights[i - 1]] + values[i - 1]
                if taken > best[i][c]:
                    best[i][c] = taken
    return best[len(weights)][capacity]


def half_hull(points):
    kept = []
    for p in points:
        while len(kept) >= 2:
            (ax, ay), (bx, by) = kept[-2], kept[-1]
            if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > 0:
                break
            kept.pop()
        kept.append(p)
    return kept


def hull(points):
    points = sorted(points)
    return half_hull(points)[:-1] + half_hull(points[::-1])[:-1]


def counted(words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def halves(n):
    """All numbers that halving and thirding lead to."""
    stack, total = [n], 0
    while stack:
        k = stack.pop()
        total += k
        if k > 1:
            stack.append(k // 2)
            stack.append(k // 3)
    return total


def by_priority(xs):
    heap = []
    for x in xs:
        heapq.heappush(heap, x)
    taken = []
    while heap:
        taken.append(heapq.heappop(heap))
    return taken


class Node:
    def __init__(self, value, following):
        self.value = value
        self.following = following


def linked(n):
    head = None
    for i in range(n):
        head = Node(i, head)
    total = 0
    while head is not None:
        total += head.value
        head = head.following
    return total


class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def inserted(keys):
    root = None
    for key in keys:
        if root is None:
            root = Tree(key)
            continue
        node = root
        while True:
            if key < node.key:
                if node.left is None:
                    node.left = Tree(key)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Tree(key)
                    break
                node = node.right
    depth = 0
    while root is not None:
        depth += 1
        root = root.left
    return depth


class Particle:
    def __init__(self, place, speed):
        self.place = place
        self.speed = speed


def moved(particles, dt):
    for p in particles:
        p.place = p.place + p.speed * dt
        if p.place > 1.0:
            p.speed = -p.speed
    return len(particles)


class Body:
    def __init__(self, x, y, z, vx, vy, vz, mass):
        self.x, self.y, self.z = x, y, z
        self.vx, self.vy, self.vz = vx, vy, vz
        self.mass = mass


def advanced(bodies, steps, dt):
    for _ in range(steps):
        for i in range(len(bodies)):
            a = bodies[i]
            for j in range(i + 1, len(bodies)):
                b = bodies[j]
                dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
                square = dx * dx + dy * dy + dz * dz
                pull = dt / (square * square**0.5)
                a.vx -= dx * b.mass * pull
                a.vy -= dy * b.mass * pull
                a.vz -= dz * b.mass * pull
                b.vx += dx * a.mass * pull
                b.vy += dy * a.mass * pull
                b.vz += dz * a.mass * pull
        for b in bodies:
            b.x += dt * b.vx
            b.y += dt * b.vy
            b.z += dt * b.vz
    return bodies[0].x


def fannkuch(n):
    order, count = list(range(n)), list(range(n))
    most, checksum, left, sign = 0, 0, n, 1
    while True:
        while left != 1:
            count[left - 1] = left
            left -= 1
        turned, flips = order[:], 0
        while turned[0]:
            k = turned[0] + 1
            turned[:k] = turned[:k][::-1]
            flips += 1
        most = max(most, flips)
        checksum += sign * flips
        sign = -sign
        while True:
            if left == n:
                return checksum, most
            order.insert(left, order.pop(0))
            count[left] -= 1
            if count[left] > 0:
                break
            left += 1


def tokens(text):
    found, i = [], 0
    while i < len(text):
        letter = text[i]
        if letter.isspace():
            i += 1
        elif letter.isdigit():
            j = i
            while j < len(text) and text[j].isdigit():
                j += 1
            found.append(("number", int(text[i:j])))
            i = j
        elif letter.isalpha():
            j = i
            while j < len(text) and text[j].isalnum():
                j += 1
            found.append(("name", text[i:j]))
            i = j
        else:
            found.append(("sign", letter))
            i += 1
    return found


def quotients(values):
    found, missing = 0.0, 0
    for value in values:
        try:
            if value < -0.4:
                raise ValueError
            found += 1.0 / int(value * 10.0)
        except ZeroDivisionError:
            missing += 1
        except ValueError:
            found -= 1.0
    return found, missing


def numbers(n: int) -> list[float]:
    random.seed(2)
    return [random.random() - 0.5 for _ in range(n)]


def bodies() -> list[Body]:
    random.seed(3)
    return [Body(*[random.random() for _ in range(6)], random.random() + 1) for _ in range(5)]


Arguments = tuple[Any, ...]

#: what is measured, the function, its arguments, and how many times as fast as Python it is to be
CASES: list[tuple[str, Callable[..., Any], Callable[[], Arguments], float]] = [
    *[(f"sum of {n} under a condition", positive_sum, lambda n=n: (numbers(n),), 10) for n in (10**3, 10**5)],
    *[(f"sorted by a key, {n}", sorted_by_size, lambda n=n: (numbers(n),), 1) for n in (10**3, 10**5)],
    *[(f"[f(x) for x in xs], {n}", each_bent, lambda n=n: (numbers(n),), 10) for n in (10**3, 10**5)],
    *[
        (
            f"knapsack of {k}",
            knapsack,
            lambda k=k: ([i % 7 + 1 for i in range(k)], [i * 3 % 11 for i in range(k)], 100),
            10,
        )
        for k in (10, 100, 1000)
    ],
    (
        "convex hull of 4000 tuples",
        hull,
        lambda: (list(zip(numbers(4000), numbers(8000)[4000:], strict=True)),),
        10,
    ),
    ("words counted in a dict, 5000", counted, lambda: ([f"w{i * i % 97}" for i in range(5000)],), 1),
    ("a list as a stack, 100000", halves, lambda: (100_000,), 10),
    ("priority queue by heapq, 2000", by_priority, lambda: (numbers(2000),), 1),
    ("linked list, 3000", linked, lambda: (3000,), 1),
    ("binary tree, 1000", inserted, lambda: (numbers(1000),), 1),
    ("300 objects updated", moved, lambda: ([Particle(x, 1.0) for x in numbers(300)], 0.1), 1),
    ("n-body with objects, 200 steps", advanced, lambda: (bodies(), 200, 0.01), 1),
    ("fannkuch of 7", fannkuch, lambda: (7,), 1),
    ("handlers of 10000 numbers", quotients, lambda: (numbers(10_000),), 1),
    ("tokens of 24000 letters", tokens, lambda: ("foo = bar12 + 34 * (x - 7)\n" * 900,), 1),
]


def main(rounds: int = 20) -> None:
    small = rounds < 5
    for what, function, arguments, target in CASES:
        if small and ("1000" in what or "4000" in what):
            continue
        compiled = rt.function(function, engine="native", slow_notice=False)
        given = arguments()
        began = time.perf_counter()
        found = compiled(*given)
        first = time.perf_counter() - began
        if repr(found) != repr(function(*arguments())):
            raise AssertionError(f"{function.__name__} differs")
        each = [arguments() for _ in range(2 * rounds + 2)]
        again = iter(each)
        pair = paired(what, lambda: compiled(*next(again)), lambda: function(*next(again)), rounds)
        ratio = pair.theirs / pair.ours
        report(
            what, f"{ratio:.2f} x Python ({readable(pair.ours)})", f">= {target} x Python", ratio >= target
        )
        report("  its first call", readable(first), "<= 300 ms", first <= 0.3)


if __name__ == "__main__":
    main()
