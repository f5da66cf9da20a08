"""Short loops in short loops: staged where their turns together are many, unrolled where they cannot be."""

import numpy as np
import pytest

import runtime
from tests.programs import Programs

PROGRAMS = Programs()
A = np.linspace(-1.0, 2.0, 64).reshape(8, 8)
#: what the nests of these programs would be if they were unrolled
UNROLLED = 600


@PROGRAMS.of((A, A.T), (A * 2, A))
def product(a, b):
    c = np.zeros((8, 8))
    for i in range(8):
        for j in range(8):
            s = 0.0
            for k in range(8):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


@PROGRAMS.of((np.arange(12) % 4, np.arange(12) % 3), (np.arange(12) % 5, np.arange(12) % 2))
def longest_common_subsequence(a, b):
    table = [[0] * 13 for _ in range(13)]
    for i in range(1, 13):
        for j in range(1, 13):
            if a[i - 1] == b[j - 1]:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table[12][12]


@PROGRAMS.of((-2.0, 9), (-1.5, 5))
def escape_times(left, limit):
    times = np.zeros((6, 20))
    for row in range(6):
        for column in range(20):
            z, n = 0j, 0
            while n < limit and abs(z) < 2.0:
                z = z * z + complex(left + column * 0.1, row * 0.2)
                n += 1
            times[row, column] = n
    return times


def damped(x, turns):
    total = 0.0
    for k in range(turns):
        total += np.sin(x) * k - x * total
    return total


@PROGRAMS.of((0.25,), (-1.5,))
def a_loop_in_a_callee(x):
    total = 0.0
    for i in range(30):
        total += damped(x + i, 8)
    return total


@PROGRAMS.of((A,), (A - 1,))
def a_number_of_turns_is_an_axis(x):
    turns = 0
    for i in range(12):
        for j in range(12):
            turns += 1
            x = np.sin(x * i) + np.cos(x - j) * 0.5
    return x.sum(axis=turns - 143)


@PROGRAMS.of((np.float64(0.5),), (np.float64(-2.0),))
def an_int_outgrows_64_bits(x):
    power = 1
    for i in range(12):
        for j in range(12):
            power = power * 2
            x = np.cos(x * 0.5 + np.sin(x) - j) + i
    return x, power


@PROGRAMS.of((np.float64(0.5),), (np.float64(-2.0),))
def functions_of_a_list(x):
    for i in range(40):
        for f in [np.sin, np.cos, np.sqrt]:
            x = f(abs(x) + i)
    return x


@PROGRAMS.of((A[0],), (A[1],))
def an_inner_loop_as_long_as_the_outer_one_says(x):
    x = x.copy()
    for i in range(8):
        for j in range(i, 8):
            for k in range(j - i):
                if x[j] > x[k]:
                    x[j], x[k] = x[k], x[j] - 1.0
    return x


test_program = PROGRAMS.test()


@pytest.mark.parametrize(
    "name", ["product", "longest_common_subsequence", "escape_times", "a_loop_in_a_callee"]
)
def test_large_nests_are_staged(name):
    program = PROGRAMS[name]
    graph = runtime.function(program.program).get_concrete_function(*program.calls[0].args).graph
    assert sum(1 for _ in graph.operations()) < UNROLLED / 4


def test_small_nests_are_unrolled():
    @runtime.function
    def total(x):
        s = 0.0
        for i in range(3):
            for j in range(4):
                s += x[i, j]
        return s

    graph = total.get_concrete_function(A).graph
    assert not any(operation.name == "for" for operation in graph.operations())
