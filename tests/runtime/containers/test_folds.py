"""min, max, sorted, any, all and `in` over what the trace has item by item; and x.tolist()."""

import collections
from typing import NamedTuple

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()

ONE, TWO, EQUAL = np.array([1.0, -3.0, 2.0]), np.array([0.0, 3.0, 3.0]), np.array([2.0, 2.0, 2.0])


@PROGRAMS.of((ONE,), (TWO,))
def keys_of_many_items(a):
    return max(range(60), key=lambda i: a[i % 3] * i), sorted(range(40), key=lambda i: (a[i % 3], -i))[:4]


@PROGRAMS.of((ONE,), (TWO,))
def what_the_keys_leave_known_is_known(a):
    words = ["b", "a", "ccc"]
    longest = max(words, key=len)
    return longest, sorted(words, key=str.upper), a[: len(longest) - 1]


@PROGRAMS.of((np.arange(6).reshape(3, 2) - 2, 3), (np.arange(6).reshape(3, 2) - 1, 2))
def tolist_of_rows(a, n):
    rows = a[:n].tolist()
    for row in rows:
        if row[0] > 0:
            row.append(5)
    known = a.tolist()
    for row in known:
        if row[0] > 0:
            row.append(6)
    return rows, known


case = PROGRAMS.of((np.array([1.0, -2.0, 0.5, 0.0]),), (np.array([-1.0, 2.0, -0.5, 0.0]),))


class Pair(NamedTuple):
    a: float
    b: float


@case
def a_deque_is_unpacked_with_a_star(x):
    pair = Pair(x[0], 2.0) if x[0] > 0 else collections.deque([x[0], x[1], x[2]])
    first, *rest = pair
    return first, len(rest), rest[0]


@case
def what_is_no_mapping_is_none_on_one_path(x):
    given = None if x[0] > 0 else {"a": x[0]}
    try:
        return {**given}
    except TypeError as error:
        return {"a": 0.0, "error": str(error)}


@case
def what_is_not_iterable_is_none_on_one_path(x):
    given = None if x[0] > 0 else [x[0]]
    try:
        return [*given, 1.0], ""
    except TypeError as error:
        return [], str(error)


# -- What a call iterates over: arrays and iterators of an unknown length, and what cannot be iterated over

X, ALL, ROWS = np.array([0.0, 2.0, 3.0]), np.array([5.0, 2.0, 3.0]), np.arange(6.0).reshape(3, 2)
NO_DIMENSION = np.array(3)


@PROGRAMS.of((X,), (ALL,))
def chosen_items(x):
    y = x[x > 1]
    extended = [1]
    extended.extend(y)
    return list(y), tuple(y), [*y], (1, *y), {*y}, extended


@PROGRAMS.of((ROWS,))
def chosen_rows(x):
    kept = x[x[:, 0] > 1]
    return list(kept), [*kept]


@PROGRAMS.of((0,), (3,))
def starred_iterators(n):
    print(*zip(range(n), range(n)))
    pairs = [*zip(range(n), range(n))], [*enumerate(range(n))]
    return pairs, [*reversed(range(n))], [*iter(range(n))]


@PROGRAMS.of((NO_DIMENSION,))
def length_of_no_dimension(x):
    return len(x)


@PROGRAMS.of((X,))
def next_as_a_method(x):
    return map(abs, [x]).__next__(), zip([1]).__next__()


test_program = PROGRAMS.test()
