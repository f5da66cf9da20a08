"""Methods and functions called with wrong arguments raise what NumPy and Python raise, or are refused."""

import math

import numpy as np
import pytest

from tests.differential import Call, check
from tests.long import some
from tests.modules import module_of

#: ``x`` is an array of three floats, ``n`` an int and ``y`` a float of which only a run knows the value
EXPRESSIONS = """
x.astype(x) ; x.astype(None) ; x.reshape(None) ; x.reshape() ; x.take(None) ; x.mean(1, 2)
x.sum(1.5) ; np.tile(2, 2.5) ; np.tile(2, float('nan')) ; x.copy('q') ; x.sort(kind='q') ; x.sum('q')
np.std(x, ddof=(1.0,)) ; np.linalg.norm(x, (1.0,)) ; np.nan_to_num(x, nan=None) ; np.nan_to_num(x, nan=1)
np.sum(x, axis=[0]) ; x.mean(axis=object) ; np.mean(x, axis=Places) ; np.zeros({1}) ; np.median(x, [0])
np.tensordot(x, x, 'q') ; np.percentile(x > 2, -2) ; x.sum(keepdims='q') ; x.sum(axis=Places())
x.sum(1.5) ; x.cumsum(foo=1) ; x.fill() ; x.item(1, 2) ; x.item(None) ; x.tolist(1) ; x.sort(1, 2)
x.swapaxes(foo=1) ; x.dot(None) ; x.copy(1) ; x.clip(1) ; np.clip(x, 1) ; np.clip(x, min=1)
np.clip(x, 1, 2, min=1) ; np.add(x) ; np.add(x, x, x, x) ; np.abs(x, x, x) ; np.zeros(True)
np.tile(2, y) ; np.tile(2, 0 * y) ; np.pad(x, y) ; np.diag(x, y) ; np.roll(x, None) ; np.arange(None)
np.percentile(x, None) ; np.histogram(x, True)[0] ; round(n, np.float32(2)) ; round(y, np.float64(1))
round(y, np.True_) ; round(n, np.array(2.0)) ; round(y, Places()) ; round(n, Places())
x.take([]) ; np.take(x, [[]]) ; np.repeat(x, []) ; np.repeat(x[:0], [])
np.float32(2).astype('f8', order='F') ; x.astype('f4')[0].astype('f8', order='F') ; x[0].mT
np.geomspace(1, x.astype('f4')[0], 3) ; np.logspace(0, x.astype('f4')[0], 3)
map(n) ; format(y, None)
"""


class Places:
    def __index__(self):
        return 1


@pytest.mark.parametrize("expression", some(EXPRESSIONS.strip().replace("\n", " ; ").split(" ; ")))
def test_as_plain_or_refused(expression):
    asked = module_of(f"def asked(x, n, y):\n    return {expression}\n", np=np, Places=Places)["asked"]
    check(asked, (np.array([3.0, 1.5, 2.0]), 3, 2.5), may_refuse=True)


NAMES = [name for name in dir(math) if not name.startswith("_") and callable(getattr(math, name))]


@pytest.mark.parametrize("name", NAMES)
def test_counts(name):
    function = getattr(math, name)

    def of_some(*numbers):
        return function(*numbers)

    check(of_some, *(Call(*[1.5] * count) for count in range(5)))
