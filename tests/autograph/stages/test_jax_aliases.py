"""`x[i] = v` is seen wherever NumPy shows it: through containers, objects and several names."""

from typing import Any

import jax
import numpy as np
import pytest

import autograph
import autograph.stages.jax

X = np.array([0.5, -1.5, 2.25, 3.0, -0.75], np.float32)
M = np.arange(12, dtype=np.float32).reshape(3, 4)


class Box:
    def __init__(self, held: Any) -> None:
        self.held = held

    def mark(self, k):
        self.held[k] = 9.0


class Slotted:
    __slots__ = ("held",)


def attempt(f, *arguments):
    return jax.jit(autograph.convert(f))(*arguments)


def same(f, *arguments):
    expected = f(*(np.array(a) for a in arguments))
    result = attempt(f, *arguments)
    assert jax.tree.structure(result) == jax.tree.structure(expected)
    for leaf, other in zip(jax.tree.leaves(result), jax.tree.leaves(expected)):
        np.testing.assert_allclose(leaf, other, rtol=1e-6)


# Made right: whatever holds the array gets the new one


def in_a_list(x):
    box = [x, x + 1]
    x[0] = 9.0
    return box


def in_a_nested_dict(x):
    held = {"p": {"w": x}}
    x[1] += 9.0
    return held


def in_an_attribute(x):
    box = Box(x)
    x[0] = 9.0
    return box.held


def in_a_slot(x):
    box = Slotted()
    box.held = x
    x[0] = 9.0
    return box.held


def of_an_attribute(x):
    box = Box(x)
    box.held[0] += 4.0
    return box.held


def of_an_item(x):
    rows = [x, x + 1]
    rows[1][2] = 9.0
    return rows


def of_items_in_a_loop(x):
    rows = [x + i for i in range(3)]
    for i in range(3):
        rows[i][0] = i
    for row in rows:
        row[1] = 7.0
    return rows


def of_an_attribute_in_a_method(x):
    box = Box(x)
    box.mark(0)
    if box.held[1] < 0:
        box.mark(2)
    return box.held


def of_an_attribute_in_a_scan(x):
    box = Box(x)
    for i in range(12):
        box.held[i % 5] += i
        if box.held[0] > 5:
            box.mark(1)
    return box.held


def of_a_list_in_a_while(x):
    rows, n = [x, x + 1], 0
    while rows[0][n] < 2:
        rows[0][n] += 5.0
        n += 1
    return rows, n


def of_a_dict_in_a_branch(x):
    held = {"w": x}
    if x[0] > 0:
        held["w"][0] = 5.0
    else:
        held["w"][1] = 6.0
    return held


def history(x):
    seen = []
    for i in range(3):
        x[i] = 9.0
        seen.append(x)
    return seen


def long_history(x):
    seen = []
    for i in range(12):
        x[i % 5] = float(i)
        seen.append(x)
    return seen


def held_by_a_closure_that_returned(x):
    def make(held):
        return lambda: held[0]

    read = make(x)
    x[0] = 9.0
    return read()


def of_a_nonlocal(x):
    def mark():
        nonlocal x
        x[0] = 9.0

    mark()
    return x


def of_a_parameter_that_is_returned(x):
    def mark(a):
        a[0] = 9.0
        return a

    x = mark(x)
    return x


def of_a_name_that_is_not_read_again(x):
    y = x
    y[0] = 9.0
    for i in range(12):
        y[i % 5] += 1
    return y


def of_an_old_name_that_was_given_something_else(x):
    y = x
    x = x + 1
    y[0] = 9.0
    return x, y


def of_a_copy(x):
    y = x.copy()
    x[0] = 9.0
    return x, y


def of_slices_that_are_apart(x):
    left, right = x[:2], x[2:]
    left[0] = 9.0
    return left, right


def of_rows_of_what_is_not_read_again(m):
    first, last = m[0], m[2]
    first[0] = 9.0
    return first, last


def previous(x):
    before = x
    for i in range(12):
        before = x
        x = x * 1.5
        x[i % 5] = 0.0
    return before, x


def of_what_a_loop_made(x):
    a = x
    for i in range(12):
        a = a + i
    a[0] = 0.0
    return x, a


def of_what_a_branch_made(x):
    if x[0] > 0:
        x = x + 1
    x[0] = 9.0
    return x


RIGHT = [
    (in_a_list, X),
    (in_a_nested_dict, X),
    (in_an_attribute, X),
    (in_a_slot, X),
    (of_an_attribute, X),
    (of_an_item, X),
    (of_items_in_a_loop, X),
    (of_an_attribute_in_a_method, X),
    (of_an_attribute_in_a_scan, X),
    (of_a_list_in_a_while, X),
    (of_a_dict_in_a_branch, X),
    (history, X),
    (long_history, X),
    (held_by_a_closure_that_returned, X),
    (of_a_nonlocal, X),
    (of_a_parameter_that_is_returned, X),
    (of_a_name_that_is_not_read_again, X),
    (of_an_old_name_that_was_given_something_else, X),
    (of_a_copy, X),
    (of_slices_that_are_apart, X),
    (of_rows_of_what_is_not_read_again, M),
    (previous, X),
    (of_what_a_loop_made, X),
    (of_what_a_branch_made, X),
]


@pytest.mark.parametrize("f, argument", RIGHT, ids=[f.__name__ for f, _ in RIGHT])
def test_right(f, argument):
    same(f, argument)


@pytest.mark.parametrize("f, argument", RIGHT[:12], ids=[f.__name__ for f, _ in RIGHT[:12]])
def test_right_under_vmap(f, argument):
    result = jax.vmap(autograph.convert(f))(np.stack([argument, argument + 1]))
    for number, expected in enumerate([f(np.array(argument)), f(np.array(argument + 1))]):
        for leaf, other in zip(jax.tree.leaves(result), jax.tree.leaves(expected)):
            np.testing.assert_allclose(leaf[number], other, rtol=1e-6)
