"""Recursion over arrays: views, writes in place, new arrays."""

import numpy as np
import pytest

from tests.differential import check, check_scenario

I = np.int64


def sort_between(x, low, high):
    if low < high:
        pivot = x[high]
        i = low
        for j in range(low, high):
            if x[j] <= pivot:
                x[i], x[j] = x[j], x[i]
                i = i + 1
        x[i], x[high] = x[high], x[i]
        sort_between(x, low, i - 1)
        sort_between(x, i + 1, high)


def search(x, key, low, high):
    if low >= high:
        return -1
    middle = (low + high) // 2
    if x[middle] == key:
        return middle
    return search(x, key, middle + 1, high) if x[middle] < key else search(x, key, low, middle)


def fib(n, memo):
    if n < 2:
        return n
    if memo[n] < 0:
        memo[n] = fib(n - 1, memo) + fib(n - 2, memo)
    return memo[n]


def memoised(n):
    return fib(n, np.full(50, -1))


def permutations(a, k=0):
    if k == len(a):
        print(a)
        return 1
    count = 0
    for i in range(k, len(a)):
        a[k], a[i] = a[i], a[k]
        count += permutations(a, k + 1)
        a[k], a[i] = a[i], a[k]
    return count


def place_queens(row, columns, n):
    if row == n:
        return 1
    count = 0
    for column in range(n):
        free = True
        for r in range(row):
            if columns[r] == column or abs(columns[r] - column) == row - r:
                free = False
                break
        if free:
            columns[row] = column
            count += place_queens(row + 1, columns, n)
    return count


NUMBERS = np.array([3.0, 1.0, 2.0, 9.0, 4.0, 4.0])
CALLS = {
    search: [(np.arange(10.0), 3.0, 0, 10), (np.arange(10.0), 3.5, 0, 10)],
    memoised: [(20,), (I(5),)],
    permutations: [(np.arange(3),)],
}


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_recursion_over_arrays(function):
    assert check(function, *CALLS[function])


def test_what_was_read_before_a_call_that_writes():
    def count_up(x, n):
        if n > 0:
            x[n] = x[n] + 1
            count_up(x, n - 1)

    def program(x, n):
        before, first = x * 2, x[1] + 0
        count_up(x, n)
        return before, first, x * 2, x[1] + 0

    assert check(program, (np.arange(4.0), I(3)))


def test_arguments_that_are_the_same_array():
    def add_crosswise(x, y, n):
        if n > 0:
            x[0] = x[0] + y[0]
            add_crosswise(y, x, n - 1)

    def program(function):
        @function
        def f(x, n):
            add_crosswise(x, x, n)
            add_crosswise(x, x[1:], n)
            first = x[0] * 2
            add_crosswise(x[1:], x, n)
            return first, x[0] * 2

        a = np.arange(1.0, 4.0)
        return f(a, I(3)), a, f(a, I(1)), a

    assert check_scenario(program)


def test_a_captured_array_is_read_where_it_lives():
    def program(function):
        weights = np.arange(4.0)

        def rest(i):
            return 0.0 if i >= 4 else weights[i] + rest(i + 1)

        f = function(lambda i: rest(i))
        first = f(I(1))
        weights[2] = 100.0
        second = f(I(0))
        weights = np.ones(4)
        return first, second, f(I(0))

    assert check_scenario(program)
