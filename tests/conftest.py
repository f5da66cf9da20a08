"""Settings that all tests share."""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A slow machine is no failure, so no deadlines. The suite tries the same examples each time, so that a
# failure is there for the next person too; `make fuzz` tries new ones.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


@pytest.fixture
def fresh_heap() -> Iterator[None]:
    """The collector looks only at objects of this test: those that other tests left take it seconds."""
    gc.freeze()
    yield
    gc.unfreeze()
