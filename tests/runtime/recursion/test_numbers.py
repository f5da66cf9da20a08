"""Functions that call themselves with staged values: real calls in the graph."""

from __future__ import annotations

import numpy as np
import pytest

import runtime as rt
from runtime.formats.parse import parse
from tests.differential import check


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def gcd(a, b):
    if b == 0:
        return a
    return gcd(b, a % b)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


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


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (factorial, [(5,), (1,), (20,), (np.int64(6),)]),
        (fib, [(0,), (1,), (15,), (np.int64(9),)]),
        (gcd, [(48, 36), (7, 0), (np.int64(91), np.int64(35))]),
        (ackermann, [(2, 3), (0, 0), (np.int64(2), np.int64(2))]),
        (is_even, [(10,), (7,), (np.int64(0),)]),
        (hanoi, [(3, "a", "b", "c"), (0, "a", "b", "c")]),
    ],
    ids=lambda item: getattr(item, "__name__", ""),
)
def test_recursion_of_numbers(function, calls):
    assert check(function, *calls, promotes=True)


def test_a_function_is_traced_once_for_each_kind_of_arguments():
    compiled = rt.function(fib, engine="numpy")
    assert compiled(10) == 55
    (trace,) = compiled.concrete_functions
    assert list(trace.graph.functions) == ["fib"]
    assert compiled(11) == 89
    assert compiled.trace_count == 1


def test_text_of_a_graph_with_functions_is_read_back():
    text = str(rt.function(fib, engine="numpy").get_concrete_function(3).optimized)
    assert "function @fib(n: int) -> int:" in text
    assert "= @fib(" in text
    assert str(parse(text)) == text
