"""Objects of the user's classes as items of lists, dicts and sets, and lists that objects hold."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from tests.differential import attempt
from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()

scenario = PROGRAMS.scenario


X = np.arange(6.0)


class Holder:
    def __init__(self, x):
        self.parts = [x, x * 2]
        self.table = {"a": x, "k": 2}
        self.sizes = [2, 3]
        self.functions = [np.sin, np.cos]


@PROGRAMS.of((X,), (X + 1,))
def arrays_of_parts(x):
    held = Holder(x)
    counts = np.histogram(x, held.sizes)[0]  # a call as a whole leaves what is known
    return (
        counts,
        np.concatenate(held.parts).reshape(2, -1),
        np.einsum("i,i->", *held.parts),
        np.select([x > 1, x > 2], held.parts),
        np.block([held.parts]),
        [f(x[0]) for f in held.functions],
    )


@PROGRAMS.of((X,), (X + 1,))
def random_numbers(x):
    held, numbers = Holder(x), np.random.default_rng(3)
    chosen = numbers.choice(held.sizes), numbers.permutation(held.sizes), numbers.normal(size=held.sizes)
    numbers.shuffle(held.sizes)
    np.random.seed(1)
    np.random.shuffle(held.sizes)
    return chosen, held.sizes, held.sizes[0]


@scenario
def frozen(function):
    @dataclass(frozen=True)
    class F:
        a: float
        b: int = 0

    @function
    def f(a):
        out = []
        for v in a:
            if v > 0:
                out.append(F(v, len(out)))
        try:
            out[0].a = 1.0
        except AttributeError as e:
            print(type(e).__name__, e)
        out.append(dataclasses.replace(out[0], b=7))
        return out, bool(out[0] == out[-1]), F(3.0, 1) in out

    return [repr(f(floats(1, -2, 3))), repr(f(floats(1)))]


@scenario
def slots(function):
    @dataclass(slots=True)
    class S:
        a: float
        b: int = 0

    class M:
        __slots__ = ("k", "m")

        def __init__(self, k):
            self.k = k

    @function
    def f(a):
        out = []
        ms = []
        for v in a:
            if v > 0:
                out.append(S(v, len(out)))
                ms.append(M(v))
        for s in out:
            s.a *= 2
        for m in ms:
            if m.k > 1:
                m.m = m.k
        t = 0.0
        for m in ms:
            t += m.m
        return out, t

    return [attempt(f, v) for v in (floats(2, -2, 3), floats(1))]


test_program = PROGRAMS.test()
