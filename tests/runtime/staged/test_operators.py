"""Operators are not always the ufuncs of their names: powers of arrays, products and powers of scalars."""

import numpy as np
import pytest

from tests.differential import Call, check

RANDOM = np.random.RandomState(0)
X = np.abs(RANDOM.standard_normal(60)) * 3
Y = RANDOM.standard_normal(60) * 3
Z = X + 1j * Y


def powers(x):
    return x**2, x**-1.0, x**0.5, x**2.0, x**3, 2.0**x


def reciprocals(x):
    return x**-1


def squared(x):
    x **= 2
    return x


def to_a_number(x, exponent):
    return x**exponent


SPECIAL = np.array([np.nan, -0.0, 0.0, np.inf, -np.inf, 2.5])


@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_some_powers_of_arrays_are_square_reciprocal_and_sqrt(dtype):
    with np.errstate(all="ignore"):
        x = SPECIAL.astype(dtype) if dtype[0] in "?fc" else np.arange(-3, 3).astype(dtype)
        check(powers, Call(x))
        check(squared, Call(x))
        check(to_a_number, *[Call(x, exponent) for exponent in (2, 3, 2.0, 0.5)])
        if dtype[0] in "fc":
            check(reciprocals, Call(x))


def scalars(x, y, z):
    products, lengths, roots = [], [], []
    for i in range(len(x)):
        products.append(z[i] * z[-i - 1])
        lengths.append(abs(z[i]))
        roots.append(x[i] ** y[i])
    return np.array(products), np.array(lengths), np.array(roots)


def beside_numbers(x, y, z):
    a = z[0]
    a *= z[1]
    return a, 2 * z[2], z[3] * 2j, x[1] ** 2, x[2] ** 0.5, 2 ** x[3], z[4] * x, z[5] * [1, 2], z[6] ** 2


@pytest.mark.parametrize("f", [scalars, beside_numbers])
def test_scalars_round_as_scalars_do(f):
    check(f, Call(X, Y, Z), Call(X.astype("f4"), Y.astype("f4"), Z.astype("c8")), engines=("numpy",))
    check(f, Call(X, Y, Z), engines=("native",))


def no_floor_division(z):
    return z[0] // 2


def no_remainder(z):
    return 3 % z[0]


def no_divmod(z):
    return divmod(z[0], z[1])


def round_it(z):
    return round(z[0])


@pytest.mark.parametrize("f", [no_floor_division, no_remainder, no_divmod, round_it])
def test_complex_scalars_lack_operators_in_pythons_words(f):
    check(f, Call(Z), Call(Z.astype("c8")))


def extremes(x, y):
    return np.maximum(x, y), np.minimum(x, y), np.clip(x, 0, 1)


def test_of_two_zeros_the_engines_take_the_same_one():
    zeros = np.array([0.0, -0.0, 0.0, -0.0, np.nan])
    others = np.array([-0.0, 0.0, 0.0, -0.0, 1.0])
    check(extremes, Call(zeros, others), Call(zeros.astype("f4"), others.astype("f4")))


def test_integers_beyond_the_precision_of_floats_are_rounded_exactly():
    check(
        lambda x: (round(x[0]), round(-x[1])),
        Call(np.array([2**53 + 1, 2**63 - 1])),
        Call(np.arange(3, 5, dtype="u1")),
    )


def test_scalars_and_empty_dimensions_are_taken_as_numpy_takes_them():
    check(lambda x: (np.lexsort((x[0],)), np.isfinite(np.lexsort((x[1], x[0])))), Call(X))
    for f in (max, min):
        check(lambda x, f=f: f(x), Call(np.uint16(3)), Call(np.array(2.5)))
