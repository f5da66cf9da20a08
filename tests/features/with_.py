"""Section "with"."""

import contextlib

from tests.features.registry import floats, row

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


class Log:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, *exception):
        print("exit", self.name)


@row("return inside with", X, Y)
def return_inside(x):
    with Log("a"):
        if x[0] > 0:
            return x * 2
        x = x + 1
    return x


@row("break inside with", X, Y)
def break_inside(x):
    total = 0.0
    for v in x:
        with contextlib.nullcontext():
            if v < 0:
                break
            total = total + v
    return total


@row("staged if around with", X, Y)
def if_around(x):
    if x[0] > 0:
        with Log("positive"):
            y = x * 2
    else:
        y = x
    return y


@row("with exit runs once", X, Y)
def exit_once(x):
    with Log("outer"), Log("inner"):
        if x[0] > 0:
            y = x * 2
        else:
            y = x - 2
    return y
