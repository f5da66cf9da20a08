"""Compare many random programs: `python -m tests.python_programs --count 10000 --seed 1`.

A program that differs is made smaller and printed; exit status 1.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import warnings

from tests.python_programs.compare import difference
from tests.python_programs.generator import program
from tests.random_programs.choices import seeded
from tests.random_programs.program import Program
from tests.random_programs.reduce import reduce


def text_of(seed: str) -> str:
    """The first program of the seed that Python takes."""
    for attempt in range(1000):
        text = program(seeded(f"{seed}:{attempt}"))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                compile(text, "program", "exec", dont_inherit=True)
        except SyntaxError:
            continue
        return text
    raise AssertionError("no program in a thousand compiles")


class _TooLong(BaseException):
    pass


def _give_up(*_: object) -> None:
    raise _TooLong


def found(text: str, seconds: float = 20) -> str | None:
    """The difference, or the error of the converter."""
    signal.signal(signal.SIGALRM, _give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    end = time.monotonic() + seconds
    try:
        differs = difference(text)
        return differs if time.monotonic() < end else None
    except (SyntaxError, _TooLong):
        return None  # a reduced program that Python does not take, or that does not end
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.python_programs", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", default=str(int(time.time())))
    parser.add_argument("--stop-after", type=int, default=5, help="programs that differ")
    options = parser.parse_args()
    failures = 0
    for number in range(options.count):
        seed = f"{options.seed}/{number}"
        text = text_of(seed)
        if found(text) is not None:
            failures += 1
            small = reduce(Program(text, ("",)), lambda smaller: found(smaller.source, 2) is not None).source
            print(f"--- seed {seed}\n{small}\n{found(small)}\n", flush=True)
            if failures == options.stop_after:
                break
    print(f"{number + 1} programs from seed {options.seed}: {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
