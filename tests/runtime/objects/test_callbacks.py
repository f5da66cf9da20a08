"""Functions and methods that objects and dicts hold, and that are called by a key or an event."""

from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario


@scenario
def callbacks(function):
    class Bus:
        def __init__(self):
            self.handlers = {}
            self.log = []

        def on(self, k, h):
            self.handlers.setdefault(k, []).append(h)

        def emit(self, k, v):
            for h in self.handlers.get(k, []):
                h(v)

    @function
    def f(a):
        b = Bus()
        tot = [0.0]

        def add(v):
            tot[0] += v

        b.on("add", add)
        b.on("add", b.log.append)
        for v in a:
            if v > 0:
                b.emit("add", v)
        return tot[0], b.log

    return [f(floats(1, -2, 3)), f(floats(1))]


@scenario
def state_machine(function):
    class FSM:
        def __init__(self):
            self.state = "idle"
            self.table = {"idle": self.idle, "run": self.run, "stop": self.stop}
            self.n = 0

        def idle(self, x):
            return "run" if x > 0 else "idle"

        def run(self, x):
            self.n += 1
            return "stop" if x < 0 else "run"

        def stop(self, x):
            return "idle" if x == 0 else "stop"

        def feed(self, x):
            self.state = self.table[self.state](x)

    m = FSM()

    @function
    def f(a):
        for v in a:
            m.feed(v)
        return m.state, m.n

    @function
    def g(a):
        q = FSM()
        for v in a:
            q.feed(v)
        return q.state, q.n

    return [f(floats(0, 1, 2)), f(floats(1, -1)), f(floats(0.0)), g(floats(1, 2, -1)), g(floats(1, 1, 1, 1))]


@scenario
def callback_dict(function):
    hits = {"a": 0, "b": 0}

    def on_a(v):
        hits["a"] += 1
        return v * 2

    def on_b(v):
        hits["b"] += 1
        return v + 100

    table = {"a": on_a, "b": on_b}

    @function
    def f(a):
        t = 0.0
        for v in a:
            k = "a" if v > 0 else "b"
            t += table[k](v)
        return t

    r = [f(floats(1, -2, 3)), f(floats(-1.0))]
    table["a"] = lambda v: v * 1000
    r.append(f(floats(1, -2, 3)))
    return r, hits


@scenario
def nonlocal_counter(function):
    def make():
        n = 0

        def inc(k=1):
            nonlocal n
            n += k
            return n

        def get():
            return n

        return inc, get

    inc, get = make()

    @function
    def f(a):
        for v in a:
            if v > 0:
                inc()
            else:
                inc(int(-v))
        return get()

    return [f(floats(1, -3)), f(floats(1.0)), get(), inc(), f(floats(1.0))]


test_program = PROGRAMS.test()
