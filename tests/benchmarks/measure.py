"""Time two things beside each other: rounds alternate, so that both see the same machine.

>>> result = paired("sum", lambda: sum(range(100)), lambda: None, rounds=5)
>>> result.ours > result.theirs
True
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """Median seconds of one call of each side."""

    name: str
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def difference(self) -> float:
        return self.ours - self.theirs


def seconds(call: Callable[[], object], repeat: int = 1) -> float:
    """The time of one call, as the mean of `repeat` of them."""
    began = time.perf_counter()
    for _ in range(repeat):
        call()
    return (time.perf_counter() - began) / repeat


def median(call: Callable[[], object], rounds: int, repeat: int = 1) -> float:
    """The median time of a call; one call before that warms caches up."""
    call()
    return statistics.median(seconds(call, repeat) for _ in range(rounds))


def paired(
    name: str, ours: Callable[[], object], theirs: Callable[[], object], rounds: int, repeat: int = 1
) -> Pair:
    """Median times of both sides over alternating rounds, after one call of each that does not count."""
    ours()
    theirs()
    times = [(seconds(ours, repeat), seconds(theirs, repeat)) for _ in range(rounds)]
    return Pair(name, *(statistics.median(side) for side in zip(*times, strict=True)))


def readable(time: float) -> str:
    """
    >>> readable(0.0123), readable(4.2e-6), readable(3.0)
    ('12.30 ms', '4.20 us', '3.00 s')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(time) >= scale:
            return f"{time / scale:.2f} {unit}"
    return f"{time / 1e-9:.1f} ns"


def report(what: str, measured: str, target: str, met: bool) -> None:
    """One line: what was measured, its value, and whether the target is met."""
    print(f"{what:<52} {measured:>26}   target {target:<22} {'met' if met else 'MISSED'}")
