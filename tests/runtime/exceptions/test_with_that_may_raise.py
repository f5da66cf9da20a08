"""`with` around a block that may raise at run time: the exit runs however the block is left."""

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
CALLS = [(np.array(items),) for items in ([1.0, 2.0], [-1.0, 2.0], [0.0, 2.0], [5.0, -2.0])]
case = PROGRAMS.of(*CALLS)


class Log:
    def __init__(self, name):
        self.name = name
        self.depth = 0
        self.failures = 0

    def __enter__(self):
        self.depth += 1
        print("enter", self.name)
        return self

    def __exit__(self, kind, error, tb):
        self.depth -= 1
        if kind is not None:
            self.failures += 1
            print("failed", kind.__name__, error)
        print("exit", self.name)
        return False


@case
def caught_around(x):
    log = Log("l")
    try:
        with log:
            x[1] = 7
            y = 1 // int(x[0])
            if y > 0:
                raise KeyError("k")
    except (ZeroDivisionError, KeyError) as e:
        print("caught", type(e).__name__)
    return log.failures, log.depth


@case
def in_loop(x):
    out = 0.0
    for v in x:
        with Log("i"):
            if v < 0:
                break
            if v == 2:
                continue
            out += 1 / float(v)
    return out


@case
def static_error_in_body(x):
    d = {}
    with Log("s"):
        y = x[0] * 2
        d["missing"]
    return y


@case
def replaced_error(x):
    class Wrap:
        def __enter__(self):
            return self

        def __exit__(self, kind, e, tb):
            if kind is ZeroDivisionError:
                raise ValueError("wrapped") from e

    with Wrap():
        y = 1 // int(x[0])
    return y


test_with = PROGRAMS.test()
