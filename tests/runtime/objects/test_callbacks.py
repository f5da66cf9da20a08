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


test_program = PROGRAMS.test()
