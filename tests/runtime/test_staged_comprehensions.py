"""Comprehensions and generator expressions are loops: of many turns that cost something, they are staged."""

import itertools

import numpy as np
import pytest

import runtime
from runtime.passes import optimize
from tests.programs import Programs

PROGRAMS = Programs()
ROWS = np.random.default_rng(7).normal(size=(40, 3))
CALLS = ((ROWS, ROWS[0]), (ROWS * 2.0, ROWS[5] - 1.0))


def distance(a, b):
    return np.sum((a - b) ** 2)


@PROGRAMS.of(*CALLS)
def nested_in_an_array(x, y):
    kernel = np.array([[np.exp(-distance(a, b)) for b in x] for a in x])
    return kernel.trace(), [distance(a, b) for a in x for b in x if a[0] < b[1]]


@PROGRAMS.of(*CALLS)
def unpacked(x, y):
    a, b, c = [distance(row, y) for row in x[:3]]
    return max(*[distance(row, y) for row in x], a), b, c


@PROGRAMS.of(*CALLS)
def indices(x, y):
    doubled = np.zeros(x.shape)
    for i, j in np.ndindex(x.shape):
        doubled[i, j] = x[i, j] * 2.0
    return (
        doubled,
        [x[index] + 1.0 for index in np.ndindex(*x.shape)],
        list(np.ndindex(2, 0)),
        [*np.ndindex(2, 1)],
    )


@PROGRAMS.of(*CALLS)
def pairs_and_products(x, y):
    close = [distance(a, b) for a, b in itertools.combinations(x, 2)]
    total = 0.0
    for (i, a), (j, b) in itertools.permutations(enumerate(x), 2):
        total += (i - j) * distance(a, b)
    for i, v in itertools.product(range(40), y):
        total += x[i, 0] * v
    for a, b in itertools.combinations(x[:, 1], 2):
        x[0, 1] = 0.0  # the pairs are of the numbers that were there before
        total += a * b
    return close, total


@PROGRAMS.of(*CALLS)
def what_cannot_be_in_a_list_of_the_run(x, y):
    scaled = [lambda v, row=row: v * row[0] for row in x]
    return scaled[3](2.0), np.block([[row * 2.0 for row in x]])


test_program = PROGRAMS.test()


def operations(f, *args):
    graph = optimize(runtime.function(f).get_concrete_function(*args).graph)
    return [operation.name for operation in graph.operations()]


@pytest.mark.parametrize("name", ["nested_in_an_array", "pairs_and_products"])
def test_many_turns_are_one_body(name):
    assert len(operations(PROGRAMS[name].program, *CALLS[0])) < 250


def long_tables(x, y):
    weights = [1.0 / (k + 1) for k in range(200)]
    return x[0, 0] * weights[3]


@pytest.mark.parametrize("f", [long_tables])
def test_few_turns_and_known_elements_make_no_list_in_a_run(f):
    assert not any(name.startswith("list.") or name == "for" for name in operations(f, *CALLS[0]))
