"""Loops of few turns: unrolled where their copies are cheap or need their number, else staged."""

from importlib import import_module

import numpy as np
import pytest

import runtime
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
A = np.linspace(-1.0, 2.0, 64).reshape(8, 8)
IMAGES = np.random.default_rng(5).normal(size=(2, 12, 12, 3))
COLUMNS = np.random.default_rng(6).uniform(1.0, 2.0, size=(4, 30, 5))


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


@PROGRAMS.of((IMAGES,), (-IMAGES[:1],))
def maximum_pool(x):
    pooled = np.full((len(x), 6, 6, 3), -np.inf)
    for i in range(6):
        for j in range(6):
            for k in range(2):
                for m in range(2):
                    window = x[:, 2 * i + k, 2 * j + m, :]
                    pooled[:, i, j, :] = np.maximum(pooled[:, i, j, :], window)
    return pooled


@PROGRAMS.of((*COLUMNS,), (*COLUMNS[::-1],))
def vertical_solver(lower, upper, right, diagonal):
    """The Thomas algorithm: a tridiagonal system for each column."""
    levels = len(diagonal)
    diagonal = diagonal + 3.0
    for k in range(1, levels):
        factor = lower[k] / diagonal[k - 1]
        diagonal[k] = diagonal[k] - factor * upper[k - 1]
        right[k] = right[k] - factor * right[k - 1]
    right[levels - 1] = right[levels - 1] / diagonal[levels - 1]
    for k in range(levels - 2, -1, -1):
        right[k] = (right[k] - upper[k] * right[k + 1]) / diagonal[k]
    return right


@PROGRAMS.of((A,), (A[::-1],))
def layers_in_a_list_and_loops_in_each(x):
    """The outer loop needs its number, for an index into a list of arrays of other shapes."""
    weights = [np.ones((8, 4)), np.ones((4, 2)), np.ones((2, 8))]
    for layer in range(3):
        x = x @ weights[layer]
        for k in range(30):
            x = np.tanh(x * 0.5 + k) - x * 0.25
    return x


@PROGRAMS.of((A[0],), (A[1],))
def shapes_of_both_numbers(x):
    """Both loops need their numbers."""
    parts = []
    for i in range(3):
        for j in range(4):
            parts.append(np.sin(np.concatenate((x, np.zeros(i + 1), np.ones(j)))).sum() + np.cos(x * j).max())
    return np.array(parts)


@PROGRAMS.of((A[0], 3), (A[1], 2))
def a_length_in_a_loop(x, n):
    """The number that is needed is no loop's."""
    for k in range(20):
        x = np.sin(x) + np.cos(x * k) + np.zeros((n, 1))[0]
    return x


@PROGRAMS.of((A[0],), (A[1],))
def a_first_turn_of_its_own(x):
    found, parts = None, {}
    for k in range(20):
        if k == 0:
            found = x * 2
        else:
            found = np.sin(found) * k + np.cos(x) - np.exp(-x)
        parts[f"turn {k}"] = found
        last = k
    return found, parts, last


test_program = PROGRAMS.test()


def operations(name):
    program = PROGRAMS[name]
    graph = runtime.function(program.program).get_concrete_function(*program.calls[0].args).graph
    return [operation.name for operation in graph.operations()]


@pytest.mark.parametrize("name", ["maximum_pool", "vertical_solver"])
def test_dear_nests_are_staged(name):
    assert len(operations(name)) < 150


@pytest.mark.parametrize("name", ["product", "longest_common_subsequence"])
def test_of_a_nest_the_outer_loops_are_staged_and_small_inner_ones_unrolled(name):
    found = operations(name)
    assert "for" in found and len(found) < 500


def test_a_loop_in_one_that_cannot_be_staged_is_staged():
    found = operations("layers_in_a_list_and_loops_in_each")
    assert found.count("for") == found.count("matmul") == 3


def test_a_loop_is_no_longer_unrolled_for_a_number_that_was_none_of_its_own():
    assert operations("a_length_in_a_loop").count("for") == 1


def test_a_trace_that_is_too_large_names_the_loop_and_what_kept_it_from_being_staged(monkeypatch):
    def alternating(x):
        for k in range(400):
            x = np.sin(x) + x.sum(axis=k % 2) - 1.0
        return x

    for name in ("decisions", "trace"):
        monkeypatch.setattr(import_module(f"runtime.tracer.{name}"), "MAX_OPERATIONS", 1000)
    with pytest.raises(StagingError, match="more than 1000 operations: this loop is unrolled, ") as caught:
        runtime.function(alternating)(A)
    error, line = caught.value, alternating.__code__.co_firstlineno + 1
    assert error.line == line and error.source_line.strip() == "for k in range(400):"
    assert "It cannot be staged: `axis` is known only at run time" in error.message
    assert error.message.endswith(f"(line {line + 1})")


def test_its_hint_helps():
    @runtime.function
    def one_turn(x, k):
        return np.sin(x) + x.sum(axis=k % 2) - 1.0

    x, plain = A, A
    for k in range(6):
        x, plain = one_turn(x, k), one_turn.python_function(plain, k)
    assert np.allclose(x, plain)


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
