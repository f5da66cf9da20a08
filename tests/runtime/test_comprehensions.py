"""Comprehensions and generator expressions over staged iterables, and the builtins that consume them."""

import numpy as np
import pytest

import runtime as rt
from tests.differential import Call, Refused, check

X, Y, ONE = np.array([3.0, -1.0, 4.0]), np.array([-2.0, 7.0, -1.0]), np.array([5.0])
ANY_LENGTH = rt.TensorSpec([None], "float64")


def any_and_all(x):
    for bound in range(3):
        if any(v > 6 - bound for v in x):
            print("some", bound)
    return all(v > -1 for v in x), any(x[0] > k for k in (1, 2, 50))


def extremes(x):
    small = min((v for v in x if v > 100), default=-5.0)
    return max(v for v in x), min(abs(v) for v in x), small, max((v for v in x), key=lambda v: -v)


def targets(x):
    return [i * v for i, v in enumerate(x)], [a + b for a, b in zip(x, x)]


def used_up(x):
    doubles = (v * 2 for v in x if v > 0)
    return sum(doubles), sum(doubles), list(doubles)


PROGRAMS = [any_and_all, extremes, targets, used_up]


@pytest.mark.parametrize("f", PROGRAMS)
def test_known_length(f):
    assert check(f, Call(X), Call(Y), Call(ONE))


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_unknown_length(f, engine):
    decorate = lambda g: rt.function(g, engine=engine, input_signature=[ANY_LENGTH])
    assert check(f, Call(X), Call(Y), Call(ONE), engines=[decorate])


def left_early(x):
    values = (v for v in x)
    for v in values:
        if v > 3:
            break
    return next(values, 0.0)


def advanced_under_a_condition(x):
    values = (v for v in x)
    if x[0] > 0:
        print(sum(values))
    return sum(values)


@pytest.mark.parametrize("f", [left_early, advanced_under_a_condition])
def test_refused(f):
    with pytest.raises(Refused):
        check(f, Call(X), Call(Y))


def binds_in_a_test_of_an_if(x):
    if [y for v in x if v > 0 and (y := v - 2) > 0]:
        return y
    return x[0]


def binds_in_dicts_and_nested_lists(x):
    table = {k: (y := v + 1) for k, v in enumerate(x) if v > 1}
    larger = [[(z := w + v) for w in x if w > v] for v in x]
    return table, y, larger, z


@pytest.mark.parametrize(
    "f",
    [
        binds_in_a_test_of_an_if,
        binds_in_dicts_and_nested_lists,
    ],
)
def test_variables_bound_in_a_filtered_comprehension(f):
    assert check(f, Call(X), Call(Y), Call(ONE))


def binds_after_something_else(x):
    count, large = len(x), [y for v in x if (y := v * 2) > 3]
    return (
        count,
        large,
        {i: last for i, v in enumerate(x) if (last := v) > 1},
        sorted(large, key=lambda v: -v),
    )


def binds_a_witness(x):
    if any((witness := v) > 2 for v in x):
        return witness
    if not all((other := v) < 1 for v in x):
        return other, witness
    return sum(y for v in x if (y := v + 1) > 0), y


def binds_in_the_test_of_a_loop(x):
    turns = 0
    while turns < 3 and any((found := v) < 0 for v in x):
        turns, x = turns + 1, x + 1
    return turns, x, found


def binds_in_an_operand_that_comes_later(x):
    total = x.sum()
    return total, total > 1 and (y := x[0]) > 0, (z := x[1]) if total > 0 else (z := -x[1]), z


@pytest.mark.parametrize(
    "f",
    [
        binds_after_something_else,
        binds_a_witness,
        binds_in_the_test_of_a_loop,
        binds_in_an_operand_that_comes_later,
    ],
)
def test_variables_bound_in_the_midst_of_an_expression(f):
    assert check(f, Call(X), Call(Y), Call(-X))


def rows_of(x):
    rows = []
    for v in x:
        if v > 1:
            rows.append([v, v * 2])
    return rows


def takes_apart_rows(x):
    rows = rows_of(x)
    products = [a * b for a, b in rows], {i: b for i, (a, b) in enumerate(rows) if b > a}
    last = [rest for _, *rest in rows]
    return products, last, sum(b - a for a, b in rows), max([b for _, b in rows], default=None)


@pytest.mark.parametrize(
    "f",
    [
        takes_apart_rows,
    ],
)
def test_lists_that_a_run_makes_are_taken_apart(f):
    assert check(f, Call(X), Call(Y), Call(-X))


def binds_in_a_condition(x):
    if x[0] > 0 and (y := x[0] * 2) > 3:
        return y
    elif x[0] > 0 or (z := x[1]) < 0:
        return -x[0]
    return z


@pytest.mark.parametrize(
    "f",
    [
        binds_in_a_condition,
    ],
)
def test_variables_bound_in_an_operand(f):
    assert check(f, Call(X), Call(Y), Call(X + Y), Call(-X))
