"""Calls of NumPy that are wrong, or nearly: what NumPy takes, returns and says, with its own words."""

import re

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.long import some
from tests.modules import module_of

#: ``x`` is an array of ints, ``y`` one of floats, ``b`` of truths, ``m`` a matrix, ``z`` of no dimensions,
#: and ``n`` is 2
NONE_GIVEN = """
np.take(x, None) ; np.compress(None, x) ; np.convolve(x, None) ; np.digitize(x, None) ; np.roll(x, None)
np.intersect1d(x, None) ; np.union1d(x, None) ; np.setdiff1d(x, None) ; np.isin(x, None) ; np.isin(None, x)
np.searchsorted(x, None) ; np.take_along_axis(x, None, 0) ; np.percentile(x, None) ; np.quantile(x, None)
np.nanpercentile(x, None) ; np.where(x, None) ; np.partition(x, None) ; np.outer(x, None) ; x.take(None)
np.bincount(x, None) ; np.sum(x, None) ; np.interp(x, None, x) ; np.choose(x, None)
"""
ALWAYS_RAISING = """
np.gradient(x[:1]) ; np.delete(x, 9) ; np.delete(x, [9]) ; np.insert(x, 9, 5)
np.put_along_axis(x, m.astype(int), 5, 0) ; np.vander(z) ; np.vander(m) ; np.ix_(m) ; np.cov(x, y[:2])
np.fft.fft(x, axis=2) ; np.size(x, 1) ; np.size(n, 2) ; np.size(5, 2) ; np.size(m, (0, 1))
np.tensordot(x, 2)
np.matmul(x) ; np.add(x) ; np.add() ; np.abs(x, x, x) ; np.abs(x, y, out=x)
np.modf(y, y, y)
x.sum(axis=True) ; m.sum(axis=True) ; np.sort(m, True) ; m.take(9) ; m.sum(foo=1) ; z.nonzero()
np.rollaxis((n, 2), -1)
"""
DTYPES = """
np.array(x, y) ; np.zeros_like(x, y) ; np.ones(3, y)
np.asarray(x, y)
x.astype(y) ; x.view(y) ; np.sum(x, dtype=y) ; np.add(x, x, dtype=y) ; np.promote_types(x.dtype, y.dtype)
np.isdtype(x.dtype, 'integral') ; np.zeros(True) ; np.zeros((True, 2))
np.eye(True)
x[:1].reshape(True) ; np.zeros(n) ; np.fromiter(x, float)
"""
OUTPUTS = """
np.max(x, out=x[:1]) ; np.cumsum(x, out=x) ; np.dot(m, y, out=y[:2]) ; np.add.reduce(m, out=y)
np.clip(x, 0, 2, out=x)
"""
INDICES = """
x[2**63] ; x[2**70] ; x[-2**63 - 1] ; m[0, 2**63] ; x[[2**70]] ; x[[n, 2**70]] ; x[2**62] ; y[0][[0]]
y[0]['a'] ; y[0][x]
y[0][1.5] ; y[0][n] ; y[0][()] ; y[0][None] ; y[0][True] ; np.multiply.at(x, ..., 2)
np.multiply.at(x, None, 2)
np.split(x, [1, n])
"""
STORES = """
x[:] = [[1, 2, 3]] ; x[:] = [x * n] ; x[:2] = [y[1:]] ; x[:] = ((1, 2, n),) ; m[0] = [[n]] ; m[0] = [n]
m[0, n] = [n]
x[0] = [1] ; x[0] = [n] ; y[0] = [1] ; y[n] = (x, x) ; b[0] = [] ; b[0] = [n] ; x[...,0] = [1]
z[()] = [1] ; z[...] = [1]
x[[0, 1, 2]] = [[1, 2, 3]] ; x[None, :] = [[1, 2, 3]] ; x[0] = range(2) ; x[:] = range(3)
x[:] = [1, [2]] ; x[:] = [[]]
x[5] = [1] ; x[x[2] + 3] = [1] ; m[:n] = [[[1, 2, 3]]] ; x[:n] = [n, 3]
x.fill([1]) ; b.fill([0])
x[0] = [i for i in range(n)] ; x[:] = [[i] for i in range(n)]
m[0] = [[i, i, i] for i in range(n)] ; x[:n] = [i for i in range(n)]
x.T = x ; x.size = 3 ; x.ndim = 1 ; x.nbytes = 3 ; del x.T ; y[0].T = 3 ; y[0].real = 3
"""
#: these may be refused
REFUSED = """
np.max(np.int64(3), out=z) ; np.max(x[0], out=z) ; np.max(x, out=z) ; np.dot(z, z, z) ; np.dot(x, x, out=z)
np.sum(x[0], out=z) ; np.add(z, 1, out=z) ; np.clip(x[0], 0, 3, out=z) ; np.add.reduce(x, out=z)
x.max(out=z)
np.linalg.pinv(x) ; np.linalg.eigvals(x) ; np.linalg.eigvals(m)
x[0].max(2) ; b.fill(x) ; x.fill(x) ; y.fill(x[:1]) ; x.__imatmul__(y) ; x.__imatmul__(2) ; m.__imatmul__(x)
np.add(x, 1, (y,)) ; np.fromiter(m, float)
np.average(x, weights=[1, 2]) ; np.average(m, weights=[1, 2])
np.promote_types(x, y) ; np.issubdtype(x, y) ; np.isdtype(n, 'integral')
"""
RIGHT_STORES = """
x[:] = [4, 5, n] ; x[:2] = (n, 1) ; x[[0, 1]] = [[4, 5]] ; m[0] = [n] ; m[:] = [[1, 2, n], (3, 4, 5)]
m[:, 0] = [n, 2]
x[:] = range(3) ; m[:] = [7, 8, 9] ; x[x > 1] = [7, 8] ; x[:n] = [i for i in range(n)]
"""


def _each(text):
    return [part for line in text.strip().splitlines() for part in line.split(" ; ")]


def _call():
    x, y = np.array([1, 2, 3]), np.array([2.5, 0.5, 1.5])
    return x, y, np.arange(6.0).reshape(2, 3), np.array(5), np.array([True, False, True]), 2


def _program(body):
    source = (
        f"def asked(x, y, m, z, b, n):\n    try:\n        {body}\n    except KeyError:\n        return None\n"
    )
    return module_of(source, np=np)["asked"]


@pytest.mark.parametrize("expression", some(_each(NONE_GIVEN + ALWAYS_RAISING + DTYPES + OUTPUTS + INDICES)))
def test_calls(expression):
    check(_program(f"return {expression}"), _call(), may_refuse="2**" in expression)


@pytest.mark.parametrize("statement", some(_each(STORES)))
def test_stores_are_right_or_refused(statement):
    check(_program(f"{statement}; return x"), _call(), may_refuse=True)


@pytest.mark.parametrize("statement", _each(RIGHT_STORES))
def test_stores(statement):
    assert check(_program(f"{statement}; return x, m"), _call())


@pytest.mark.parametrize("expression", _each(REFUSED))
def test_calls_that_may_be_refused(expression):
    check(_program(f"return {expression}"), _call(), may_refuse=True)


@pytest.mark.parametrize("statement", ["x[x > 1] += np.ones((2, 3), int)", "x[:n] += np.ones((2, 2), int)"])
def test_words_about_lengths_that_only_a_run_knows_are_refused(statement):
    check(_program(f"{statement}; return x"), _call(), may_refuse=True)


@pytest.mark.parametrize("f", [lambda x: x.flat[1], lambda x: [v for v in x.flat], lambda x: x + x.flat])
def test_flat_is_refused(f):
    assert not check(f, (np.array([1, 2, 3]),), may_refuse=True)


WRONG = """
abs(n, n); callable(n, 2); float(n, key=2); complex(n, key=2); math.sqrt(n, key=2); math.dist(x)
math.isclose(n); np.mean(x, key=len); np.sort(x, key=len); np.full([n]); np.array_equal({1})
np.stack((v for v in x)); np.vstack({1, 2}); np.hstack(iter([x, x])); np.concatenate({1})
sum(x, str(n)); fractions.Fraction(None if n > 1 else int(n))
"""


@pytest.mark.parametrize("wrong", WRONG.replace("\n", ";").strip(";").split(";"))
def test_wrong_calls_have_the_words_of_the_function(wrong):
    source = (
        f"import fractions\nimport math\nimport numpy as np\ndef f(n, x):\n    return {wrong.strip()}, n\n"
    )
    check(module_of(source)["f"], *[(np.int64(n), np.array([1.0, 2.5])) for n in (1, 3)], may_refuse=True)


def test_what_hangs_on_a_run_is_no_error_of_the_program():
    def squeezed(n, x):
        try:
            return np.squeeze(x[:n])
        except TypeError:
            return "wrong"

    def read(n, x):
        return getattr(x, "T" if n > 1 else str(n))

    for f in (squeezed, read):
        with pytest.raises(StagingError):
            rt.function(f)(np.int64(1), np.array([1.0, 2.5]))


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("return x.reshape(1, 3).mT", "write np.swapaxes"),
        ("x.real = 3", "write x.real"),
        ("x[0] = None", "store np.nan"),
        ("x.tolist().insert(Place(), 2.0)", "write operator.index"),
        ("return x + [a, 1]", "write np.array(...) of it"),
    ],
)
def test_refused_with_a_hint(statement, hint):
    class Place:
        def __index__(self):
            return 2

    source = (
        f"import numpy as np\ndef f(x):\n    a = b = c = d = 0\n    for v in x:\n        if v > 1:\n"
        f"            a = b = c = d = v\n    {statement}\n"
    )
    with pytest.raises(StagingError, match="hint: " + re.escape(hint)):
        rt.function(module_of(source, Place=Place)["f"])(np.arange(3.0))
