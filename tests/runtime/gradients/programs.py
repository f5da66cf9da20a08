"""Small programs with control flow and writes, each with arguments at which it is smooth.

Each is a function of one float or array (the first argument), and gives one number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

X = np.array([0.3, 0.7, 1.2])
A = np.arange(9.0).reshape(3, 3) / 7 - 0.4
PROGRAMS: list[Any] = []


def program(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, args))
        return function

    return register


@program(X)
def straight_line(x):
    return np.sum(np.sin(x) * x**2) + x[0] * np.exp(x[2])


@program(X)
def a_loop_over_elements(x):
    s = 0.0
    for i in range(3):
        s += x[i] * x[i] * s + x[i]
    return s


@program(X)
def stores_that_read_what_was_stored(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] ** 2
        if i > 0:
            y[i] *= y[i - 1]
    return y.sum()


@program(X)
def items_that_are_added_to(x):
    y = x * x
    for i in range(3):
        for j in range(3):
            y[i] += 0.3 * y[j] * x[i]  # where i is j, what is added is of the item itself
            y[j] -= 0.1 * y[i] * y[i - 1]
        y[i - 1] = y[i] + y[i - 1]
    return (y * y).sum()


@program(A)
def items_behind_a_negative_index(a):
    a = a.copy()
    for k in range(-1, 1):
        for j in range(k + 1, 3):
            a[1, j] += a[1, k] * a[0, j]  # a[1, -1] is a[1, 2]
    return (a**3).sum()


@program(X)
def one_number_read_in_and_before_branches(x):
    y, total = x * 1.0, 0.0
    for i in range(3):
        if y[i] + x[0] < 1.2:
            y[0] += y[i] * x[0]
        total += y[i] * x[0] ** 1 + y[0] ** 4
        y /= y.sum()
        total += (y * np.arange(3)).sum()
    return total


@program(1.7)
def a_while_loop_on_numbers(v):
    r = 1.0
    while r < 100:
        r = r * v + 1.0 / v
    return r


@program(X, 20)
def a_loop_with_break_and_writes(x, n):
    s = 0.0
    y = np.zeros(3)
    for i in range(n):
        if s > 10:
            break
        y[i % 3] = s * x[0]
        s += x[i % 3] * 2
        y[1:] *= s
    return y.sum() + s


@program(X)
def branches(x):
    if x[0] > 0.1:
        return np.tanh(x).sum()
    return x[1] * 2.0


@program(X)
def views_of_a_copy(x):
    y = x.copy()
    z = y[1:]
    z += y[:-1] * 2
    y[0] *= 3
    return (y * y).sum()


@program(A, X, 4)
def a_recurrent_network(weights, x, n):
    hidden = np.zeros((n, 3))
    h = np.zeros(3)
    for t in range(n):
        h = np.tanh(weights @ h + x * t)
        hidden[t] = h
    return (hidden**2).sum()


@program(1.3, 5)
def recursion(x, n):
    if n <= 0:
        return 1.0
    return x * recursion(x, n - 1) + x


@program(X)
def a_try_without_exceptions(x):
    s = 0.0
    try:
        for i in range(3):
            s += np.sqrt(x[i])
            if s > 100:
                raise ValueError("too large")
    except ValueError:
        s = -1.0
    return s * x[0]


@program(X, 10)
def an_early_return_from_two_loops(x, n):
    for i in range(n):
        for j in range(3):
            if x[j] * i > 2.0:
                return x[j] ** 2 * i
    return x[0]


@program(X, 6)
def loops_whose_length_hangs_on_values(x, n):
    s = 0.0
    for i in range(n):
        k = 0
        while s < i * 3.0 and k < 5:
            s += x[k % 3] * np.cos(s) + 0.5
            k += 1
    return s


@program(A + 2 * np.eye(3))
def elimination_in_place(a):
    a = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a[0, 0] * a[1, 1] * a[2, 2]


@program(A + 2 * np.eye(3))
def rows_and_a_transposed_view(a):
    a = a * 1.0
    for i in range(1, 3):
        a[i] -= a[0] * (a[i, 0] / a[0, 0])
    b = a.T
    b[0] = b[1] * b[2]
    return (a**2).sum()


@program(X)
def arrays_that_change_places(x):
    a = np.zeros(3)
    b = x * 2
    for i in range(4):
        a[i % 3] = b[0] * b[1]
        a, b = b, a
    return (a * b).sum()


@program(X, np.array([0, 2, 0]))
def index_arrays_with_an_item_twice(x, i):
    y = np.zeros(4)
    y[i] = x * x
    return (y**2).sum() + (x[i % 3] ** 3).sum()


@program(X)
def a_mask(x):
    y = x.copy()
    y[y > 0.5] *= 2.0
    return (y**3).sum()


@program(X, 7)
def every_second_one_backwards(x, n):
    s = 1.0
    for i in range(n, 0, -2):
        s = s * x[i % 3] + i
    return s


@program(X)
def an_argument_that_is_written(x):
    x[1] = x[0] * x[2]
    x *= x[1]
    return x.sum()


@program(X, 3)
def an_array_that_is_made_in_each_iteration(x, n):
    s = 0.0
    for i in range(n):
        y = np.zeros(3)
        y[:2] = x[1:] * s
        y[2] = x[0]
        y *= y
        s = y.sum() + 0.1
    return s


@program(X)
def reshaped_views(x):
    y = np.zeros((2, 3))
    flat = y.reshape(-1)
    flat[1:4] = x
    y[1] += y[0]
    return (y * y).sum()


@program(X)
def a_store_of_the_array_into_itself(x):
    y = x * 2.0
    y[1:] = y[:-1]
    y[:] = y[::-1]
    return (y**3).sum()


@program(X)
def whole_array_stores(x):
    y = np.empty(3)
    y.fill(x[0])
    y += x
    np.copyto(y, y * x)
    np.multiply(y, y, out=y)
    return y.sum()


@program(X)
def a_broadcast_array_that_is_read_in_parts(x):
    y = np.broadcast_to(x, (2, 3))
    return (y * y * np.arange(6.0).reshape(2, 3)).sum() + y[0, 1] ** 2


@program(X, 2)
def a_broadcast_column_in_a_loop(x, n):
    y = np.broadcast_to(x[:, None] * 2.0, (3, 2))
    s = 0.0
    for i in range(n):
        s += (y * np.array([1.0, 2.0]) * s).sum() + y[i].sum()
    return s


@program(X, 3)
def an_array_that_the_next_iteration_writes(x, n):
    h = x.copy()
    s = 0.0
    for _ in range(n):
        h[1] = 1.5 * h[1]
        h = h * 2.0
        s += (h * h * h).sum()
    return s


@program(X, 5)
def tables_filled_in_order(x, n):
    """What is read of them is not written again: it need not be copied."""
    table, row = np.zeros((n, n)), np.zeros(n)
    total = 0.0
    for i in range(n):
        row[i] = np.sin(x[i % 3] + i)
        total += (row[: i + 1] * row[: i + 1]).sum()
        for j in range(i + 1):
            table[i, j] = row[j] * x[j % 3] - table[i, :j] @ row[:j]
        if i > 0:
            total += table[i - 1] @ row
    return total


@program(X, 5)
def tables_filled_in_another_order(x, n):
    """What is read of them is written again."""
    up, down = np.ones(n), np.ones(n)
    total = 0.0
    for i in range(1, n):
        total += up[: i + 1] @ up[: i + 1] + down[:i] @ down[:i]
        up[i] = np.cos(0.1 * total) * x[i % 3]
        down[-i] = np.sin(0.1 * total) * x[i % 3]
    for i in range(n - 1, 0, -1):
        total += up[:i] @ down[:i]
        up[i - 1] = np.cos(0.1 * total) * x[i % 3]
    return total


@program(X, 4)
def states_that_are_scaled_in_place(x, n):
    """Nobody else has the array: to gradients it is a new one each time."""
    state = np.exp(x)
    total = 0.0
    for t in range(n):
        scale = state.sum()
        total += np.log(scale)
        state /= scale
        state -= 0.1 * x
        state = np.tanh(A @ state) + x * (t + 1) + 1.0
    return total + state @ state


@program(X, 4)
def an_array_with_two_names_that_is_written_in_place(x, n):
    h = np.sin(x)
    before = h
    total = 0.0
    for i in range(n):
        h *= x[0] + i
        total += (before * h * h).sum()  # of the same array, at first
        if i % 2:
            before = h
            h = np.cos(h)
    return total


@program(X, 4)
def small_arrays_that_are_kept(x, n):
    """Numbers, masks, and views that are not contiguous."""
    m = np.outer(x, x)
    total = 0.0
    for i in range(n):
        gates = np.sin(m[i % 3] + x)
        a, b = gates[:2], gates[1:]  # which overlap
        m = (np.cos(m) * np.where(gates > 0.7, gates, 0.5)).T
        if i % 2:
            total += (a * a * b).sum() * m[0, 2]
        total += np.linalg.norm(m) * gates[1]
    return total


# -- handlers: each is given arguments with which the body ends, and such with which it raises


@program(X)
@program(3 * X)
def a_handler_that_reads_what_was_there(x):
    scale, part = x[0] * x[1], x[:2]
    try:
        if x.sum() > 3:
            raise ValueError("large")
        y = scale * x[2]
    except ValueError:
        part = x[1:]
        y = scale * scale
    return y * part.sum()


@program(X)
def a_handler_in_a_loop(x):
    total = x[0] * 1.0
    for i in range(5):
        try:
            total = total * 0.9 + x[i] * total
        except IndexError:
            total = total * total * x[0]
    return total


@program(np.array([0.3, 1.5, 2.7, 0.2, 1.2]))
def a_handler_that_raises_to_the_next(x):
    total = 0.0
    for i in range(len(x)):
        try:
            try:
                if x[i] > 1:
                    raise ValueError
                total = total + x[i]
            except ValueError:
                if x[i] > 2:
                    raise KeyError from None
                total = total * x[i] + 1
        except KeyError:
            total = total - x[i] ** 3
    return total


@program(X)
@program(-X)
def a_handler_that_writes(x):
    y = x * 2.0
    try:
        if x[0] > 0:
            raise ValueError
        z = y * x
    except ValueError:
        y[1] = x[0] * 5.0
        z = y * y
    return z.sum()


@program(0.5)
@program(3.0)
def a_handler_behind_a_finally(x):
    y = x
    try:
        try:
            if x > 1:
                raise ValueError
            y = x * 2
        finally:
            y = y * x
    except ValueError:
        y = x * x * 5
    return y


@program(np.array([[2.0, 0.3], [0.3, 1.0]]))
@program(np.array([[2.0, 0.3], [0.3, -1.0]]))
def a_handler_of_what_a_library_raises(a):
    try:
        found = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        found = a * a[0, 0]
    return (found * found[1, 0]).sum()


@program(X)
@program(2 * X)
def a_handler_that_reads_what_the_body_computed(x):
    y = 1.0
    try:
        y = x[0] * x[1]
        if x.sum() > 3:
            raise ValueError
    except ValueError:
        return x[2] * y
    return y


@program(X)
def a_body_that_stores_and_raises(x):
    y, found = x * 2.0, [x[0] * 3.0]
    try:
        y[0] = x[1] * y[2]
        found.append(y[0] * y[0])
        y[1] = x[5]
    except IndexError:
        y[2] = y[0] * found[-1]
    return y.sum() + sum(found)


@program(X, 2)
@program(X, 7)
def loops_that_raise_on_the_way(x, n):
    total, y = 1.0, x * x
    try:
        for i in range(n):
            y[i % 3] = y[i % 3] * total
            k = 0
            while k < 4:
                if total > 5:
                    raise ValueError
                total = total * 1.5 + y[i]
                k += 1
    except ValueError:
        total = total * y[1]
    except IndexError:
        total = total * total
    return total * y.sum()


@program(X)
@program(-X)
def a_handler_that_stores_and_raises_to_the_next(x):
    y, z = x * x, 0.0
    try:
        try:
            y[0] = y[1] * 2
            y[1] = np.sqrt(y[0]) if x[0] > 0 else y[9]
            z = y[1] * y[0]
            raise KeyError
        except IndexError:
            y[2] = y[0] * y[1]
            z = y[2] * 2
            raise ValueError from None
    except (ValueError, KeyError):
        z = z * y[0]
    return z + y.sum()
