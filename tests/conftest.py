"""Settings that all tests share."""

import gc
import os

import pytest
from hypothesis import settings

# A slow machine is no failure, so no deadlines. The suite tries the same examples each time, so that a
# failure is there for the next person too; `make fuzz` tries new ones.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


# What a test prints hangs on no clock.
os.environ["AUTOGRAPH_SLOW_NOTICE"] = "0"


def pytest_collection_finish() -> None:
    """Modules and collected tests stay: to look them over again takes a tenth of the suite's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(5000, 20, 50)


@pytest.fixture
def fresh_heap() -> None:
    """The collector looks only at objects of this test: those that other tests left take it seconds."""
    gc.freeze()
