"""`x[i] = v` is refused where NumPy would show it through another name, a tuple, a caller or a view."""

from collections import namedtuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph
import autograph.stages.jax

X = np.array([0.5, -1.5, 2.25, 3.0, -0.75], np.float32)
M = np.arange(12, dtype=np.float32).reshape(3, 4)


def two_names(x):
    y = x
    y[0] = 1.0
    return x + y


def in_a_tuple(x):
    pair = (x, 1)
    x[0] = 9.0
    return pair


def of_a_named_tuple(x):
    pair = namedtuple("Pair", "a b")(x, 1)
    pair.a[0] = 9.0
    return pair


def through_a_function(x):
    y = (lambda a: a)(x)
    y[0] = 9.0
    return x


def of_a_parameter(x):
    def fill(a):
        a[0] = 5.0

    fill(x)
    return x


def of_a_parameter_whose_result_is_another_name(x):
    def fill(a):
        a[0] = 5.0
        return a

    y = fill(x)
    return x, y


def of_a_variable_around(x):
    def put():
        x[0] = 5.0

    put()
    return x


def chosen(x):
    y = x + 1
    z = x if x[0] > 0 else y
    z[0] = 99.0
    return x, z


def changed_on_one_path(x):
    z = x
    if z[0] > 0:
        z = z + 1
    z[0] = 99.0
    return x, z


def carried_as_two(x):
    total, before = 0.0, x + 1
    for i in range(12):
        x[i % 5] += 1.0
        total += before[0]
        before = x
    return total


def swapped_in_a_loop(x):
    a, b = x, x + 1
    for i in range(12):
        if x[0] > i:
            a, b = b, a
        a[0] = i
    return a, b, x


def of_what_a_loop_may_have_made(x):
    a = x
    for i in range(12):
        if x[0] > i:
            break
        a = a + 1
    a[0] = 0.0
    return x, a


def of_what_a_while_may_have_made(x):
    a = x
    while a[0] > 1:
        a = a / 2
    a[0] = 0.0
    return x, a


def in_a_list_that_a_branch_does_not_see(x):
    box = [x]
    if x[0] > 0:
        x[0] = 9.0
    return box


def a_slice(x):
    view = x[1:3]
    view[0] = 9.0
    return x


def of_what_has_a_slice(x):
    view = x[1:3]
    x[1] = 9.0
    return view


def overlapping_slices(x):
    a, b = x[:3], x[2:]
    a[2] = 9.0
    return b


def a_transpose(m):
    t = m.T
    t[0, 1] = 9.0
    return m


def rows(m):
    for row in m:
        row[0] = 9.0
    return m


def rows_by_number_in_a_scan(m):
    for i in range(12):
        row = m[i % 3]
        row[0] = 9.0
    return m


def a_slice_made_in_a_branch(x):
    view = x + 0
    if x[0] > 0:
        view = x[1:3]
    else:
        view = x[2:4]
    view[0] = 9.0
    return x


def indexed_twice(m):
    m[0][1] = 9.0
    return m


GLOBAL = jnp.zeros(3)


def of_a_global(x):
    y = GLOBAL
    y[0] = x[0]
    return GLOBAL


REFUSED = [
    (two_names, X, "`x` is the same array as `y`, and would not see this assignment"),
    (in_a_tuple, X, "`pair` holds an array that is the same array as `x`"),
    (of_a_named_tuple, X, "`pair` holds an array that is the same array as the array that this assigns to"),
    (through_a_function, X, "`x` is the same array as `y`"),
    (of_a_parameter, X, "`fill` assigns an item of its parameter `a`, and `x` of `of_a_parameter` would not"),
    (of_a_parameter_whose_result_is_another_name, X, "`fill` assigns an item of its parameter `a`"),
    (of_a_variable_around, X, "say `nonlocal x` in `put`"),
    (chosen, X, "`x` may be, which only a run knows, the same array as `z`"),
    (changed_on_one_path, X, "`x` may be, which only a run knows, the same array as `z`"),
    (carried_as_two, X, "`before` (is|may be, which only a run knows,) the same array as `x`"),
    (swapped_in_a_loop, X, "`x` is the same array as `a`|`x` may be, which only a run knows"),
    (of_what_a_loop_may_have_made, X, "`x` may be, which only a run knows, the same array as `a`"),
    (of_what_a_while_may_have_made, X, "`x` may be, which only a run knows, the same array as `a`"),
    (in_a_list_that_a_branch_does_not_see, X, "`box` holds an array that is the same array as `x`"),
    (a_slice, X, "`x` shares items, in NumPy, with `view`"),
    (of_what_has_a_slice, X, "`view` shares items, in NumPy, with `x`"),
    (overlapping_slices, X, "`b` shares items, in NumPy, with `a`"),
    (a_transpose, M, "`m` shares items, in NumPy, with `t`"),
    (rows, M, "`m` shares items, in NumPy, with `row`"),
    (rows_by_number_in_a_scan, M, "`m` shares items, in NumPy, with `row`"),
    (a_slice_made_in_a_branch, X, "`x` may be, which only a run knows, the same array as `view`"),
    (indexed_twice, M, "index once"),
    (of_a_global, X, "`GLOBAL` is the same array as `y`"),
]


@pytest.mark.parametrize(
    "transform", [jax.jit, lambda f: lambda a: jax.jit(jax.vmap(f))(a[None])], ids=["jit", "vmap"]
)
@pytest.mark.parametrize("f, argument, said", REFUSED, ids=[f.__name__ for f, _, _ in REFUSED])
def test_refused(f, argument, said, transform):
    with pytest.raises(autograph.StagingError, match=said):
        transform(autograph.convert(f))(argument)
