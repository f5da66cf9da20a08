"""Calls that are wrong in some way: the exception is Python's or NumPy's, with its own words."""

import math
import operator

import numpy as np
import pytest

from tests.differential import check
from tests.long import some
from tests.modules import module_of
from tests.spread import spread

#: ``n`` is an int of which only a run knows the value, ``x`` an array of four floats
EXPRESSIONS = (
    r"""
int('12', base=n+8) ; int(n, base=10) ; complex(real=n) ; complex(imag=n) ; float(x=n)
isinstance(n, ('foo',)) ; isinstance(n, 5)
np.arange(7, step=n+1) ; np.arange(n, step=2) ; np.arange(n, None, 2)
np.broadcast_arrays(np.zeros(3), x[:2]) ; np.argmax(x, 'foo') ; np.argmax(x, axis=1.5)
np.take_along_axis(x, np.array([0]), 'foo') ; np.sum(x, axis='foo') ; np.empty() ; np.zeros()
np.array() ; np.array_split(x, (1,2)) ; np.array_split(x, [1,2]) ; np.array_split(x, np.array([1,2]))
np.array_split(x.reshape(2,2), 2, axis=1) ; np.split(x, np.array([1,2])) ; np.tri(-1)
np.tri(n, n+1, k=n-1) ; np.tril(np.ones((n,n))) ; np.vsplit(x, 2) ; np.hsplit(x, 2)
np.allclose(x, x[:2]) ; np.isclose(x, x[:2]) ; 'abc'.find('c', .1) ; str(n).find('c', .1)
str(n).find('2', n-2) ; str(n).index('9', n) ; str(n).zfill('a') ; str(n).center(.5)
str(n).replace('2') ; str(n).split(5) ; str(n).startswith(5) ; ','.join([str(n), n]) ; str(n) * .5
str(n)[.5] ; str(n)['a'] ; str(n).count() ; str(n).isdigit() ; str(n) % n ; n in str(n) ; int(str(n)+'a')
float(str(n)+'a') ; int(str(n)+'.5') ; chr(-n) ; ord(str(n)*2) ; [1,2,3][n:.5] ; [1,2,3].index(n*9)
[1,2,3].remove(n*9) ; [1,2,3].pop(n*9) ; [].pop() ; {1:2}[n*9] ; {1:2}.pop(n*9) ; {1:2,2:3}[n]
(1,2)[n*9] ; n ** -1 ; n << -n ; 1 << n ; n @ n ; x @ 5 ; x.dot(5) ; x.foo ; x.reshape(3)
x.reshape(-1, 3) ; x[n*9] ; x['a'] ; x[.5] ; x[n, n] ; x[None, n]
x + 'a' ; x + None ; x < 'a' ; x == 'a' ; x == None ; x != None ; x[0] == 'a'
[1] + x ; x + [1,2] ; x + [1,2,3,4] ; (1,2,3,4) * x
-'a' if n > 9 else x ; len(n) ; iter(n) ; for_(n) ; max(n) ; max() ; max([])
min([], default=n) ; sum(x, 'a') ; abs('a') ; round(n, 'a') ; math.sqrt(-n)
math.sqrt('a') ; math.log(0*n) ; math.factorial(-n) ; math.factorial(n+.5)
math.gcd(n, 4.) ; math.hypot(*x) ; math.prod(x) ; math.isclose(n, n+1e-12) ; math.comb(n, 1)
math.comb(-n, 1) ; math.ldexp(x[0], n) ; math.frexp(x[0]) ; math.modf(x[0])
math.copysign(n, -0.) ; math.atan2(n, 0) ; math.pow(0., -n) ; math.exp(n*1000) ; math.cosh(n*1000)
math.isnan('a')
[1,2,3][n/2] ; (1,2,3)[n/2] ; 'abc'[n/2] ; range(5)[n/2] ; [1,2,3][:n/2] ; [1,2,3][n*1.0::2]
'abc'[np.float32(n)] ; [1,2,3][np.float64(n)] ; [n, n][x[0]] ; list(range(n))[n/2] ; list(range(n))[:n/2]
[1,2] * (n/2) ; range(n/2) ; list(range(0, 10, n/2)) ; (n/2)[0] ; n() ; n.foo ; np.zeros(3)[:n/2]
'x'.center(n/2) ; divmod(n, 'a') ; max(n, 'a') ; sorted([n, 'a'])
~(n/2) ; f'{n:s}' ; f'{n/2:d}' ; hex(n/2) ; chr(n/2) ; [1,2].index(n) ; {}[n]
math.trunc(x[0]) ; math.trunc(np.int8(n)) ; math.trunc(np.float32(n)) ; x[[n/2]] ; x[[0.5]]
x[[n, 0.5]] ; x[[1j]] ; x[[[]]] ; x[[[n/2]], 0] ; [n/2 for _ in range(n)] and x[[n/2 for _ in range(n)]]
operator.ilshift(n/2, 2) ; [1, 2].insert(n/2, 1) ; [1, 2].pop(n/2)
""".strip()
    .replace("\n", " ; ")
    .split(" ; ")
)
#: others may be refused
REFUSED = (
    "bool(x=n) ; sum(iterable=[n]) ; sorted([n,2,1], None) ; np.vsplit(n, 2) ; max(x, 5) ; round(x) ; "
    "math.log(n, 0) ; math.floor(x) ; math.sin(x) ; math.sin(x[:1]) ; math.trunc(x)"
).split(" ; ")


@pytest.mark.parametrize("expression", some([*EXPRESSIONS, *REFUSED]))
def test_as_python_has_it(expression):
    source = f"def asked(n, x):\n    if n > 100:\n        n = 1\n    return {expression}\n"
    asked = module_of(source, np=np, math=math, operator=operator)["asked"]
    x = np.array([3.0, 1.5, -2.0, 4.0])
    assert check(asked, (2, x), (np.int64(3), x), may_refuse=expression in REFUSED) or expression in REFUSED


def matrix_product_in_place(x, y):
    x @= y
    return x


@pytest.mark.parametrize(("m", "n"), [((2,), (2,)), ((2, 2), (2, 2)), ((2,), (2, 2)), ((2, 2), (2,))])
def test_matrix_product_in_place(m, n):
    check(matrix_product_in_place, (np.ones(m), np.full(n, 2.0)), may_refuse=len(n) < 2)


@pytest.mark.parametrize(
    ("test", "other"),
    spread(
        ["0 < c", "0 <= c", "c > 0", "c >= 0", "0 < c < 5", "2.5 > c", "n < c", "min(0, c)"],
        ["None", "'text'", "(n,)"],
    ),
)
def test_a_comparison_is_told_as_it_is_written(test, other):
    """Python asks the right operand for the reflected one; the words are of the one that is written."""
    source = f"def f(x, n):\n    c = n if x[0] > 0 else {other}\n    return {test}\n"
    f = module_of(source)["f"]
    assert check(f, (np.array([1.0]), 2), (np.array([-1.0]), 3), (np.array([1.0]), 0))
