"""Writes mean what NumPy means: aliases, views, arguments, iteration, exceptions after writes."""

import numpy as np

from tests.differential import CallOf
from tests.features.registry import floats, ints
from tests.semantics.cases import case, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)
ONE, ZERO = np.int64(1), np.int64(0)


@case(X, Y)
def augmented_assignment_writes_into_the_alias(x):
    a = x
    if x[0] > 0:
        a += 1
    return x[0], a[0]


@case(X, Y)
def plain_assignment_does_not(x):
    a = x
    if x[0] > 0:
        a = a + 1
    return x[0], a[0]


@case((X, ONE), (Y, ZERO))
def augmented_assignment_in_a_loop_writes_into_the_argument(x, n):
    for _ in range(3):
        if n > 0:
            x *= 2
        else:
            x -= 1
    return x


@case(X, Y)
def write_through_a_slice(x):
    tail = x[1:]
    if x[0] > 0:
        tail[0] = 50
    else:
        tail += 1
    return x.sum()


@case(X, Y)
def write_through_a_reversed_view_of_a_view(x):
    view = x[::-1][1:]
    for i in range(2):
        view[i] += i + (10 if x[0] > 0 else 20)
    return view


@case(floats(1, 2, 3, 4, 5, 6).reshape(2, 3), floats(-1, 2, 3, 4, 5, 6).reshape(2, 3))
def write_through_a_transposed_view(m):
    t = m.T
    t[0] = 9 if m[0, 0] > 0 else 7
    t[2, 1] *= 2
    return t.copy()


@case(floats(1, 2, 3, 4, 5, 6).reshape(2, 3), floats(-1, 2, 3, 4, 5, 6).reshape(2, 3))
def write_through_reshape_and_ravel(m):
    flat = m.reshape(6)
    if flat[0] > 0:
        flat[3] = 100
    m.ravel()[4] = -100
    return flat.sum()


@case(floats(1, 2, 3, 4, 5, 6).reshape(2, 3), floats(-1, 2, 3, 4, 5, 6).reshape(2, 3))
def rows_are_views(m):
    for r in m:
        if r[0] > 0:
            r[:] = r[::-1] * 2
    return m


@case(X, Y)
def fancy_indexing_copies(x):
    picked = x[np.array([0, 2])]
    masked = x[x > 0]
    if x[0] > 0:
        picked += 100
        masked[:] = 0
    return x, picked, masked


@case(X, Y)
def overlapping_write_in_one_statement(x):
    if x[0] > 0:
        x[1:] = x[:-1]
    else:
        x[:-1] = x[1:]
    return x


@case(X, Y)
def a_loop_sees_what_its_body_writes(x):
    total = 0.0
    i = 0
    for v in x:
        if i < 2:
            x[i + 1] = v + 10
        total = total + v
        i += 1
    return total


@case((X, Y), (Y, X))
def a_chosen_array_is_the_array_itself(x, y):
    if x[0] > y[0]:
        target = x
    else:
        target = y
    target[1] = 99
    return target


@case((X, Y), (Y, X))
def swapped_names_keep_their_arrays(x, y):
    for _ in range(3):
        if x[0] > -100:
            x, y = y, x
    x[0] = 1000
    return y


def writes_twice(v, w):
    v[0] = w
    v[-1] += w


@case(X, Y)
def a_callee_writes_into_the_callers_array(x):
    y = x * 2
    if x[0] > 0:
        writes_twice(y, x[1])
    writes_twice(x[1:], 5.0)
    return y


def replaces(v):
    v = v * 0
    v[0] = 123
    return v


@case(X, Y)
def a_callee_that_rebinds_its_parameter_writes_nothing(x):
    z = replaces(x)
    if x[0] > 0:
        z = replaces(z)
    return z


@case(
    CallOf(lambda: (base := np.arange(6.0), base[::2])), CallOf(lambda: (base := np.arange(6.0), base[1:4]))
)
def arguments_that_overlap(x, y):
    for i in range(3):
        if y[i] >= 0:
            x[i] = y[i] + 10
    return x.sum() + y.sum()


@case(CallOf(lambda: (x := np.arange(3.0), x)), CallOf(lambda: (np.arange(3.0), np.arange(3.0))))
def the_same_array_twice(x, y):
    x += 1
    if y[0] > 0:
        y *= 10
    return x


def read_only(*values):
    x = floats(*values)
    x.flags.writeable = False
    return x


@case(CallOf(lambda: (read_only(1, 2),)), CallOf(lambda: (read_only(-1, 2),)))
def a_read_only_argument_refuses_writes_as_numpy_does(x):
    if x[0] > 0:
        x[0] = 5
    return x


@case(
    CallOf(lambda: (np.arange(12.0).reshape(3, 4)[::2, ::-1],)),
    CallOf(lambda: (np.arange(8.0).reshape(4, 2).T,)),
)
def arguments_that_are_not_contiguous(x):
    total = 0.0
    for r in x:
        for v in r:
            total = total * 0.5 + v
    x[0, 0] = total
    return x


@case((X, np.int64(1)), (X, np.int64(2)), (X, np.int64(7)))
def writes_before_an_exception_remain(x, i):
    x[0] = 77
    x[i] = 88
    x[i + 1] = 99
    return x


@case(ints(1, 2, 3), ints(-1, 2, 3))
def item_writes_cast_to_the_arrays_dtype(x):
    x[1] = 2.75
    if x[0] > 0:
        x[2] = np.float64(-1.5)
    x[0] += 1
    return x


@case(ints(1, 2, 3), ints(-1, 2, 3))
def augmented_assignment_that_cannot_cast_raises(x):
    if x[0] > 0:
        x += 0.5
    return x


@case(np.array(2.0), np.array(-2.0))
def a_zero_dimensional_array_is_written_in_place(x):
    y = x
    if x > 0:
        y += 1
    else:
        y[()] = 10
    return x + 0, y


@case((X, floats(1, 2)), (X, floats(1, 2, 3)))
def shapes_that_do_not_fit_raise_as_numpy_does(x, y):
    x[0] = 5
    return x + y


@case((X, floats(1, 2)), (X, floats(1, 2, 3)))
def slices_that_do_not_fit_raise_as_numpy_does(x, y):
    x[0] = 5
    x[:] = y
    return x


@case(X, Y)
def an_array_in_a_condition_is_ambiguous(x):
    if x[:1] > 0:
        x[0] = 1
    if x > 0:
        x[1] = 1
    return x


@case(X, Y)
def out_arguments_are_written(x):
    y = np.empty(3)
    np.multiply(x, 2, out=y)
    if x[0] > 0:
        np.add(y, 1, out=y)
    return y


@scenario
def results_do_not_share_memory_between_calls(function):
    @function
    def f(x):
        y = np.zeros(3)
        if x[0] > 0:
            y[0] = x[0]
        return y

    first = f(X)
    second = f(Y)
    first[1] = 55
    return first, second, f(X)


@scenario
def the_argument_itself_comes_back(function):
    @function
    def f(x):
        if x[0] > 0:
            x[0] = 5
        return x

    x = X.copy()
    result = f(x)
    result[1] = 1000
    return x, result
