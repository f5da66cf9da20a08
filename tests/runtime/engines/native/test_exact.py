"""With `engine="exact"` every bit is NumPy's, whatever is added or multiplied; the rest is machine code."""

import numpy as np
import pytest

import runtime as rt


def sums(x, y):
    return x.sum(), (x * y).sum(axis=0), y.mean(axis=1), np.prod(1 + x * 1e-3), (x - y).mean(), x[:, 1].sum()


def under_masks(x, y):
    x[x.real > 0] = x[x.real > 0] * y[x.real > 0]
    return x[y.real > 0].sum(), x


def products(x, y):
    return x @ y.T, np.dot(x.T, y), x[0] @ y[1], (x[0] * 2) @ y[1], np.vdot(x[:, 1], y[:, 2]), x @ y[0]


def elements(x, y):
    z = x * y + x**2
    z *= x
    return z / y, np.square(x), x[0, 1] * y[1, 0] + 1


def extremes(x, y):
    zeros = np.where(x.real > 0, 0.0, -0.0)
    return zeros.max(), zeros.min(axis=0)


def loop(x, y):
    total = x[0, 0] * 0
    for i in range(x.shape[0]):
        total += x[i].sum() * 0.5 + x[i] @ y[i]
    return total


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8"])
@pytest.mark.parametrize("program", [sums, under_masks, products, elements, extremes, loop])
def test_every_bit_is_numpys(program, dtype):
    random = np.random.default_rng(1)
    ours = rt.function(program, engine="exact", reduce_retracing=True)
    for shape in ((3, 5), (17, 40), (5, 200)):
        for turn in (lambda a: a, lambda a: a[::-1, ::-1], lambda a: np.asfortranarray(a)):
            x, y = [
                turn((random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype))
                if dtype[0] == "c"
                else turn(random.standard_normal(shape).astype(dtype))
                for _ in range(2)
            ]
            expected, found = program(x.copy("K"), y), ours(x.copy("K"), y)
            pairs = zip(expected, found, strict=True) if program is not loop else [(expected, found)]
            for a, b in pairs:
                assert (type(a), a.dtype, a.shape, a.tobytes()) == (type(b), b.dtype, b.shape, b.tobytes())
    assert {trace.engine for trace in ours.explain().traces} == {"native"}
