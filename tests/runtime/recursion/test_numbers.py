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


halving = lambda n: 0 if n <= 1 else 1 + halving(n // 2)


I = np.int64
CALLS = {
    fib: [(0,), (1,), (15,), (I(9),)],
    is_even: [(10,), (7,), (I(0),)],
    halving: [(9,), (I(1),)],
}


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__name__)
def test_recursion_of_numbers(function):
    assert check(function, *CALLS[function])


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
