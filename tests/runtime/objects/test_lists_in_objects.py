"""Lists and dicts that an object holds which is made inside: what the trace knows of them, NumPy is told."""

import statistics

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
X = np.arange(6.0)


class Holder:
    def __init__(self, x):
        self.parts = [x, x * 2]
        self.table = {"a": x, "k": 2}
        self.sizes = [2, 3]
        self.functions = [np.sin, np.cos]


class Grid:
    def __init__(self, n):
        self.rows = [[0.0] * n for _ in range(n)]

    def flat(self, items=None):
        """The numbers in lists in lists."""
        found = []
        for item in self.rows if items is None else items:
            if isinstance(item, list):
                found.extend(self.flat(item))
            else:
                found.append(item)
        return found

    def put(self, i, j, value):
        self.rows[i][j] = value


@PROGRAMS.of((X,), (X + 1,))
def shapes_and_axes(x):
    held = Holder(x)
    a, b = held.sizes
    return (
        x.reshape(held.sizes),
        np.zeros(held.sizes).shape,
        np.ones((a, b)) * x[0],
        np.pad(x, held.sizes),
        np.split(x, held.sizes)[0],
        x[held.sizes],
        np.sum(x.reshape(1, 2, 3), axis=tuple(held.sizes[:1])),
        np.zeros(sum(held.sizes)).shape,
        statistics.fmean(held.sizes),
    )


@PROGRAMS.of((X,), (X + 1,))
def arrays_of_parts(x):
    held = Holder(x)
    counts = np.histogram(x, held.sizes)[0]  # a call as a whole leaves what is known
    return (
        counts,
        np.concatenate(held.parts).reshape(2, -1),
        np.einsum("i,i->", *held.parts),
        np.select([x > 1, x > 2], held.parts),
        np.block([held.parts]),
        [f(x[0]) for f in held.functions],
    )


@PROGRAMS.of((X,), (X + 1,))
def random_numbers(x):
    held, numbers = Holder(x), np.random.default_rng(3)
    chosen = numbers.choice(held.sizes), numbers.permutation(held.sizes), numbers.normal(size=held.sizes)
    numbers.shuffle(held.sizes)
    np.random.seed(1)
    np.random.shuffle(held.sizes)
    return chosen, held.sizes, held.sizes[0]


@PROGRAMS.of((X,), (X + 1,))
def who_is_given_back(x):
    held = Holder(x)
    held.rows = [held.sizes, held.sizes]
    tuple(held.rows)[0][0] = 50
    max(held.rows)[1] = 60
    joined = sum(held.rows, [])
    joined[0] = 0
    return held.sizes, joined, held.rows[1] is held.sizes


@PROGRAMS.of((X,), (X + 1,))
def changed_before(x):
    held = Holder(x)
    held.sizes.append(4)
    held.sizes[0] = 1
    held.table["b"] = held.sizes.pop(1)
    return np.zeros(held.sizes).shape, np.array(held.sizes), list(held.table), len(held.table)


@PROGRAMS.of((X,), (-X,))
def an_item_under_a_condition(x):
    grid = Grid(3)
    grid.put(0, 1, x[1])
    if x[1] > 0:
        grid.put(2, 2, x[2])
    return np.array(grid.rows), grid.rows, grid.flat()


test_program = PROGRAMS.test()
