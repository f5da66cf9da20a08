"""Settings that all tests share."""

import builtins
import gc
import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import settings

import tests.quiet  # noqa: F401
from tests import differential

# A slow machine is no failure, so no deadlines. The suite tries the same examples each time, so that a
# failure is there for the next person too; `make fuzz` tries new ones.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")

# Processes that tests start find compiled what others have loaded.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_configure(config: pytest.Config) -> None:
    """All cases, on both engines: `make test-all`. Ctrl-C is heard where a shell told jobs not to."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # `make test &` in a script
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("markexpr") != "not long":
        differential.usual_engines[:] = differential.ENGINES


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that a collection of tests makes is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Modules and collected tests stay: to look them over again takes a tenth of the suite's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def pytest_runtest_logstart() -> None:
    """What others left among Python's names is no part of the namespaces that tests make.

    A doctest leaves what it showed last; `exec(code, vars(builtins))` makes these hold themselves.
    """
    for name in ("_", "__builtins__"):
        vars(builtins).pop(name, None)


@pytest.fixture
def fresh_heap() -> None:
    """The collector looks only at objects of this test: those that other tests left take it seconds."""
    gc.freeze()
