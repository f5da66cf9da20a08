"""Functions of `math`, `cmath`, `bisect` and `statistics` on staged numbers and arrays."""

import bisect
import cmath
import math
import statistics

import numpy as np
import pytest

from tests.programs import Programs

PROGRAMS = Programs()
of = PROGRAMS.of
CALLS = [
    (np.array(values), n) for values, n in (([1.0, 2.0, 4.0], 2), ([1.5, 2.0, 3.5], 3), ([2.0, 2.0, 2.0], 1))
]


@of(*CALLS)
def roots_and_logarithms(x, n):
    z = cmath.sqrt(n - x[1] * 3)
    return (
        z.imag,
        abs(z),
        z.conjugate(),
        cmath.log(-x[0]),
        cmath.log(x[2], 2),
        cmath.log10(n * 1j),
        cmath.exp(1j * x[0]),
    )


@of(*CALLS)
def circles(x, n):
    z = complex(x[0], n)
    found = [cmath.sin(z), cmath.cos(z), cmath.tan(z), cmath.sinh(z), cmath.cosh(z), cmath.tanh(z)]
    return found, cmath.asin(z), cmath.acos(z), cmath.atan(z), cmath.asinh(z), cmath.acosh(z), cmath.atanh(z)


@of(*CALLS)
def polar(x, n):
    size, angle = cmath.polar(x[0] - n * 1j)
    return size, angle, cmath.rect(size, angle), cmath.phase(-x[0]), [cmath.polar(v) for v in np.fft.fft(x)]


@of(*CALLS)
def questions(x, n):
    return cmath.isnan(x[0]), cmath.isinf(x[1] * 1j), cmath.isfinite(n), cmath.isclose(n, x[1], rel_tol=0.5)


@of(*CALLS)
def log_of_what_may_be_zero(x, n):
    return cmath.log(x[0] - 1)


@of(*CALLS)
def complex_of_an_array(x, n):
    return cmath.sqrt(x)


@of(*CALLS)
def distances(x, n):
    return (
        math.dist(x, x * 2),
        math.dist([x[0], x[1]], (1, 2.0)),
        math.dist((n,), (x[0],)),
        math.dist(x, (1, 2, 3)),
    )


@of(*CALLS)
def distance_from_text(x, n):
    return math.dist(x, "abc")


@of(*CALLS)
def places_in_tuples(x, n):
    return bisect.bisect((x[0], x[2]), 1.5), bisect.bisect([1, 2, 3], n)


@of(*CALLS)
def averages(x, n):
    items = [float(v) for v in x]
    return (
        statistics.mean(x),
        statistics.fmean(items),
        statistics.median(x),
        statistics.median_low(items),
        statistics.mean([n, 2.5]),
    )


@of(*CALLS)
def averages_of_iterators(x, n):
    return (
        statistics.fmean(v * n for v in x if n > 0),
        statistics.mean(map(float, x)),
        statistics.median({1: x[0], 2: x[1]}.values()),
        statistics.pstdev(iter([x[0], x[2]])),
    )


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_in_plain_python(name, engine):
    PROGRAMS[name].run(engine)
