"""Iterators over what a run knows: itertools, generators in builtins, loops that end early (B, T, L)."""

import itertools

import numpy as np

from tests.features.registry import floats, ints
from tests.variations.cases import case

ROWS = [floats(1, -2, 3, 4), floats(5, 1), floats()]


def positive(x):
    for v in x:
        if v > 0:
            yield v


@case(*ROWS)
def items_before_the_first_that_fails(x):
    return [v for v in itertools.takewhile(lambda v: v > 0, x)]


@case(*ROWS)
def the_place_of_the_first_one_that(x):
    try:
        return next(i for i, v in enumerate(x) if v > 3.5)
    except StopIteration:
        return "none"


@case(*ROWS)
def a_generator_is_mapped_filtered_and_chained(x):
    twice = sum(map(lambda v: v * 2, positive(x)))
    return twice, list(filter(lambda v: v > 2, positive(x))), list(itertools.chain(positive(x), [9.0]))


@case(*ROWS)
def containers_take_a_generator(x):
    out, seen, table = [0.0], {0.0}, {}
    out.extend(positive(x))
    seen.update(v for v in x if v > 2)
    table.update((i, v) for i, v in enumerate(x) if v > 0)
    return out, sorted(seen), table


@case(*ROWS)
def builtins_are_mapped_over_lists(x):
    rows = [[v, v * 2] for v in x if v > 0]
    for v in x:
        if v < 0:
            rows.append([v])
    return sum(map(sum, rows)), list(map(len, rows)), max(map(max, rows), default=None)


@case(ints(0, 5, 2), ints(3, 5, 1), floats(1, 2))
def numbers_are_unpacked(x):
    total = 0
    for a, b in x.reshape(2, -1) if x.dtype == float and len(x) > 2 else x:
        total += a * b
    return total


@case(floats(3, 1, -2, 5), floats(1, 2, 3, 4))
def a_loop_whose_test_binds_ends_early(x):
    i = len(x)
    while i := i - 1:
        if x[i] < x[i - 1]:
            break
    else:
        i = -1
    while (y := x[i]) < 4:
        if y > 2:
            return i, y
        i += 1
    return i, y, x


@case(floats(3, 1, -2, 5), floats(-1, 2, 3))
def what_a_star_takes_is_a_list_of_the_run(x):
    first, *rest = x
    (a, *inner), b = x[:3], x[-1]
    rest.sort()
    if first > 0:
        rest.append(a)
        inner.pop()
    out = [sorted(others) + [one] for one, *others in (x, -x)]
    for one, *others in (x, x * 2):
        others.reverse()
        if one > 0:
            others.append(b)
        out.append(others)
    return first, rest, inner, out


@case(floats(3, 1, -2, 5))
def a_list_that_numpy_makes_grows(x):
    parts = np.dsplit(x.reshape(1, 2, 2), 2)
    if x[0] > 0:
        parts.append(parts[0])
    return parts
