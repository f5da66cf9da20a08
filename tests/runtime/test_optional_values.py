"""A value that is None, or of one kind or another: where a test has told which, it is only that."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
ITEMS = ([1.0, 3.0, 9.0], -2), ([1.0, 3.0, 9.0], 6), ([-1.0, 1.0, 9.0], 3), ([-1.0, 3.0, 9.0], -6)
case = PROGRAMS.of(*[(np.array(items), n) for items, n in (*ITEMS, ([-1.0, 0.0, 9.0], 5))])


def found(x, n):
    if x[0] < 0:
        return x[1]
    return None


@case
def in_a_branch(x, n):
    w = found(x, n)
    r = x[0]
    if w is not None:
        r = np.sqrt(w) + np.maximum(w, x[2]) + np.array([w, 1.0]).sum() + max(w, x[2])
        if n > 2:
            r += np.where(x > 1, w, 0.0)[2] + np.full(2, fill_value=w)[0]
    return r


@case
def after_an_early_return(x, n):
    w = found(x, n)
    if w is None:
        return x.sum()
    return np.sqrt(w)


@case
def after_a_raise(x, n):
    w = found(x, n)
    if w is None:
        raise ValueError(f"none {n}")
    return np.sqrt(w)


@case
def behind_and_or_and_not(x, n):
    w = found(x, n)
    if w is not None and n > 2:
        return np.sqrt(w)
    if w is None or n > 5:
        return x[0]
    if not w:
        return x[2]
    return np.exp(w)


@case
def a_flag_says_so(x, n):
    w = found(x, n)
    is_there = w is not None
    r = x[0]
    if is_there:
        r = np.sqrt(w)
    if not is_there:
        r = -r
    return r


@case
def the_best_of_a_loop(x, n):
    best = None
    for v in x:
        if best is None or np.greater(v, best):
            best = v
    least = None
    for v in x:
        if v > n:
            least = v if least is None else np.minimum(v, least)
    return best, least


@case
def an_array_a_number_or_nothing(x, n):
    if x[0] > 0:
        held = x
    elif n > 3:
        held = 2.0 * n
    else:
        held = None
    if isinstance(held, np.ndarray):
        return held.sum()
    if held is not None:
        return np.array([held, 3.0]).sum()
    return x[2]


@case
def an_index_or_none(x, n):
    def first(t):
        for i in range(len(x)):
            if x[i] > t:
                return i
        return None

    i = first(n)
    if i is None:
        return x[0]
    return x[i] + np.abs(x)[i] + np.arange(5.0)[i]


@case
def a_closure_reads_it_before_and_after(x, n):
    w = found(x, n)

    def root():
        return np.sqrt(w)

    if w is not None:
        return root()
    w = x[2]
    return root()


@case
def in_a_recursion(x, n):
    def deeper(w, n):
        if w is None:
            return 0.0
        if n <= 0:
            return np.sqrt(w) * 1.0
        return deeper(w - 1 if w > 1 else None, n - 1) + np.sqrt(w)

    return np.float64(deeper(x[1], n))


@case
def compared_with_nothing_by_max(x, n):
    w = found(x, n)
    try:
        return max(w, x[2]), min(x[2], w)
    except TypeError:
        return x[0], x[1]


test_program = PROGRAMS.test()
