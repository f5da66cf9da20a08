"""Objects of the user's that answer NumPy themselves, beside staged arrays and scalars."""

import numpy as np
import pytest

from tests.differential import check
from tests.modules import module_of


class Ufunc:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method


class NoUfunc:
    __array_ufunc__ = None


class Held:
    def __array__(self, dtype=None, copy=None):
        return np.ones(2)


class Three:
    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (1.0, 2.0)[i]


class UfuncFloat(float):
    def __array_ufunc__(self, *args, **kwargs):
        return "ufunc"


class UfuncList(list):
    def __array_ufunc__(self, *args, **kwargs):
        return "ufunc"


NAMES = {one.__name__: one for one in (Ufunc, NoUfunc, Held, Three, UfuncFloat, UfuncList)} | {"np": np}
RIGHT = """
x.sum(1.5); x.sum(np.int64(0))
"""
REFUSED = """
x + Ufunc(); Ufunc() + x; x[0] + Ufunc(); x < Ufunc(); x @ Ufunc(); x[0] + Held(); Held() + x[0]
x[0] + Three(); x + UfuncFloat(2); np.add(x, UfuncFloat(2)); x == UfuncFloat(2); x * UfuncList([1.0, 2.0])
np.sum(UfuncList([x[0]])); x.sum(Held()); x + NoUfunc(); NoUfunc() + x; x < NoUfunc(); NoUfunc() + x[0]
x.__iadd__(NoUfunc())
"""


def of(expression):
    return module_of(f"def asked(x):\n    return {expression.strip()}\n", **NAMES)["asked"]


@pytest.mark.parametrize("expression", RIGHT.strip().replace("\n", ";").split(";"))
def test_right(expression):
    assert check(of(expression), (np.array([1.0, 2.0]),))


@pytest.mark.parametrize("expression", REFUSED.strip().replace("\n", ";").split(";"))
def test_what_numpy_would_ask_the_class_is_refused(expression):
    assert not check(of(expression), (np.array([1.0, 2.0]),), may_refuse=True)
