"""What a call of a compiled function costs, beside a call of the plain one; and what a guard adds to it.

The calls of the native engine are timed with the loop around them (15 ns), as minima of many rounds.
"""

import timeit

import numpy as np

import runtime as rt
from tests.benchmarks.measure import median, paired, readable, report
from tests.benchmarks.programs import fresh

SOURCE = """\
def program(x):
    return x + 1.0
"""

#: what a function may read from outside, by the guard that it makes. A function makes two: it is the same
#: one, and it has the same code. An array is an input as well.
READS = {
    "globals": ("\n".join(f"name_{i} = {i}.5" for i in range(100)), "name_{i}"),
    "attributes": (
        "class Settings:\n    pass\nheld = Settings()\n"
        + "\n".join(f"held.name_{i} = {i}.5" for i in range(100)),
        "held.name_{i}",
    ),
    "items of a dict": ("held = {" + ", ".join(f"'n{i}': {i}.5" for i in range(100)) + "}", "held['n{i}']"),
    "functions": ("\n".join(f"def name_{i}(): return {i}.5" for i in range(100)), "name_{i}()"),
    "arrays": (
        "import numpy as np\n" + "\n".join(f"name_{i} = np.zeros(())" for i in range(100)),
        "name_{i}",
    ),
}

SCALE = 3.25


@rt.function
def plus(x):
    return x + 1


@rt.function
def scaled(x, y=2.5, *, k=1.5):
    return x * y * k


@rt.function
def of_global(x):
    return x * SCALE


@rt.function
def of_items(items):
    return items[0] * 2 + items[1]


@rt.function
def of_keys(table):
    return table["a"] * 2 + table["b"]


@rt.function
def product(a, x):
    return a @ x


class Holder:
    def __init__(self):
        self.scale = 2.0

    @rt.function
    def scaled(self, x):
        return x * self.scale

    @rt.function
    def helped(self, x):
        return self.half(x) + self.scale

    def half(self, x):
        return x / 2


HOLDER, X, A, TABLE = Holder(), np.ones(4), np.ones((4, 4)), {"a": 1.5, "b": 2.5}
TENSOR = rt.Tensor(X)
#: calls that machine code takes, and the nanoseconds that each may take
CALLS = {
    "plus(1.5)": 80, "plus(2)": 80, "plus(X)": 180, "product(A, X)": 250, "scaled(1.5)": 120,
    "scaled(1.5, 2.5)": 120, "scaled(1.5, y=3.5)": 120, "scaled(x=1.5, k=3.5)": 120,
    "HOLDER.scaled(1.5)": 120, "HOLDER.helped(1.5)": 120, "of_global(1.5)": 120, "of_items([1.5, 2.5])": 150,
    "of_items((X, 2.5))": 250, "of_keys(TABLE)": 120, "plus(TENSOR)": 800, "plus(1.5); plus(X)": 240,
}  # fmt: skip


def main(rounds: int = 60) -> None:
    for call, most in CALLS.items():
        timer = timeit.Timer(call, globals=globals())
        timer.timeit(1000)  # from some hundred calls on, machine code takes them
        found = min(timer.repeat(5 * rounds, 1000)) * 1e6
        report(call, f"{found:.0f} ns", f"< {most} ns", met=found < most)
    x = np.arange(3.0)
    plain = fresh(SOURCE)
    for engine in ("numpy", "native"):
        compiled = rt.function(plain, engine=engine)
        for _ in range(3):
            compiled(x)
        call = paired(engine, lambda: compiled(x), lambda: plain(x), rounds, repeat=200)
        report(
            f"a call on the {engine} engine (plain Python's)",
            f"{readable(call.ours)} ({readable(call.theirs)})",
            "< 1.5 us",
            met=call.ours < 1.5e-6,
        )
    for engine in ("numpy", "native"):
        for what in READS:
            cost = guard_cost(what, engine, rounds) / (2 if what == "functions" else 1)
            if what == "arrays":
                report(f"an array from outside, {engine} engine", readable(cost), "none", met=True)
                continue
            report(f"a guard on {what}, {engine} engine", readable(cost), "< 30 ns", met=cost < 30e-9)


def guard_cost(what: str, engine: str, rounds: int) -> float:
    """The slope: calls of functions with 100 and with 0 guards, that return the same."""
    x = np.arange(3.0)
    setup, read = READS[what]
    times = []
    for count in (0, 100):
        # The value is not used: the graph stays the same, only the guards differ.
        body = "".join(f"    {read.format(i=i)}\n" for i in range(count))
        compiled = rt.function(fresh(f"{setup}\ndef program(x):\n{body}    return x + 1.0\n"), engine=engine)
        for _ in range(20):
            compiled(x)
        times.append(median(lambda: compiled(x), rounds, repeat=200))
    return (times[1] - times[0]) / 100


if __name__ == "__main__":
    main()
