"""Arrays of constants that are made once: what a program returns of them is there."""

import numpy as np
import pytest

import runtime as rt


@pytest.mark.parametrize("engine", ["native", "numpy"])
def test_an_item_of_a_constant_array_is_a_result(engine):
    assert rt.function(lambda: np.arange(4)[2], engine=engine)() == 2
    assert rt.function(lambda x: (np.ones(3).sum(), x), engine=engine)(1.5) == (3.0, 1.5)
