"""Programs with `for` over ranges and arrays."""

from tests.runtime.jax.programs.program import LONG, MATRIX, NUMBERS, VECTOR, F, program


@program(0, 5, 20)
def range_of_staged(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


@program((2, 20), (5, 5), (9, 2))
def range_start_stop_step(a, b):
    total = 0
    for i in range(a, b, 3):
        total = total * 2 + i
    return total


@program((20, 2), (5, 5), (2, 9))
def range_down(a, b):
    total = 0
    for i in range(a, b, -4):
        total = total * 2 + i
    return total


@program(*NUMBERS, grad=True)
def static_range(x):
    total = x
    for i in range(12):
        total = total * 0.5 + x * i
    return total


@program(VECTOR, LONG, grad=True)
def over_array(xs):
    total = 0.0
    for x in xs:
        total = total * 0.9 + x * x
    return total


@program(VECTOR, LONG, grad=True)
def sum_of_positive(xs):
    total = 0.0
    for x in xs:
        if x > 0:
            total += x * x
    return total


@program(VECTOR, LONG, grad=True)
def break_in_for(xs):
    total = 0.0
    for x in xs:
        if x > 2:
            break
        total += x * x
    return total


@program(VECTOR, LONG, grad=True)
def continue_in_for(xs):
    total = 0.0
    for i in range(len(xs)):
        if xs[i] < 0:
            continue
        total += xs[i] * i
    return total


@program((VECTOR, F(2.5)), (LONG, F(0.4)), (LONG, F(99)), grad=True)
def return_in_for(xs, limit):
    total = 0.0
    for x in xs:
        if x > limit:
            return total * 2
        total += x * x
    return total


@program((VECTOR, F(3)), (LONG, F(3)), (LONG, F(99)))
def index_of(xs, wanted):
    for i, x in enumerate(xs):
        if x == wanted:
            return i
    return -1


@program((LONG, F(1)), (LONG, F(99)), grad=True)
def for_else(xs, limit):
    total = 0.0
    for x in xs:
        total += x * x
        if total > limit:
            break
    else:
        total = -total
    return total


@program((LONG, LONG * 2 + 1), (VECTOR, VECTOR[::-1] + 0.1), grad=True)
def zipped(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys):
        total += x * y if x < y else x
    return total


@program((LONG, VECTOR))
def zip_unequal(xs, ys):
    total = 0.0
    for i, (x, y) in enumerate(zip(xs, ys), 1):
        total += i * x * y
    return total


@program(LONG, grad=True)
def reversed_array(xs):
    total = 0.0
    for x in reversed(xs):
        total = total * 0.5 + x
    return total


@program(MATRIX, grad=True)
def rows_unpacked(m):
    total = 0.0
    for a, b, _, c in m:
        if a < b:
            total += a * b - c
    return total


@program(MATRIX, grad=True)
def nested_fors(m):
    total = 0.0
    for row in m:
        for x in row:
            if x > 0.5:
                break
            total += x * x
    return total


@program(LONG, VECTOR)
def argmax_by_hand(xs):
    best, at = xs[0], 0
    for i in range(1, len(xs)):
        if xs[i] > best:
            best, at = xs[i], i
    return best, at


@program(LONG, VECTOR, grad=True)
def none_accumulator(xs):
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


@program(LONG, VECTOR, grad=True)
def loop_variable_after(xs):
    for x in xs:
        last = x * x
    return x + last


@program(LONG, grad=True)
def fibonacci_like(xs):
    a, b = xs[0], xs[1]
    for _ in range(15):
        a, b = b, a * 0.5 + b
    return b


@program(LONG, grad=True)
def triangle_of_items(xs):
    total = 0.0
    for i in range(len(xs)):
        for j in range(i):
            if xs[j] > xs[i]:
                break
            total += xs[i] * xs[j]
    return total


@program(LONG, grad=True)
def back_substitution(xs):
    n = len(xs)
    for i in reversed(range(n)):
        for j in range(n - 1, i, -2):
            xs[i] -= 0.1 * xs[j]
    return xs


@program(LONG, grad=True)
def moving_mean(xs):
    total = 0.0
    for i in range(len(xs)):
        held, count = 0.0, 0
        for j in range(max(i - 2, 0), min(i + 3, len(xs))):
            held, count = held + xs[j], count + 1
        total += (held / count) ** 2
    return total


@program((LONG, 0), (LONG, 7), grad=True)
def range_of_a_remainder(xs, n):
    total, last = 0.0, xs[-1]
    for i in range(n % 4):
        last = xs[i]
        total += last * last
    return total * last


@program((LONG, 3), (LONG, 90), grad=True)
def first_few(xs, n):
    total = 0.0
    for i in range(min(n, len(xs))):
        total += xs[i] * xs[i]
    return total
