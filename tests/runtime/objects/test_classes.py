"""Ordinary classes under the decorator: accounts, particles, machines, filters, queues."""

import heapq
from dataclasses import dataclass

import numpy as np

from tests.differential import attempt
from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


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

    calls = (floats(1, 2, -3), floats(5, -100, 3), floats(0.0), floats(2, -1))
    return [(attempt(run, x), acc.balance, list(acc.history)) for x in calls]


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

    ps = [Particle(floats(0, 1), floats(1, -3)), Particle(floats(5, 1), floats(8, 3))]

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
        f(np.array([0, 0, 1, 0, 2]), floats(1, 2, 0, 5, 0)),
        f(np.array([0, 3, 0, 0, 0]), floats(-1, 3, 7, 8, 9)),
        f(np.array([0, 0, 1]), floats(3, 4, 0)),
    ]


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

    r = [run(floats(1, 2, 3)), run(floats(1, 1, 1))]
    k.R = 1.0
    r.append(run(floats(0, 0, 1)))
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

    return [sim(floats(0, 1, 1.5, 4), 1.0), sim(floats(3, 2, 1), 0.5)]


test_program = PROGRAMS.test()
