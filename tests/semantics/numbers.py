"""Numbers: Python's and NumPy's rules, side by side."""

import numpy as np

from tests.features.registry import floats, ints
from tests.semantics.cases import case

SIGNS = [ints(7, 2), ints(-7, 2), ints(7, -2), ints(-7, -2), ints(7, 0)]


@case(*SIGNS)
def python_floor_division_and_modulo(x):
    a, b = int(x[0]), int(x[1])
    return a // b, a % b, divmod(a, b)


@case(*SIGNS[:4])
def numpy_floor_division_and_modulo(x):
    a, b = x[0], x[1]
    return a // b, a % b


@case(floats(7.5, 2), floats(-7.5, 2), floats(7.5, -2), floats(-7.5, -2), floats(0.0, -3), floats(1, 0))
def python_float_floor_division_and_modulo(x):
    a, b = float(x[0]), float(x[1])
    return a // b, a % b, -a // b


@case(floats(7.5, 2), floats(-7.5, 2), floats(1, 0), floats(0, 0))
def numpy_float_division_by_zero_is_inf_or_nan(x):
    return x[0] / x[1], x[0] // x[1], x[0] % x[1]


@case(ints(1, 2), ints(1, 0))
def python_true_division_by_zero(x):
    a, b = int(x[0]), int(x[1])
    y = a + b
    return y + a / b


@case(np.int64(3), np.int64(70))
def python_ints_grow(n):
    value = 1
    for _ in range(int(n) % 60):
        value = value * 2 - 1
    return value


@case(np.int64(2**62), np.int64(-(2**62)), np.int64(5))
def numpy_ints_wrap(n):
    if n != 0:
        n = n * 2
    return n + n


@case(np.array([120, 10], dtype=np.int8), np.array([-120, 10], dtype=np.int8))
def small_ints_wrap(x):
    a, b = x[0], x[1]
    total = a + b if a > 0 else a - b
    return total, x + b


@case(np.array([1.1, 2.2], dtype=np.float32), np.array([-1.1, 2.2], dtype=np.float32))
def python_numbers_are_weak(x):
    y = x * 0.1
    if x[0] > 0:
        y = y + 1
    return y, x[0] * 3, x[0] * np.float64(3), x.sum() / 2


@case(np.array(2.5), np.array(-2.5))
def zero_dimensional_arrays_become_scalars(x):
    y = x + 1
    if y > 0:
        z = x * y
    else:
        z = x - y
    return x, y, z, x[()], -x


@case(np.float64(2.5), np.float64(-2.5))
def scalars_stay_scalars(x):
    y = x if x > 0 else x * 2
    return y, abs(y), -y, y**2, np.abs(y), np.maximum(y, 0.0)


@case(floats(2, 3), floats(-2, 3))
def reductions_give_scalars(x):
    s = x.sum() if x[0] > 0 else x.max()
    return s, x.mean(), x.min(), x.any(), (x > 0).all(), x.argmax(), np.sum(x), x.shape, x.size, len(x)


@case(floats(2, 3), floats(-2, 3))
def comparisons_give_numpy_bools(x):
    flag = x[0] > 0
    number = float(x[0]) > 0
    return flag, not flag, number, not number, flag and number, flag == number


@case(np.int64(3), np.int64(0), np.int64(-3))
def truth_of_numbers(n):
    m = int(n)
    total = 0
    if m:
        total += 1
    if not n:
        total += 2
    if n and m > 0:
        total += 4
    return total, bool(n), m or 5, n or 7


@case(ints(2, 3), ints(-2, 3), ints(2, 0), ints(2, -1), ints(0, -1))
def python_powers(x):
    a, b = int(x[0]), int(x[1])
    if b >= 0:
        return a**b
    return a**2


@case(floats(2.5, 3), floats(-2.5, 3), floats(0.5, 1), floats(1e300, 1), floats(np.nan, 1), floats(np.inf, 1))
def int_of_a_float_truncates_or_raises(x):
    if x[0] < 1e200 or x[0] != x[0] or x[0] > 1e305:
        return int(x[0]), int(float(x[0]))
    return 0, 0


@case(floats(2.5, -0.5), floats(3.5, 0.5), floats(-1.25, 1.005))
def rounding(x):
    a, b = float(x[0]), float(x[1])
    return round(a), round(b, 1), round(x[0]), np.round(x)


@case(floats(0.0, -0.0), floats(-0.0, 0.0))
def signed_zeros(x):
    a, b = x[0], x[1]
    return a + b, a * -1, max(a, b), min(float(a), float(b)), np.sign(x), -a, abs(a)


@case(floats(np.nan, 1), floats(1, np.nan), floats(2, 1))
def nan_compares_false(x):
    a, b = x[0], x[1]
    if a < b or a >= b:
        order = 1
    else:
        order = 2
    return order, max(a, b), min(float(a), float(b)), a == a, np.maximum(a, b)


@case((ints(5, 2), True), (ints(5, 2), False))
def bools_are_ints(x, flag):
    positive = bool(x[0] > 3)
    return positive + flag, positive * 2, positive + 1.5, -positive, ~int(positive), positive | flag


@case(ints(5, 3), ints(-5, 3), ints(5, -1))
def python_shifts_and_bits(x):
    a, b = int(x[0]), int(x[1])
    return a << b, a >> b, a & b, a | b, a ^ b, ~a


@case((3, 4.0), (3, 2.0), (7, 4.0))
def python_arguments_keep_their_types(n, t):
    while t < n:
        t = t + 1
    return n, t, n * t, n / 2, t // 1


@case(np.array([True, False]), np.array([False, False]))
def numpy_bool_arithmetic(x):
    if x[0]:
        return x + x, x * 2, ~x, x.sum()
    return x | True, x & x, x ^ x, x.sum()


@case(np.array([3 + 4j, 1]), np.array([-1j, 1]))
def complex_numbers(x):
    a = x[0]
    if abs(a) > 2:
        a = a * 1j
    return a, a.real, a.imag, complex(a), x.conj()
