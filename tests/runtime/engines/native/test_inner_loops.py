"""The forms of inner loops run in machine code from end to end, and what does not is told by `explain()`."""

import copy

import numpy as np
import pytest

import runtime as rt
from tests.benchmarks import inner_loops


@pytest.mark.parametrize("form", inner_loops.FORMS, ids=lambda form: form.__name__)
def test_no_step_leaves_machine_code(form):
    arguments = inner_loops.FORMS[form]()
    ours = rt.function(form)
    expected, found = form(40, *copy.deepcopy(arguments)), ours(40, *copy.deepcopy(arguments))
    assert np.allclose(found, expected, rtol=1e-13, atol=0)
    (trace,) = ours.explain().traces
    assert (trace.engine, trace.kernels, trace.slow_ways) == ("native", [], [])


def test_columns_of_one_matrix_and_axes_of_length_one_need_no_kernel():
    @rt.function
    def f(m, y):
        for _ in range(3):
            m[:, -1] = m[:, -2]
            m[::2, 0] = m[1::2, 0]
            m[:, 1] = y[:, None][:, 0] * m[:, 3]
        return m, y[:, None] * 1j

    m, y = np.arange(24.0).reshape(6, 4), np.arange(6.0)
    for a, b in zip(f(m.copy(), y), f.__wrapped__(m.copy(), y), strict=True):
        assert a.tobytes() == b.tobytes() and a.strides == b.strides
    assert f.explain().traces[0].slow_ways == []


def test_a_slow_way_is_told_with_its_line_and_count():
    @rt.function
    def shifted(x, y, n):
        total = 0.0
        for i in range(n):
            y[:] = x + 1
            total += x[i]
        return total

    memory = np.zeros(8)
    shifted(np.zeros(7), np.zeros(7), 3)
    assert shifted.explain().traces[0].slow_ways == []
    assert shifted(memory[:-1], memory[1:], 5) == 10.0
    (told,) = shifted.explain().traces[0].slow_ways
    line = shifted.__wrapped__.__code__.co_firstlineno + 4
    assert told.startswith(f"line {line}: add, setitem ran NumPy's kernels 5 times, ")


def small(y, n, z, k, b):
    return (
        np.array([1.0, y[n], n]), np.array([[y[0], 0.0], [1, n]]), np.array([y[0]], dtype=np.float32),
        np.array((n + 0.5, n)), np.array([1j, y[0], z]), np.array([k, n]), np.array([k, k]),
        np.array([b, True]), np.array([y[0], n], dtype=np.int32), np.array([n, 1.5], dtype="f4"),
    )  # fmt: skip


@pytest.mark.parametrize("first", [2.75, -7.0, 3e9, np.nan, np.inf])
def test_small_arrays_are_numpys_to_the_bit(first):
    def outcome(function):
        try:
            return function(np.array([first, 2, 3]), 1, np.complex128(1 - 2j), np.int32(-5), True)
        except (OverflowError, ValueError) as error:
            return type(error), str(error)

    ours = rt.function(small)
    expected, found = outcome(small), outcome(ours)
    assert ours.explain().traces[0].kernels == []
    if isinstance(expected[0], type):
        assert found == expected
    else:
        assert [(a.dtype, a.shape, a.tobytes()) for a in found] == [
            (a.dtype, a.shape, a.tobytes()) for a in expected
        ]


def test_a_call_of_numpy_in_a_loop_is_counted():
    @rt.function
    def medians(x, n):
        total = np.median(x)
        for i in range(n):
            total += np.median(x[i : i + 3])
        return total

    x = np.arange(10.0)
    assert [medians(x, 5), medians(x, 3)] == [medians.python_function(x, n) for n in (5, 3)]
    (told,) = medians.explain().traces[0].slow_ways
    line = medians.python_function.__code__.co_firstlineno + 4
    assert told.startswith(f"line {line}: median ran NumPy's kernels 8 times, ")
