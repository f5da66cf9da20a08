"""Section "unpack"."""

from tests.features.registry import floats, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@row("star unpack array", X, Y, floats(1, 2, 3, 4))
def star_unpack(x):
    first, *middle, last = x
    if first > 0:
        return first + last, middle
    return first - last, middle


@row("nested unpack and multi target", X, Y)
def nested_unpack(x):
    a, (b, c) = d = x[0], (x[1], x[2])
    e = f = a + b
    if a > 0:
        (a, b), c = (b, a), f
    return a, b, c, d, e
