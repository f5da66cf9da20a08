"""Section "assign"."""

from tests.features.registry import floats, ints, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("annotated assignment", X, Y)
def annotated(x):
    y: object
    total: float = 0.0
    if x[0] > 0:
        total: float = total + x[0]
        y: object = x
    else:
        y = -x
    return y * total


@row("all augmented operators", ints(12, 5), ints(-12, 5), ints(3, 1))
def all_augmented(x):
    a, b = int(x[0]), int(x[1])
    if a > 0:
        a += b
        a -= 1
        a *= 3
        a //= 2
        a %= 17
        a **= 2
        a <<= 2
        a >>= 1
        a &= 0xFF
        a |= 16
        a ^= b
    y = x * 1.0
    y /= 4
    m = y.reshape(1, 2)
    m = m @ y.reshape(2, 1)
    return a, y, m


@row("conditional swap", (X, Y), (Y, X))
def conditional_swap(x, y):
    if x[0] > y[0]:
        x, y = y, x
    return x, y


@row("walrus in comprehension and call", X, Y)
def walrus_in_comprehension(x):
    kept = [half for v in (8, 3, 6) if (half := v // 2) > 1]
    y = x * (last := half)
    return (y if x[0] > 0 else -y), kept, last
