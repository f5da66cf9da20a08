"""What a call of a compiled function costs, beside a call of the plain one: checks, guards, wrapping."""

import numpy as np

import runtime as rt
from tests.benchmarks.measure import paired, readable, report
from tests.benchmarks.programs import fresh

SOURCE = """\
def program(x, y):
    return x + y
"""


def main(rounds: int = 60) -> None:
    x, y = np.arange(3.0), np.ones(3)
    plain = fresh(SOURCE)
    for engine in ("numpy", "native"):
        compiled = rt.function(plain, engine=engine)
        call = paired(engine, lambda: compiled(x, y), lambda: plain(x, y), rounds, repeat=200)
        report(
            f"a call on the {engine} engine, beyond plain Python's",
            f"{readable(call.difference)} ({readable(call.theirs)})",
            "none yet",
            met=True,
        )


if __name__ == "__main__":
    main()
