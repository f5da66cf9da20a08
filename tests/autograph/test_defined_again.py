"""A function that is defined again, as in a cell of a notebook: its code equals what it was, nested deeply.

CPython takes twice as long with each level to find two nested code objects equal; these took minutes.
"""

import time

import numpy as np
import pytest

import runtime
from tests.benchmarks.programs import fresh

LEVELS = 30
CHAIN = "\n".join(
    ["def program(x):", "    n = 0", "    if x < 0:", "        n = -1"]
    + [f"    elif x < {k + 1}:\n        n = n + {k}" for k in range(LEVELS)]
    + ["    return n\n"]
)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_a_long_chain_that_is_defined_twice(engine):
    began = time.perf_counter()
    for _ in range(2):
        program = runtime.function(fresh(CHAIN), engine=engine)
        assert program(np.float64(7.5)) == 7 and program(np.float64(-1.0)) == -1
    assert time.perf_counter() - began < 20
