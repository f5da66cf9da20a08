"""Classes, lists, dicts and text."""

import heapq
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

import numpy as np

from tests.ordinary.cases import case


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Node(key)
            else:
                self.left.insert(key)
        elif key > self.key:
            if self.right is None:
                self.right = Node(key)
            else:
                self.right.insert(key)

    def contains(self, key):
        if key == self.key:
            return True
        child = self.left if key < self.key else self.right
        return child is not None and child.contains(key)

    def depth(self):
        left = self.left.depth() if self.left else 0
        right = self.right.depth() if self.right else 0
        return 1 + max(left, right)


@case((np.array([5, 2, 8, 1, 9]), 8), (np.array([1, 2, 3, 4, 5]), 7), (np.array([3]), 3))
def search_tree(keys, wanted):
    root = Node(keys[0])
    for key in keys[1:]:
        root.insert(key)
    return root.contains(wanted), root.depth()


GRAPH = {
    "a": [("b", 7.0), ("c", 9.0), ("f", 14.0)],
    "b": [("a", 7.0), ("c", 10.0), ("d", 15.0)],
    "c": [("a", 9.0), ("b", 10.0), ("d", 11.0), ("f", 2.0)],
    "d": [("b", 15.0), ("c", 11.0), ("e", 6.0)],
    "e": [("d", 6.0), ("f", 9.0)],
    "f": [("a", 14.0), ("c", 2.0), ("e", 9.0)],
}


@case((GRAPH, "a"), (GRAPH, "e"))
def dijkstra_named(graph, start):
    distances = {start: 0.0}
    heap = [(0.0, start)]
    done = set()
    while heap:
        distance, node = heapq.heappop(heap)
        if node in done:
            continue
        done.add(node)
        for neighbour, weight in graph[node]:
            new = distance + weight
            if neighbour not in distances or new < distances[neighbour]:
                distances[neighbour] = new
                heapq.heappush(heap, (new, neighbour))
    return distances


WEIGHTS = np.array(
    [[0, 7, 9, 0, 0, 14], [7, 0, 10, 15, 0, 0], [9, 10, 0, 11, 0, 2], [0, 15, 11, 0, 6, 0]]
    + [[0, 0, 0, 6, 0, 9], [14, 0, 2, 0, 9, 0]],
    dtype=float,
)


@case((WEIGHTS, 0), (WEIGHTS, 4), (np.zeros((2, 2)), 0))
def dijkstra(weights, start):
    n = len(weights)
    distances = np.full(n, np.inf)
    distances[start] = 0.0
    previous = [-1] * n
    heap = [(0.0, start)]
    while heap:
        distance, node = heapq.heappop(heap)
        if distance > distances[node]:
            continue
        for neighbour in range(n):
            weight = weights[node, neighbour]
            if weight == 0:
                continue
            new = distance + weight
            if new < distances[neighbour]:
                distances[neighbour] = new
                previous[neighbour] = node
                heapq.heappush(heap, (new, neighbour))
    return distances, previous


@case(("3 + 4*(2 - 10) / xs",), ("foo_1 = 12",), ("1 $ 2",), ("",))
def tokenize(text):
    tokens = []
    i = 0
    while i < len(text):
        c = text[i]
        if c.isspace():
            i += 1
        elif c.isdigit():
            start = i
            while i < len(text) and text[i].isdigit():
                i += 1
            tokens.append(("number", int(text[start:i])))
        elif c.isalpha() or c == "_":
            start = i
            while i < len(text) and (text[i].isalnum() or text[i] == "_"):
                i += 1
            tokens.append(("name", text[start:i]))
        elif c in "+-*/()=":
            tokens.append(("operator", c))
            i += 1
        else:
            raise SyntaxError(f"unexpected {c!r} at {i}")
    return tokens


@case((np.array([3, 4, 0, 5, 1]),), (np.array([1, 0]),), (np.array([9]),))
def stack_machine(program):
    """0: add, 1: multiply, 2: duplicate, 3 and more: push."""
    stack = []
    for code in program:
        if code == 0:
            a, b = stack.pop(), stack.pop()
            stack.append(a + b)
        elif code == 1:
            stack.append(stack.pop() * stack.pop())
        elif code == 2:
            stack.append(stack[-1])
        else:
            stack.append(code)
    return stack


MAZE = np.array([[0, 0, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 1, 0]])


@case((MAZE, 0, 0), (MAZE, 3, 3), (np.zeros((5, 5), dtype=int), 2, 2))
def flood_fill(image, row, column):
    image = image.copy()
    old = image[row, column]
    image[row, column] = 9
    todo = [(row, column)]
    filled = 0
    while todo:
        r, c = todo.pop()
        filled += 1
        for dr, dc in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            i, j = r + dr, c + dc
            if 0 <= i < image.shape[0] and 0 <= j < image.shape[1] and image[i, j] == old:
                image[i, j] = 9
                todo.append((i, j))
    return image, filled


@case((MAZE, (0, 0), (3, 3)), (MAZE, (0, 0), (3, 0)), (np.ones((2, 2), dtype=int), (0, 0), (1, 1)))
def shortest_path(maze, start, goal):
    queue = deque([(start, 0)])
    seen = {start}
    while queue:
        (r, c), steps = queue.popleft()
        if (r, c) == goal:
            return steps
        for dr, dc in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
            place = (r + dr, c + dc)
            if not (0 <= place[0] < maze.shape[0] and 0 <= place[1] < maze.shape[1]):
                continue
            if maze[place] == 1 or place in seen:
                continue
            seen.add(place)
            queue.append((place, steps + 1))
    return None


class InsufficientFunds(Exception):
    pass


@dataclass
class Account:
    owner: str
    balance: float = 0.0
    history: list = field(default_factory=list)

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError(f"cannot deposit {amount}")
        self.balance += amount
        self.history.append(amount)

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds(f"{self.owner} has {self.balance:.2f}, not {amount:.2f}")
        self.balance -= amount
        self.history.append(-amount)


@case((np.array([10.0, -3.0, -20.0, 0.0, 5.0]),), (np.array([-1.0]),))
def bank(amounts):
    account = Account("ann")
    failed = 0
    for amount in amounts:
        try:
            if amount >= 0:
                account.deposit(amount)
            else:
                account.withdraw(-amount)
        except InsufficientFunds as error:
            print(error)
            failed += 1
        except ValueError:
            failed += 10
    return account.balance, account.history, failed


@case((np.array([3, 1, 3, 2, 1, 3]),), (np.array([4]),))
def counts(values):
    by_value = defaultdict(list)
    total = Counter()
    for i, value in enumerate(values):
        by_value[int(value)].append(i)
        total[int(value)] += 1
    most = max(total, key=total.get)
    return dict(by_value), dict(total), most


class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(row, column)) for column in columns] for row in self.rows])

    def __pow__(self, n):
        result, base = Matrix([[1, 0], [0, 1]]), self
        while n > 0:
            if n % 2 == 1:
                result = result @ base
            base = base @ base
            n //= 2
        return result


@case(10, 1, 40)
def fibonacci(n):
    return (Matrix([[1, 1], [1, 0]]) ** n).rows[0][1]


class Particle:
    def __init__(self, position, velocity):
        self.position, self.velocity, self.bounces = position, velocity, 0

    def step(self, dt):
        self.position += self.velocity * dt
        if self.position < 0 or self.position > 1:
            self.velocity = -self.velocity
            self.position = min(max(self.position, 0.0), 1.0)
            self.bounces += 1


@case((np.array([0.1, 0.5, 0.9]), np.array([1.0, -2.0, 0.3]), 30), (np.array([0.2]), np.array([0.0]), 2))
def particles(positions, velocities, steps):
    made = [Particle(p, v) for p, v in zip(positions, velocities)]
    for _ in range(steps):
        for particle in made:
            particle.step(0.1)
    return [p.position for p in made], sum(p.bounces for p in made)


def fib_memo(n, memo):
    if n < 2:
        return n
    if n in memo:
        return memo[n]
    memo[n] = fib_memo(n - 1, memo) + fib_memo(n - 2, memo)
    return memo[n]


@case(10, np.int64(15))
def memoised(n):
    return fib_memo(n, {})


@case((6,), (4,), (np.int64(5),))
def queens(n):
    """How many ways to put n queens on a board of n by n."""

    def place(row, columns, diagonals, others):
        if row == n:
            return 1
        found = 0
        for column in range(n):
            a, b, c = 1 << column, 1 << (row + column), 1 << (row - column + n)
            if columns & a or diagonals & b or others & c:
                continue
            found += place(row + 1, columns | a, diagonals | b, others | c)
        return found

    return place(0, 0, 0, 0)
