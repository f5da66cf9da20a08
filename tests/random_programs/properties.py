"""The properties of random programs: converted means the same, decorated too, or it is refused."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import signal
import sys
import types
from collections.abc import Iterator
from typing import Any

from tests.differential import ENGINES, Difference, Refused, _maker, check_maker, run_plain
from tests.random_programs.program import Program

SECONDS = 90  # a program runs a few hundred statements: one that runs so long does not end


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What became of one program: equal, refused, beyond or different; and why.

    "beyond": with an int past 64 bits, or a loop that never ends.

    >>> Verdict("refused", "f.py:1:1: no `await`").head
    'no `await`'
    """

    status: str
    reason: str = ""

    @property
    def head(self) -> str:
        lines = [line for line in self.reason.splitlines() if line and line != "refused:"]
        place, _, message = lines[0].partition(": ") if lines else ("", "", "")
        return message or place


def judge(program: Program, engines: tuple[str, ...] = ENGINES) -> Verdict:
    """Run a program plain and on the engines ("convert" too), and compare.

    >>> judge(Program("def f(n):\\n    return n + 1\\n", ("1", "2")), engines=()).status
    'equal'
    """
    f = program.load()
    calls = program.call_values()
    options: dict[str, Any] = {"engines": engines, "source": str(program)}
    options["any_zero"] = has_extremes(program)
    try:
        with time_limit(SECONDS):
            check_maker(_maker(f), *calls, **options)
    except Refused as refused:
        if "convert" not in engines:
            return Verdict("refused", str(refused))
        return Verdict("different", f"convert refuses a plain program: {refused}")
    except Difference as difference:
        if isinstance(difference.__cause__, OverflowError) and leaves_64_bits(program):
            return Verdict("beyond")
        return Verdict("different", str(difference))
    except OutOfTime as error:
        if not ends(program):
            return Verdict("beyond")
        return Verdict("different", f"did not end: {error}\n\n{program}")
    return Verdict("equal")


def ends(program: Program) -> bool:
    """Does plain Python come to the end of all calls? What a loop counts down, a call in it may count up.

    >>> ends(Program("def f(n):\\n    return n\\n", ("1",)))
    True
    """
    try:
        with time_limit(10):
            run_plain(_maker(program.load()), program.call_values())
    except OutOfTime:
        return False
    return True


def has_extremes(program: Program) -> bool:
    """May it ask for the largest of zeros of both signs? docs/promise.md says that any may result."""
    return re.search(r"\b(arg|nan|f)?(max|min)(imum)?\b", program.source) is not None


class OutOfTime(BaseException):
    """A program ran too long; none of its own handlers catches this."""


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise OutOfTime in the block after so long, where the platform has timers: of the processor's time.

    A busy machine would make a program of any other one that does not end.
    """
    if not hasattr(signal, "SIGPROF"):
        yield
        return

    def stop(*_: object) -> None:
        raise OutOfTime(f"still running after {seconds} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def leaves_64_bits(program: Program) -> bool:
    """Does a Python int of the plain run leave 64 bits? Staged ints may not: the documented difference.

    >>> leaves_64_bits(Program("def f(n):\\n    n = n * n\\n    return 0\\n", ("2 ** 40",)))
    True
    """
    found = []

    def watch(frame: types.FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename.startswith("<random program"):
            values = [*frame.f_locals.values(), argument]
            found.extend(v for v in values if isinstance(v, int) and not -(2**63) <= v < 2**63)
            return watch
        return None

    before = sys.gettrace()
    f = program.load()
    sys.settrace(watch)
    try:
        run_plain(_maker(f), program.call_values())
    finally:
        sys.settrace(before)
    return bool(found)


def is_sound(program: Program) -> bool:
    """Does plain Python run the program without an error that only a generator's mistake makes?"""
    try:
        with time_limit(2):  # made smaller, a loop may never end
            outcomes = run_plain(_maker(program.load()), program.call_values())
    except (SyntaxError, NameError, TypeError, AttributeError, ValueError, OutOfTime):
        return False
    mistakes = (TypeError, AttributeError, NameError, SyntaxError)
    return not any(
        isinstance(o.exception, mistakes) and not isinstance(o.exception, UnboundLocalError) for o in outcomes
    )
