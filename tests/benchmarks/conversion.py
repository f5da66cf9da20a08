"""How long converting a function takes: 50 lines that no cache has seen.

Beside TensorFlow's AutoGraph on such functions, where TensorFlow is installed.
"""

import importlib.util
import os
import statistics

import autograph
from tests.benchmarks.measure import readable, report, seconds
from tests.benchmarks.programs import FIFTY_LINES, fresh


def main(rounds: int = 30) -> None:
    programs = [fresh(FIFTY_LINES) for _ in range(rounds + 1)]
    times = [seconds(lambda: autograph.convert(program)) for program in programs]
    taken = statistics.median(times[1:])  # the first one also loads what conversion needs
    report("converting 50 lines", readable(taken), "< 20 ms", taken < 0.020)
    if importlib.util.find_spec("tensorflow") is not None:
        beside_tensorflow(max(2, rounds // 3))


def beside_tensorflow(rounds: int) -> None:
    """Alternating rounds, each side on functions of its own; the first of each does not count."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf  # type: ignore[import-not-found, unused-ignore]

    pairs = []
    for _ in range(rounds + 1):
        ours, theirs = fresh(FIFTY_LINES), fresh(FIFTY_LINES)
        pairs.append(
            (seconds(lambda: autograph.convert(ours)), seconds(lambda: tf.autograph.to_graph(theirs)))
        )
    mine, other = (statistics.median(side) for side in zip(*pairs[1:], strict=True))
    report(
        "converting 50 lines, beside TensorFlow's",
        f"{mine / other:.2f} ({readable(mine)}, {readable(other)})",
        "<= 1.00",
        mine <= other,
    )


if __name__ == "__main__":
    main()
