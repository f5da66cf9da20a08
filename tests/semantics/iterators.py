"""Iterators are advanced where Python advances them; what builtins call back has its effects on each call."""

import functools

import numpy as np

from tests.features.registry import floats
from tests.semantics.cases import case

X, Y, Z = floats(3, -1, 4), floats(-2, 7, -1), floats(0, 1, 2)
calls = 0


def doubled(x):
    for v in x:
        yield v * 2


def noted(v):
    global calls
    calls += 1
    return v


@case(X, Y)
def a_generator_is_summed_in_a_branch(x):
    steps = doubled(x)
    if x[0] > 0:
        total = sum(steps)
    else:
        total = x[1]
    return total, sum(steps)


@case(X, Y)
def a_list_iterator_is_asked_in_a_branch(x):
    numbers = iter([1, 2, 3])
    found = False
    if x[0] > 0:
        found = 2 in numbers
    return found, list(numbers)


@case(X, Y)
def a_zip_is_unpacked_in_a_branch(x):
    pairs = zip([1, 2], [3, 4])
    if x[0] > 0:
        first, second = pairs
        x[0] = first[1]
    return x, list(pairs)


@case(X, Y)
def an_iterator_is_looped_over_until_a_staged_condition(x):
    numbers = iter([1.0, 2.0, 3.0])
    for v in numbers:
        if x[0] < v:
            break
    return list(numbers)


@case(X, Y)
def an_iterator_over_a_list_is_used_up_by_a_loop(x):
    total, backwards = 0, reversed([1, 2, 3, 4])
    for v in backwards:
        total += v * x[0]
    pairs, rows = enumerate([1, 2, 3, 4]), zip([1, 2, 3], [4, 5, 6])
    for i, v in pairs:
        total += i + v * next(pairs)[1]
    for a, b in rows:
        if a * x[0] > b:
            break
    return total, list(backwards), list(pairs), list(rows)


@case(X, Y)
def the_rest_of_an_iterator(x):
    items = iter(x)
    most = next(items)
    for v in items:
        if v > most:
            most = v
    return most


@case(X, Y)
def a_generator_in_a_straight_line(x):
    steps = doubled(x[:2])
    first = next(steps)
    if first > 0:
        first = -first
    return first + next(steps)


@case(X, Y)
def functions_that_map_calls_have_effects(x):
    return sum(map(noted, [x[0], x[1]])), calls


@case(X, Y)
def a_loop_over_map_ends_early(x):
    total = np.float64(0)
    for v in map(noted, [1.0, 2.0, 3.0]):
        if x[0] < v:
            break
        total += v
    return total, calls


@case(X, Y)
def a_key_of_sorted_has_effects(x):
    return sorted([3, -1, 2], key=noted), calls


@case(X, Y)
def reduce_calls_a_function_with_a_branch(x):
    def larger(a, b):
        if a > b:
            return a
        return b

    return functools.reduce(larger, [x[0], x[1], x[2]]), list(map(larger, [x[0], x[1]], [x[2], x[0]]))
