"""A value that paths leave with different types keeps the type that it has on each path."""

import math
import re

import numpy as np
import pytest

import runtime as rt
from tests.differential import check
from tests.modules import module_of
from tests.programs import Programs

PROGRAMS = Programs()
X = np.array([1.5, -2.0, 0.5])
NEGATIVE = -abs(X)
NONE = X[:0]
BYTES = np.array([0, 7, 3], np.uint8)


# -- numbers -------------------------------------------------------------------------------------------


@PROGRAMS.of(np.uint8([50]), np.uint8([5]), X, np.float32([50]), np.int64([2**62]))
def least_of_two(x):
    return min(x[0], 10) * 30, max(3, x[0], 2.5), min(x[0], True)


@PROGRAMS.of((X, X), (X + 30, X), (BYTES, X), (BYTES + np.uint8(30), X))
def an_index(x, a):
    k = 1
    if x[0] < 10:
        k = x[0]
    return a[k]


@PROGRAMS.of((X, 2.0), (NEGATIVE, 2.0), (X, 0.0), (NEGATIVE, 0.0))
def whatever_can_tell(x, y):
    n = 3
    if x[0] > 0:
        n = x[0]
    return n / y, n // 2, n**2, n**-1, -n, abs(n), round(n), [n] * 2, str(n), repr(n), math.floor(n), int(n)


@PROGRAMS.of((X, 2.0), (NEGATIVE, 2.0))
def what_cannot_tell(x, y):
    n = 3
    if x[0] > 0:
        n = x[0]
    out = x.copy()
    out[0] = n
    out[1] += n
    return (
        x + n,
        x[1] * n,
        n - x[0],
        n < x[0],
        bool(n),
        math.sqrt(n),
        np.exp(n),
        float(n),
        np.maximum(x, n),
        out,
    )


@PROGRAMS.of(np.array([10.3, 9.5]), np.array([9.5, 10.3]))
def the_first_item_tells_vectorize(a):
    def clip(v):
        return 10 if v > 10 else v

    return np.vectorize(clip)(a)


@PROGRAMS.scenario
def stored_outside(function):
    class Meter:
        peak = 0

    meter, seen = Meter(), {"last": 0}

    @function
    def read(v):
        if v > meter.peak:
            meter.peak = v
        if v > 2:
            seen["last"] = v
        return 10 // meter.peak

    return [read(v) for v in (np.float64(1), np.uint8(2), np.int64(9))], meter.peak, seen


# -- arrays --------------------------------------------------------------------------------------------


@PROGRAMS.of(X, NEGATIVE)
def a_number_and_an_array(x):
    r = 0
    if x[0] > 0:
        r = x * 2
    return r + x, np.sum(r), np.shape(r)


@PROGRAMS.of(X, NEGATIVE)
def functions_of_one_array_or_another(x):
    z = np.arange(3)
    if x[0] > 0:
        z = x
    made = np.stack([z, x]), np.concatenate([z, z]), np.vstack((z, z)), np.where(x > 0, z, 0)
    return made, np.dot(z, x), z @ z, z.sum(), z.max(), np.sort(z), z[::-1], z.T, len(z), z.astype(float)


@PROGRAMS.of(X, NEGATIVE, NONE)
def an_array_of_a_list_that_grew(x):
    found, t = [], 0
    for v in x:
        if v > 0:
            t = v
        if v != 0.5:
            found.append(t)
    return np.array(found) if found else None


# -- expressions with a number of two types ------------------------------------------------------------

#: `t` is 0 or `x[0]`
EXPRESSIONS = """
sorted([t, -1, 5]); t in [0, 1]; [t] == [0]; (t, 1) == (0, 1); any([t]); all([t, 1]); divmod(t, 2)
complex(t); math.floor(t); t if t else 3; not t; int(t); round(t, 1); [0, 2, 3].index(t); {t: 1}
{0: 1}.get(t); str(t), f'{t:.1f}', '%g' % t; range(3)[t] if isinstance(t, int) else 4
math.isclose(t, 1); math.hypot(t, 1); math.log(t + 1); np.float32(t); np.int64(t)
min(t, 1, 2), max(x[1], t); sum([t, 1]); t.dtype if hasattr(t, 'dtype') else 0
isinstance(t, (int, float)); type(t) == int; type(t).__name__; t is None
t ** 2, 2 ** t, t // 1, -t, +t, t != t, x[0] < t; 2 > t > 0; [i for i in (t, 1)]
min([t, 1], key=abs); hex(int(t)); np.linspace(0, t, 3); np.full(2, t); np.isnan(t)
np.where(x > 0, t, 0); np.clip(x, 0, t); np.sum([t, x[1]]); np.mean([t, 2]); np.dot([t, 1], [2, 3])
np.array([t, 1]) @ x[:2]; np.append(x, t); np.insert(x, 0, t); np.concatenate([[t], x])
np.hypot(t, x); np.add(t, 1); np.power(abs(x), t); np.outer([t, 1], x); np.argmax([t, 1])
np.cumsum([t, 1]); np.prod([t, 2]); np.linalg.norm([t, 1.0]); np.searchsorted(x, t)
np.array_equal([t], [0]); np.interp(t, [0.0, 1.0], [0.0, 2.0]); np.allclose(t, 1)
np.asarray(t), np.array(t), np.atleast_1d(t)
np.array([[t, 1], [2, t]]), np.array([t, 2.5]), np.array([t], dtype=np.float32), np.array((t, True))
np.ones(2, int) * t; np.vectorize(lambda v: v + t)(x); np.array([t, True, 1j]); np.zeros(3)[int(t)]
"""


@pytest.mark.parametrize("expression", re.split(r"[;\n] *", EXPRESSIONS.strip()))
def test_expression(expression):
    source = f"def f(x):\n    t = 0\n    if x[0] > 0:\n        t = x[0]\n    return {expression}\n"
    check(module_of(source, np=np, math=math)["f"], (X,), (NEGATIVE,), engines=["numpy"])


# -- loops whose first iteration settles the type --------------------------------------------------------


test_program = PROGRAMS.test()


# -- graphs --------------------------------------------------------------------------------------------


def operations(f, *args):
    graph = rt.function(f).get_concrete_function(*args).graph
    return [op.name for op in graph.operations() if op.name not in ("constant", "undef")]


def test_a_sum_in_a_loop_has_no_branch_for_the_type():
    def total(x):
        t = 0
        for v in x:
            t = t + v * 2
        return t

    assert operations(total, np.ones(100)) == ["cast", "for", "getitem", "multiply", "add"]


def test_a_tag_that_nobody_reads_costs_nothing():
    def mean_of_positive(x):
        t, n = 0, 0
        for v in x:
            if v > 0:
                t, n = t + v, n + 1
        return np.sqrt(t * x[0])

    assert "py.eq" not in operations(mean_of_positive, np.ones(100))


@PROGRAMS.of(2.0, 1.0, 1e-3)
def newton(a):
    x, n = 1, 0
    while abs(x * x - a) > 1e-9 and n < 60:
        x = x - (x * x - a) / (2 * x)
        n += 1
    return x, n


def test_the_body_after_the_first_iteration_is_that_of_floats():
    graph = rt.function(newton).get_concrete_function(2.0).graph
    (loop,) = [op for op in graph.operations() if op.name == "while"]
    assert [str(value.type) for value in loop.outputs] == ["float", "int"]
    assert "if" not in [op.name for op in loop.blocks[1].operations]
