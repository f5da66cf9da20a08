"""How long a trace of 200 operations takes, conversion and compilation not counted.

The second and later traces of one function are timed, each for an array of another length.
"""

import statistics

import runtime as rt
from tests.benchmarks.measure import readable, report, seconds
from tests.benchmarks.programs import fresh, straight_line

OPERATIONS = 200


def main(rounds: int = 20) -> None:
    function = rt.function(fresh(straight_line(OPERATIONS)), engine="numpy")

    def trace(length: int) -> object:
        spec = rt.TensorSpec([length], "float64")
        return function.get_concrete_function(spec, spec)

    times = [seconds(lambda: trace(length)) for length in range(1, rounds + 2)]
    taken = statistics.median(times[1:])
    report(f"tracing {OPERATIONS} operations", readable(taken), "< 20 ms", taken < 0.020)


if __name__ == "__main__":
    main()
