"""Functions of numbers that call themselves: real calls in the graph."""

import numpy as np
import pytest

import runtime as rt
from tests.differential import check


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def hanoi(n, source, target, spare):
    if n == 0:
        return 0
    moves = hanoi(n - 1, source, spare, target)
    print("disk", n, "from", source, "to", target)
    return moves + 1 + hanoi(n - 1, spare, target, source)


def power(x, n):
    if n == 0:
        return 1.0
    if n % 2 == 1:
        return x * power(x, n - 1)
    half = power(x, n // 2)
    return half * half


def swapped(n):
    if n == 0:
        return [0, 0]
    first, second = swapped(n - 1)
    return [second, first + n]


def last_larger(n, best=None):
    if n <= 0:
        return best
    return last_larger(n - 2, n if best is None or n % 3 == 0 else best)


def sum_of(n, *rest, **options):
    if n <= 0:
        return sum(rest) + options["z"]
    return sum_of(n - 1, *rest[1:], n, z=options["z"] + 1)


halving = lambda n: 0 if n <= 1 else 1 + halving(n // 2)


I = np.int64
CALLS = {
    fib: [(0,), (1,), (15,), (I(9),)],
    is_even: [(10,), (7,), (I(0),)],
    hanoi: [(3, "a", "b", "c"), (I(2), "a", "b", "c")],
    power: [(2.0, 10), (3.0, 0), (np.float64(1.5), I(5))],
    swapped: [(4,), (I(3),)],
    last_larger: [(9,), (0,), (I(4),)],
    sum_of: [(2, 1, 1), (I(3), 1, 2)],
    halving: [(9,), (I(1),)],
}
CALLS[sum_of] = [(2, 1, 1), (I(3), 1, 2)]


def call_sum_of(n, *rest):
    return sum_of(n, *rest, z=0)


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_recursion_of_numbers(function):
    program = call_sum_of if function is sum_of else function
    assert check(program, *CALLS[function])


def test_recursion_over_python_objects_is_unrolled():
    class Node:
        def __init__(self, value, left=None, right=None):
            self.value, self.left, self.right = value, left, right

    tree = Node(1.0, Node(2.0), Node(3.0, Node(4.0)))

    def walk(node, x):
        if node is None:
            return x
        if x > 2:
            x = walk(node.left, x - node.value)
        return walk(node.right, x + node.value)

    compiled = rt.function(lambda x: walk(tree, x))
    assert [compiled(x) for x in (1.0, 5.0)] == [walk(tree, x) for x in (1.0, 5.0)]
    assert not compiled.concrete_functions[0].graph.functions


def test_recursion_over_a_plain_number_is_unrolled_where_nothing_staged_decides():
    def repeated(x, n):
        return x if n == 0 else repeated(x, n - 1) * 2

    compiled = rt.function(lambda x: repeated(x, 3))
    assert compiled(np.float64(1.5)) == 12.0
    assert not compiled.concrete_functions[0].graph.functions


def test_a_function_is_traced_once_for_each_kind_of_arguments():
    compiled = rt.function(fib)
    assert compiled(10) == 55
    (trace,) = compiled.concrete_functions
    assert list(trace.graph.functions) == ["fib"]
    assert compiled(11) == 89
    assert compiled.trace_count == 1


def test_plain_numbers_that_count_are_staged():
    def count(x, n=0):
        return n if x > 1000 else count(x * 2, n + 1)

    compiled = rt.function(count)
    assert [compiled(np.float64(x)) for x in (1, 3, 2000)] == [count(x) for x in (1, 3, 2000)]
    assert compiled.trace_count == 1
