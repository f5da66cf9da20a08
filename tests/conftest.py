"""Settings that all tests share."""

import gc

import pytest
from hypothesis import settings

import tests.quiet  # noqa: F401

# A slow machine is no failure, so no deadlines. The suite tries the same examples each time, so that a
# failure is there for the next person too; `make fuzz` tries new ones.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


def pytest_collection_finish() -> None:
    """Modules and collected tests stay: to look them over again takes a tenth of the suite's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(5000, 20, 50)


@pytest.fixture
def fresh_heap() -> None:
    """The collector looks only at objects of this test: those that other tests left take it seconds."""
    gc.freeze()
