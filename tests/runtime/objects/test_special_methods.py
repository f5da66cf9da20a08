"""Classes with operators, conversions, truth, length, iteration, and calls."""

import math

from tests.features.registry import floats
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
def poly(function):
    class Poly:
        def __init__(self, *c):
            self.c = list(c)

        def __call__(self, x):
            r = 0.0
            for a in reversed(self.c):
                r = r * x + a
            return r

        def __add__(self, o):
            n = max(len(self.c), len(o.c))
            a = self.c + [0] * (n - len(self.c))
            b = o.c + [0] * (n - len(o.c))
            return Poly(*[x + y for x, y in zip(a, b)])

        def deriv(self):
            return Poly(*[k * a for k, a in enumerate(self.c)][1:])

        def newton(self, x, tol=1e-9):
            d = self.deriv()
            for k in range(50):
                fx = self(x)
                if abs(fx) < tol:
                    return x, k
                x = x - fx / d(x)
            return x, 50

    p = Poly(-2, 0, 1)

    @function
    def f(x):
        return (p + Poly(0.0, 0.0, 0.5)).newton(x)

    r = [f(1.0), f(10.0)]
    p.c[0] = -3
    r.append(f(1.0))
    p.c.append(0.1)
    r.append(f(1.0))
    return r


@scenario
def repr_print(function):
    class V:
        def __init__(self, x, y):
            self.x = x
            self.y = y

        def __repr__(self):
            return f"V({self.x}, {self.y})"

        def __add__(self, o):
            return V(self.x + o.x, self.y + o.y)

        def __mul__(self, k):
            return V(self.x * k, self.y * k)

        __rmul__ = __mul__

        def __neg__(self):
            return V(-self.x, -self.y)

        def __eq__(self, o):
            return isinstance(o, V) and self.x == o.x and self.y == o.y

        def __lt__(self, o):
            return (self.x, self.y) < (o.x, o.y)

        def __abs__(self):
            return math.hypot(self.x, self.y)

        def __bool__(self):
            return self.x != 0 or self.y != 0

        def __len__(self):
            return 2

        def __getitem__(self, i):
            return (self.x, self.y)[i]

        def __iter__(self):
            yield self.x
            yield self.y

        def __contains__(self, v):
            return v == self.x or v == self.y

        def __call__(self, k):
            return self.x * k + self.y

        def __float__(self):
            return float(self.x)

        def __int__(self):
            return int(self.x)

        def __round__(self, n=0):
            return V(round(self.x, n), round(self.y, n))

    @function
    def f(a):
        vs = []
        for v in a:
            if v != 0:
                vs.append(V(v, 2 * v))
        s = V(0.0, 0.0)
        for v in vs:
            s = s + v * 2
        print(s, vs)
        best = max(vs)
        m = min(vs, key=lambda v: abs(v))
        vs.sort()
        return s, -s, best, m, vs, sorted(vs, reverse=True), vs[0] == vs[-1], abs(s), V(2.0, 4.0) in vs

    @function
    def g(x):
        v = V(x, x + 1)
        a, b = v
        r = [bool(v), a, b, len(v), v[0], x in v, v(2), float(v), int(v), abs(v), round(v)]
        return r, [c for c in v]

    r = []
    for x in (floats(1, -2, 3), floats(2, 0)):
        out = f(x)
        r.append([repr(o) for o in out])
    r.append(repr(g(1.25)))
    r.append(repr(g(-3.5)))
    return r


@scenario
def special_bool(function):
    class Stack:
        def __init__(self):
            self.items = []

        def push(self, v):
            self.items.append(v)

        def pop(self):
            return self.items.pop()

        def __len__(self):
            return len(self.items)

        def __bool__(self):
            return bool(self.items)

    @function
    def f(a):
        s = Stack()
        for v in a:
            if v > 0:
                s.push(v)
        t = 0.0
        while s:
            t = t * 2 + s.pop()
        return t, len(s)

    @function
    def g(a):
        s = Stack()
        for v in a:
            if v > 0:
                s.push(v)
        n = len(s)
        if not s:
            n = -1
        return n

    return [f(floats(1, -2, 3)), f(floats(2, 1)), g(floats(-1)), g(floats(1, 2))]


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
