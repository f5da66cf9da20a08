"""Ordinary classes under the decorator: accounts, machines, filters, operators, special methods."""

import heapq
import math
from dataclasses import dataclass

import numpy as np
import pytest

from tests.differential import ENGINES, check_scenario

SCENARIOS = []


def scenario(function):
    SCENARIOS.append(function)
    return function


def A(*values):
    return np.array(values, dtype=float)


@scenario
def bank(function):
    class Insufficient(Exception):
        pass

    class Account:
        def __init__(self, owner, balance=0.0):
            self.owner = owner
            self.balance = balance
            self.history = []

        def deposit(self, a):
            if a <= 0:
                raise ValueError(f"bad amount {a}")
            self.balance += a
            self.history.append(("d", a))

        def withdraw(self, a):
            if a > self.balance:
                raise Insufficient(f"{self.owner}: {a} > {self.balance}")
            self.balance -= a
            self.history.append(("w", a))

    acc = Account("bob", 10.0)

    @function
    def run(x):
        for v in x:
            if v > 0:
                acc.deposit(v)
            else:
                acc.withdraw(-v)
        return acc.balance

    r = []
    for v in (A(1, 2, -3), A(5, -100, 3), A(0.0), A(2, -1)):
        try:
            r.append(run(v))
        except Exception as e:
            r.append((type(e).__name__, str(e)))
        r.append(acc.balance)
        r.append(list(acc.history))
    return r


@scenario
def particle(function):
    class Particle:
        def __init__(self, pos, vel):
            self.pos = pos
            self.vel = vel
            self.alive = True

        def step(self, dt):
            self.pos = self.pos + self.vel * dt
            if self.pos[1] < 0:
                self.vel[1] = -self.vel[1] * 0.9
                self.pos[1] = 0.0
            if abs(self.pos[0]) > 10:
                self.alive = False

    ps = [Particle(A(0, 1), A(1, -3)), Particle(A(5, 1), A(8, 3))]

    @function
    def sim(dt, n):
        for i in range(n):
            for p in ps:
                if p.alive:
                    p.step(dt)
        return sum(p.pos[0] for p in ps)

    r = [sim(0.1, 5), sim(0.1, 50), sim(0.05, 3)]
    return r, [(p.pos, p.vel, p.alive) for p in ps]


@scenario
def lcg(function):
    class RNG:
        def __init__(self, seed):
            self.state = seed

        def next(self):
            self.state = (self.state * 1103515245 + 12345) % 2**31
            return self.state

        def uniform(self):
            return self.next() / 2**31

    @function
    def pi(n, seed):
        rng = RNG(seed)
        c = 0
        for _ in range(n):
            x = rng.uniform()
            y = rng.uniform()
            if x * x + y * y <= 1:
                c += 1
        return 4 * c / n, rng.state

    return [pi(100, 1), pi(50, 7), pi(200, 3)]


@scenario
def stack_machine(function):
    class VM:
        def __init__(self):
            self.stack = []
            self.pc = 0

        def push(self, v):
            self.stack.append(v)

        def pop(self):
            return self.stack.pop()

        def run(self, code, args):
            self.pc = 0
            while self.pc < len(code):
                op = code[self.pc]
                if op == 0:
                    self.push(args[self.pc])
                elif op == 1:
                    self.push(self.pop() + self.pop())
                elif op == 2:
                    self.push(self.pop() * self.pop())
                elif op == 3:
                    if self.pop() <= 0:
                        self.pc = int(args[self.pc]) - 1
                else:
                    raise ValueError(op)
                self.pc += 1
            return self.pop()

    @function
    def f(code, args):
        return VM().run(code, args)

    return [
        f(np.array([0, 0, 1, 0, 2]), A(1, 2, 0, 5, 0)),
        f(np.array([0, 3, 0, 0, 0]), A(-1, 3, 7, 8, 9)),
        f(np.array([0, 0, 1]), A(3, 4, 0)),
    ]


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
def kalman(function):
    @dataclass
    class Kalman:
        x: float = 0.0
        P: float = 1.0
        Q: float = 1e-3
        R: float = 0.1

        def update(self, z):
            self.P += self.Q
            K = self.P / (self.P + self.R)
            self.x += K * (z - self.x)
            self.P *= 1 - K
            return self.x

    k = Kalman()

    @function
    def run(zs):
        out = np.empty(len(zs))
        for i, z in enumerate(zs):
            out[i] = k.update(z)
        return out

    r = [run(A(1, 2, 3)), run(A(1, 1, 1))]
    k.R = 1.0
    r.append(run(A(0, 0, 1)))
    return r, k.x, k.P


@scenario
def pid(function):
    class PID:
        def __init__(self, kp, ki, kd):
            self.kp = kp
            self.ki = ki
            self.kd = kd
            self.i = 0.0
            self.last = None

        def __call__(self, e, dt):
            self.i += e * dt
            d = 0.0 if self.last is None else (e - self.last) / dt
            self.last = e
            return self.kp * e + self.ki * self.i + self.kd * d

    pid = PID(1.0, 0.1, 0.05)

    @function
    def run(target, n, dt):
        y = 0.0
        for _ in range(n):
            y += pid(target - y, dt) * dt
        return y

    r = [run(1.0, 10, 0.1), pid.last, run(2.0, 5, 0.1), pid.i]
    pid.last = None
    r.append(run(1.0, 3, 0.1))

    @function
    def fresh(t, n):
        p = PID(1.0, 0.2, 0.3)
        y = 0.0
        for _ in range(n):
            y += p(t - y, 0.1) * 0.1
        return y, p.last

    r += [fresh(1.0, 4), fresh(2.0, 0), fresh(2.0, 6)]
    return r


@scenario
def event_queue(function):
    @function
    def sim(arr, service):
        q = []
        for i, t in enumerate(arr):
            heapq.heappush(q, (t, i, 0))
        free = 0.0
        waits = 0.0
        served = 0
        while q:
            t, i, kind = heapq.heappop(q)
            if kind == 0:
                start = max(t, free)
                waits += start - t
                free = start + service
                heapq.heappush(q, (free, i, 1))
            else:
                served += 1
        return waits, served, free

    return [sim(A(0, 1, 1.5, 4), 1.0), sim(A(3, 2, 1), 0.5)]


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
    for x in (A(1, -2, 3), A(2, 0)):
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

    return [f(A(1, -2, 3)), f(A(2, 1)), g(A(-1)), g(A(1, 2))]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", SCENARIOS, ids=lambda program: program.__name__)
def test_scenario(program, engine):
    check_scenario(program, engines=(engine,), promotes=True)
