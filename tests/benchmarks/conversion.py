"""How long converting a function takes: 50 lines that no cache has seen."""

import statistics

import autograph
from tests.benchmarks.measure import readable, report, seconds
from tests.benchmarks.programs import FIFTY_LINES, fresh


def main(rounds: int = 30) -> None:
    programs = [fresh(FIFTY_LINES) for _ in range(rounds + 1)]
    times = [seconds(lambda: autograph.convert(program)) for program in programs]
    taken = statistics.median(times[1:])  # the first one also loads what conversion needs
    report("converting 50 lines", readable(taken), "< 20 ms", taken < 0.020)


if __name__ == "__main__":
    main()
