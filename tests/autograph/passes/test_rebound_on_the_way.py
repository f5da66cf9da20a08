"""A variable that gets another value while a statement is evaluated keeps that value.

The container of `x[i] += v` is what the variable held before; a `match` has one subject for all cases.
"""

import numpy as np
import pytest

from tests.differential import check, check_converted

_buffer = None


def _reset():
    global _buffer
    _buffer = np.zeros(3)
    return 4


class Plain:
    """An object with attributes."""


def stored_under_a_key_with_a_walrus(x):
    y = x
    y[(y := x * 10)[0]] = 5
    z = y
    z[(z := x * 10)[1] - 9] += 5
    return x, y, z


def a_global(x):
    global _buffer
    _buffer = x
    old = _buffer
    _buffer[0] += _reset()
    old[1] = _buffer[0]
    _buffer = x
    _buffer[_reset() - 2] = 9
    return old, _buffer


def in_a_loop(x):
    n = 2
    while n > 0:
        n -= 1
        x[n] += (x := x + 1).sum()
    return x


def in_a_choice(x):
    x[0] += x[1] if x[1] > 3 else (x := x + 1)[2]
    return x


def an_attribute_by_a_walrus(x):
    c = Plain()
    c.a = x
    c.a += (c := Plain()) is None
    return hasattr(c, "a")


def an_attribute_by_a_closure(x):
    c = Plain()
    c.a, d = [1, 2], c

    def h():
        nonlocal c
        c = Plain()
        c.a = [9]
        return [5]

    c.a += h()
    return c.a, d.a


STORES = [
    stored_under_a_key_with_a_walrus,
    a_global,
    in_a_loop,
    in_a_choice,
    an_attribute_by_a_walrus,
    an_attribute_by_a_closure,
]


@pytest.mark.parametrize("f", STORES, ids=lambda f: f.__name__)
def test_a_store_does_not_undo_a_binding(f):
    x = np.array([0, 1, 2])
    check_converted(f, (x,))
    check(f, (x,), (x + 3,) if f is in_a_choice else (x,))


def a_subject_of_a_loop(n):
    t = (n, 3)
    for _ in range(3):
        match t:
            case (t, _) if t < 0:
                return "negative"
            case (a, t):
                t = (a - 2, t)
    return t


def a_shared_subject(n):
    def inner():
        nonlocal p
        match p:
            case [p, *_] if p > 2:
                return "gt"
            case [a, _]:
                return a

    p = [n, n]
    return inner(), p


@pytest.mark.parametrize("f", [a_subject_of_a_loop, a_shared_subject], ids=lambda f: f.__name__)
def test_a_capture_is_not_the_subject_of_the_next_case(f):
    check_converted(f, (1,), (5,))
    check(f, (1,), (5,))
