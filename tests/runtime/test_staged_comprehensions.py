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
def lists_sets_and_dicts(x, y):
    whole = {int(distance(row, y) * 4) for row in x}
    named = {i: distance(row, y) for i, row in enumerate(x)}
    return [distance(row, y) for row in x], whole, named, tuple(distance(row, y) for row in x)


@PROGRAMS.of(*CALLS)
def nested_in_an_array(x, y):
    kernel = np.array([[np.exp(-distance(a, b)) for b in x] for a in x])
    return kernel.trace(), [distance(a, b) for a in x for b in x if a[0] < b[1]]


@PROGRAMS.of(*CALLS)
def consumed(x, y):
    far = any(distance(row, y) > 30.0 for row in x), all(distance(row, y) > 0.1 for row in x)
    least = min((distance(row, y), i) for i, row in enumerate(x)), max([distance(row, y) for row in x])
    return far, least, sum(distance(row, y) for row in x), sorted(distance(row, y) for row in x)[:3]


@PROGRAMS.of(*CALLS)
def used_as_other_lists_are(x, y):
    found = [distance(row, y) for row in x]
    first, *rest = found
    found.append(first + len(found))
    total = 0.0
    for value in found:
        total += value
    return found[-1], total, len(rest), np.array(found).argmin(), found[int(x[0, 0] > 0)]


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
def the_pairs_are_of_what_was_there_before(x, y):
    total, known, kept = 0.0, [1, 2], [row[0] for row in x if row[0] > 0]
    for k, i in itertools.product(known, range(40)):
        known[1] = 5
        total += k * x[i, 0]
    for a, b in itertools.combinations(kept, 2):
        kept[1] = a - b
        total += a * b
    return total, known, kept


@PROGRAMS.of(*CALLS)
def loops_over_a_long_list_of_known_pairs(x, y):
    total = 0.0
    pairs = [(i, j) for i in range(20) for j in range(i)]
    for i, j in pairs:
        total += distance(x[i], x[j]) * (i - j)
    return total, pairs[3], len(pairs)


@PROGRAMS.of(*CALLS)
def what_cannot_be_in_a_list_of_the_run(x, y):
    scaled = [lambda v, row=row: v * row[0] for row in x]
    return scaled[3](2.0), np.block([[row * 2.0 for row in x]])


@PROGRAMS.of(*CALLS)
def known_elements(x, y):
    """They cost nothing, however many there are."""
    weights, names = [1.0 / (k + 1) for k in range(200)], [f"row {k}" for k in range(40)]
    return weights[150] * x[0, 0], dict(zip(names, [row[0] for row in x], strict=True))["row 7"]


@PROGRAMS.of(*CALLS)
def products_of_ranges_as_python_uses_them(x, y):
    places = itertools.product(range(2), range(3))
    first = next(places)
    numbered = list(enumerate(itertools.product(range(2), "ab")))
    a, b, c = itertools.combinations(range(3), 2)
    shape = dict(zip(itertools.product(range(2), repeat=2), y, strict=False)), set(np.ndindex(2, 2))
    return first, list(places), numbered, a, b, c, shape, x[0, 0], isinstance(places, itertools.product)


test_program = PROGRAMS.test()


def operations(f, *args):
    graph = optimize(runtime.function(f).get_concrete_function(*args).graph)
    return [operation.name for operation in graph.operations()]


@pytest.mark.parametrize(
    "name", ["lists_sets_and_dicts", "nested_in_an_array", "consumed", "pairs_and_products"]
)
def test_many_turns_are_one_body(name):
    assert len(operations(PROGRAMS[name].program, *CALLS[0])) < 250


def three_parts(x, y):
    x0, x1, x2 = [y[k] * 2.0 for k in range(3)]
    return x0 + x1 * x2 + sum([v * v for v in y]) + np.array([v + 1.0 for v in y])


def long_tables(x, y):
    weights = [1.0 / (k + 1) for k in range(200)]
    return x[0, 0] * weights[3]


@pytest.mark.parametrize("f", [three_parts, long_tables])
def test_few_turns_and_known_elements_make_no_list_in_a_run(f):
    assert not any(name.startswith("list.") or name == "for" for name in operations(f, *CALLS[0]))
