"""`itertools` with a count that only a run knows."""

import itertools

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
X = np.arange(3.0)


@PROGRAMS.of((1,), (2,), (0,), (4,))
def choices(r):
    permutations = list(itertools.permutations("abc", r))
    return permutations, list(itertools.combinations("abc", r))


@PROGRAMS.of((-1,))
def a_negative_number_of_choices(r):
    return list(itertools.permutations("abc", r))


@PROGRAMS.of((1,), (2,), (0,), (-1,))
def steps(s):
    return list(itertools.islice("abcd", 0, None, s)), list(itertools.islice(range(9), 1, None, s))


@PROGRAMS.of((2,), (9,), (0,), (-1,), (-2,))
def stops(s):
    return list(itertools.islice("abcd", s)), list(itertools.islice(range(s), s))


@PROGRAMS.of((X, 2), (X, -1))
def stops_in_an_array(x, s):
    return list(itertools.islice(x, s))


@PROGRAMS.of((2,), (-1,))
def stops_of_a_count(s):
    total = 0
    for i in itertools.islice(itertools.count(), s):
        total += i
    return total


@PROGRAMS.of((2,))
def a_known_negative_stop(n):
    total = 0
    for i in itertools.islice(range(n), 1, -1):
        total += i
    return total


@PROGRAMS.of((1,), (-1,))
def starts(n):
    return list(itertools.islice("abcd", n, 3)), list(itertools.islice("abcd", n, None))


@PROGRAMS.of((1,), (3,))
def chain_of_all_items(n):
    return list(itertools.chain(*[[i] for i in range(n)]))


test_program = PROGRAMS.test()
