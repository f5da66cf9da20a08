"""Section "raise"."""

from tests.features.registry import floats, row

X, Y = floats(3, -1, 4), floats(2, 7, 1)


class TooLarge(Exception):
    def __init__(self, value, limit):
        super().__init__(f"{value} is over {limit}")
        self.value = value
        self.limit = limit


@row("raise inside loop", X, Y)
def raise_inside_loop(x):
    total = 0.0
    for v in x:
        if v < 0:
            raise ValueError("negative item")
        total = total + v
    return total


@row("custom exception type", X, Y)
def custom_exception(x):
    for v in x:
        if v > 5:
            raise TooLarge(v, 5)
    return x


@row("assert in loop", X, Y)
def assert_in_loop(x):
    total = 0.0
    for v in x:
        assert v > 0, ("not positive", v)
        total = total + v
    return total
