"""`with` around a block that may raise at run time: the exit runs however the block is left."""

from __future__ import annotations

import contextlib

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


LOG = Log("global")


@case
def simple(x):
    with Log("a") as log:
        y = 1 // int(x[0])
    return y, log.failures


@case
def global_manager(x):
    with LOG:
        y = 1 // int(x[0])
        z = y * 2
    return y + z


@case
def argument_and_return(x):
    with Log("a"):
        if x[0] > 0:
            return x * 2
        y = 1 // int(x[0])
    return x * y


@case
def nested(x):
    with Log("a"), Log("b"):
        if x[0] > 3:
            raise ValueError("too big")
        with Log("c") as c:
            y = 1 // int(x[0])
    return y


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
def in_staged_loop(x):
    n = 0
    while x[0] < 6:
        with LOG:
            x[0] += 1
            n += 10 // int(x[0])
            if n > 20:
                break
    return n


class Lock:
    held = False

    def __enter__(self):
        self.held = True

    def __exit__(self, *a):
        self.held = False


L = Lock()


@case
def lock(x):
    with L:
        y = x / 2
        y[int(x[1])] = 3
    return y, L.held


@case
def nullcontext(x):
    with contextlib.nullcontext(3) as r:
        y = r // int(x[0])
    return y


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


class P:
    def __init__(self, v):
        self.v = v


@case
def made_inside(x):
    with Log("m"):
        p = P(x[0])
        p.v = 1 // int(x[0])
    if x[1] > 0:
        p.v = p.v + 1
    return p.v


class Recorder:
    def __init__(self, name):
        self.name = name
        self.seen = []

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, kind, e, tb):
        self.seen.append(None if e is None else str(e))
        print("exit", self.name, kind, e)


class Restore:
    def __init__(self, owner):
        self.owner = owner

    def __enter__(self):
        self.before = self.owner.mode
        return self

    def __exit__(self, *a):
        self.owner.mode = self.before


class Owner:
    mode = "plain"


O = Owner()


@case
def with_in_try_in_with(x):
    out = []
    with Recorder("a"):
        try:
            with Recorder("b"):
                out.append(1 // int(x[0]))
        except ZeroDivisionError:
            out.append(-1)
        out.append(2)
    return out


@case
def writes_array(x):
    y = x * 1
    try:
        with Recorder("w"):
            y[0] = 10
            y[int(x[1])] = 3
    except IndexError:
        y[1] = -1
    return y


@case
def function_with(x):
    def work(v):
        with Recorder("f"):
            if v < 0:
                return "neg"
            return 10 // int(v)

    try:
        return str(work(x[0]))
    except ZeroDivisionError as e:
        return str(e)


@case
def exit_records(x):
    g = Recorder("g")
    try:
        with g:
            1 // int(x[0])
    except ZeroDivisionError:
        pass
    return g.seen


@case
def restore(x):
    with Restore(O):
        O.mode = "busy"
        y = 1 // int(x[0])
    return y, O.mode


@case
def lists_inside(x):
    xs = []
    with Recorder("l"):
        for v in x:
            if v > 0:
                xs.append(v)
            xs.append(1 // int(v))
    return len(xs), xs


test_with = PROGRAMS.test()
