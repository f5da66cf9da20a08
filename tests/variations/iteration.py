"""Iterators over what a run knows: itertools, generators in builtins, loops that end early (B, T, L)."""

import itertools
import operator

import numpy as np

from tests.features.registry import floats, ints
from tests.variations.cases import case

ROWS = [floats(1, -2, 3, 4), floats(5, 1), floats()]
LIMITS = [np.float64(4), np.float64(40), np.float64(0)]


def positive(x):
    for v in x:
        if v > 0:
            yield v


@case(*LIMITS)
def count_until_it_is_enough(limit):
    for i in itertools.count():
        if i * i > limit:
            return i


@case(*LIMITS)
def count_in_steps_until_it_is_enough(limit):
    total = 0
    for i in itertools.count(1, 2):
        for _ in itertools.count(i):
            break
        total += i
        if total > limit:
            break
    return total, i


@case(*LIMITS)
def cycle_until_it_is_enough(limit):
    out = []
    for colour in itertools.cycle(["red", "green"]):
        out.append(colour)
        if len(out) > limit:
            break
    return out


@case(*ROWS)
def items_before_the_first_that_fails(x):
    return [v for v in itertools.takewhile(lambda v: v > 0, x)]


@case(*ROWS)
def takewhile_asks_no_more_than_it_must(x):
    def ask(v):
        print("ask", v)
        return v > 0

    for v in itertools.takewhile(ask, x):
        print("use", v)


@case(*ROWS)
def accumulate_with_functions(x):
    greatest = list(itertools.accumulate(x, max))
    return greatest, list(itertools.accumulate(x, operator.mul, initial=1.0)), list(itertools.accumulate(x))


@case(*ROWS)
def an_accumulation_ends_early(x):
    for i, greatest in enumerate(itertools.accumulate(x, max)):
        if greatest > 2:
            return i, greatest
    return None


@case(*ROWS)
def the_first_one_that(x):
    return next((v for v in x if v < 0), None), next(filter(lambda v: v > 2, x), "none")


@case(*ROWS)
def the_place_of_the_first_one_that(x):
    try:
        return next(i for i, v in enumerate(x) if v > 3.5)
    except StopIteration:
        return "none"


@case(*ROWS)
def the_first_one_asks_no_more_than_it_must(x):
    def ask(v):
        print("ask", v)
        return v < 0

    return next((v for v in x if ask(v)), None)


@case(*ROWS)
def a_generator_is_counted(x):
    for i, v in enumerate(positive(x), 1):
        if v > 2:
            return i, v
    return [(i, v) for i, v in enumerate(positive(x))]


@case(*ROWS)
def a_generator_is_mapped_filtered_and_chained(x):
    twice = sum(map(lambda v: v * 2, positive(x)))
    return twice, list(filter(lambda v: v > 2, positive(x))), list(itertools.chain(positive(x), [9.0]))


@case(*ROWS)
def a_part_of_a_generator(x):
    return list(itertools.islice(positive(x), 2)), list(itertools.islice(positive(x), 1, None))


@case(*ROWS)
def pairs_of_a_generator(x):
    return [b - a for a, b in itertools.pairwise(positive(x))]


@case(*ROWS)
def a_generator_is_unpacked(x):
    first, *rest = positive(x)
    return first, rest, [*(v for v in x if v < 0)]


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


@case(ints(0, 5, 0), ints(0, 5, 1), ints(5, 0, -2))
def a_range_of_step_zero_is_refused_where_it_is_made(s):
    print("before")
    try:
        places = list(range(s[0], s[1], s[2]))
    except ValueError as error:
        return str(error)
    print("after")
    return places


@case(ints(0, 5, 0), ints(0, 5, 1))
def a_range_of_step_zero_that_nobody_uses(s):
    range(s[0], s[1], s[2])
    return 1


@case(ints(0, 5, 2), ints(3, 5, 1), floats(1, 2))
def numbers_are_unpacked(x):
    total = 0
    for a, b in x.reshape(2, -1) if x.dtype == float and len(x) > 2 else x:
        total += a * b
    return total
