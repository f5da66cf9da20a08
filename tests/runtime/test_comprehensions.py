"""Comprehensions and generator expressions over staged iterables, and the builtins that consume them."""

import numpy as np
import pytest

import runtime as rt
from tests.differential import Call, Refused, check

X, Y, ONE = np.array([3.0, -1.0, 4.0]), np.array([-2.0, 7.0, -1.0]), np.array([5.0])
ANY_LENGTH = rt.TensorSpec([None], "float64")


def squares(x):
    return sum(v * v for v in x)


def positive_squares(x):
    return sum(v * v for v in x if v > 0)


def pairs(x):
    return sum(a - b for a in x for b in x if a > b)


def any_and_all(x):
    for bound in range(3):
        if any(v > 6 - bound for v in x):
            print("some", bound)
    return all(v > -1 for v in x), any(x[0] > k for k in (1, 2, 50))


def extremes(x):
    small = min((v for v in x if v > 100), default=-5.0)
    return max(v for v in x), min(abs(v) for v in x), small, max((v for v in x), key=lambda v: -v)


def no_item_at_all(x):
    return max(v for v in x if v > 1000)


def doubled(x):
    return [v * 2 for v in x], {k: x[k] for k in range(1)}


def targets(x):
    return [i * v for i, v in enumerate(x)], [a + b for a, b in zip(x, x)]


def listed(x):
    return list(v + 1 for v in x), sorted(k for k in range(3))


def loop_over_expression(x):
    total = 0.0
    for v in (w * 2 for w in x if w > 0):
        if v > 7:
            break
        total += v
    return total


def used_up(x):
    doubles = (v * 2 for v in x if v > 0)
    return sum(doubles), sum(doubles), list(doubles)


def late_binding(x):
    scale = 1.0
    scaled = (v * scale for v in x if v > 0)
    scale = 10.0
    return sum(scaled)


def pulled(x):
    doubles = (v * 2 for v in x)
    first = next(doubles)
    return first, list(doubles)


PROGRAMS = [
    squares, positive_squares, pairs, any_and_all, extremes, no_item_at_all, doubled, targets,
    loop_over_expression, used_up, late_binding, listed,
]  # fmt: skip


@pytest.mark.parametrize("f", [*PROGRAMS, pulled])
def test_known_length(f):
    assert check(f, Call(X), Call(Y), Call(ONE))


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_unknown_length(f, engine):
    decorate = lambda g: rt.function(g, engine=engine, input_signature=[ANY_LENGTH])
    assert check(f, Call(X), Call(Y), Call(ONE), engines=[decorate])


def chosen(x):
    return [v * 2 for v in x if v > 0]


def nested(x):
    return [a * b for a in x if a > 0 for b in x if b < a]


@pytest.mark.parametrize("f", [chosen, nested])
def test_filtered_list(f):
    assert check(f, Call(X), Call(Y), Call(ONE))


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


def binds_what_it_tests(x):
    return [y for v in x if (y := v * 2) > 3]


def binds_for_what_follows(x):
    last = x[0]
    running = [last := last * 0.5 + v for v in x if v > 0]
    return running, last


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
        binds_what_it_tests,
        binds_for_what_follows,
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


def takes_apart_level_by_level(x):
    total = 0.0
    for (a, b), c in zip(rows_of(x), x, strict=False):
        total += a * b - c
    for i, (a, *rest) in enumerate(rows_of(x)):
        total += i * a + len(rest)
    (first, second), *others = rows_of(x)
    return total, first, second, others


def takes_apart_too_many(x):
    return [a for a, b, c in rows_of(x)]


@pytest.mark.parametrize("f", [takes_apart_rows, takes_apart_level_by_level, takes_apart_too_many])
def test_lists_that_a_run_makes_are_taken_apart(f):
    assert check(f, Call(X), Call(Y), Call(-X))


def binds_in_a_condition(x):
    if x[0] > 0 and (y := x[0] * 2) > 3:
        return y
    elif x[0] > 0 or (z := x[1]) < 0:
        return -x[0]
    return z


def binds_in_a_loop_test(x):
    i = 0
    while i < 3 and (v := x[i]) > -1.5:
        i += 1
    return i, v


def binds_in_a_value(x):
    chosen = (y := x[0]) * 2 if x[1] > 0 else (y := x[2])
    both = x[0] > 0 and (z := x[1]) > 0 and z > 5
    return chosen, y, both


@pytest.mark.parametrize("f", [binds_in_a_condition, binds_in_a_loop_test, binds_in_a_value])
def test_variables_bound_in_an_operand(f):
    assert check(f, Call(X), Call(Y), Call(X + Y), Call(-X))
