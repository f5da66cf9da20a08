"""The forms of inner loops run in machine code from end to end, and what does not is told by `explain()`."""

import copy

import numpy as np
import pytest

import runtime as rt
from tests.benchmarks import inner_loops

#: forms that still call Python
CALLING = {"gathers_of_rows", "small_arrays", "triangles"}


@pytest.mark.parametrize("form", inner_loops.FORMS, ids=lambda form: form.__name__)
def test_no_step_leaves_machine_code(form):
    arguments = inner_loops.FORMS[form]()
    ours = rt.function(form)
    expected, found = form(40, *copy.deepcopy(arguments)), ours(40, *copy.deepcopy(arguments))
    assert np.allclose(found, expected, rtol=1e-13, atol=0)
    (trace,) = ours.explain().traces
    assert (trace.engine, trace.slow_ways) == ("native", [])
    assert bool(trace.kernels) == (form.__name__ in CALLING)


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
