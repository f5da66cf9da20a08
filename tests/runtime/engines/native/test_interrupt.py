"""Ctrl-C ends a loop that would never end."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from runtime.engines import native
from tests.runtime.engines.native.graphs import Maker


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the platform has no interval timers")
def test_an_endless_loop_can_be_interrupted() -> None:
    m = Maker("bool")

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    graph = m.returns(*m.loop(lambda n: m.params[0], lambda n: (m("py.xor", n, 1),), 0))
    executable = native.compile(graph)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            executable([True])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert executable([False]) == [0]
