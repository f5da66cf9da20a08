"""On NumPy's own floats the numpy engine takes Python's operators: they give what the ufuncs give."""

import itertools
import math

import numpy as np
import pytest

from runtime.engines.numpy_engine import _OPERATORS

NUMBERS = [0.0, -0.0, 1.5, -3.25, 0.1, 1e300, 5e-324, math.inf, -math.inf, math.nan]
PLAIN = [*NUMBERS, 0, 1, -7, 2**53 + 1, 2**63 - 1, -(2**63), True, False]
SCALARS = [kind(x) for kind in (np.float64, np.float32) for x in (*NUMBERS[:5], 1e30, *NUMBERS[6:])]


def same(a, b):
    return type(a) is type(b) and np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.mark.parametrize("name", _OPERATORS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operators_are_the_ufuncs(name):
    ufunc, operate = getattr(np, name), _OPERATORS[name]
    operands = [*itertools.product(SCALARS, [*PLAIN, *SCALARS]), *itertools.product(PLAIN, SCALARS)]
    if ufunc.nin == 1:
        operands = [(x,) for x in SCALARS]
    wrong = [given for given in operands if not same(ufunc(*given), operate(*given))]
    assert not wrong, [(given, ufunc(*given), operate(*given)) for given in wrong[:5]]
