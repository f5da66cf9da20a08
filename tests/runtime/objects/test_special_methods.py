"""Classes with operators, conversions, truth, length, iteration, and calls."""

import math

from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def fraction(function):
    class Frac:
        __slots__ = ("n", "d")

        def __init__(self, n, d=1):
            g = math.gcd(n, d)
            if d < 0:
                g = -g
            self.n = n // g
            self.d = d // g

        def __add__(self, o):
            if isinstance(o, int):
                o = Frac(o)
            return Frac(self.n * o.d + o.n * self.d, self.d * o.d)

        __radd__ = __add__

        def __mul__(self, o):
            return Frac(self.n * o.n, self.d * o.d)

        def __lt__(self, o):
            return self.n * o.d < o.n * self.d

        def __eq__(self, o):
            return self.n == o.n and self.d == o.d

        def __repr__(self):
            return f"{self.n}/{self.d}"

        def __float__(self):
            return self.n / self.d

        def __hash__(self):
            return hash((self.n, self.d))

    @function
    def h(n):
        s = Frac(0)
        for k in range(1, n + 1):
            s = s + Frac(1, k)
            if Frac(3) < s:
                s = s * Frac(1, 2)
        return s.n, s.d, float(s), repr(s)

    return [h(5), h(12), h(3)]


@scenario
def iterator_class(function):
    class Count:
        def __init__(self, n):
            self.n = n
            self.i = 0

        def __iter__(self):
            return self

        def __next__(self):
            if self.i >= self.n:
                raise StopIteration
            self.i += 1
            return self.i

    class Span:
        def __init__(self, a, b):
            self.a = a
            self.b = b

        def __iter__(self):
            x = self.a
            while x < self.b:
                yield x
                x += 1

        def __len__(self):
            return int(self.b - self.a)

        def __contains__(self, v):
            return self.a <= v < self.b

        def __reversed__(self):
            return iter(range(5))

        def __getitem__(self, i):
            return self.a + i

    @function
    def f(n):
        t = 0
        for v in Count(n):
            t += v * v
        return t

    @function
    def g(x):
        s = Span(x, x + 4)
        t = 0.0
        for v in s:
            t += v
        return t, len(s), x + 1 in s, s[2], list(s), sum(s)

    return [f(3), f(0), f(5), g(1.0), g(2.5)]


class Key:
    def __init__(self, place, name):
        self.place, self.name = place, name

    def __hash__(self):
        return hash((self.place, self.name))

    def __eq__(self, other):
        return (self.place, self.name) == (other.place, other.name)


@PROGRAMS.of((1.5, 1), (2.5, 3))
def keys_with_a_hash_of_their_own(x, n):
    table = {Key(1, "u"): x, Key(2, "v"): 2 * x}
    several = {Key(1, "u"), Key(1, "u"), Key(n, "v" if n > 2 else "u")}
    return table[Key(1, "u")], Key(2, "v") in table, len(several), table.get(Key(n, "u"), 0.0)


test_program = PROGRAMS.test()
