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
