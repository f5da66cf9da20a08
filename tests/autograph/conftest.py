"""Fixtures of the tests of conversion."""

import contextlib
from collections.abc import Iterator

import pytest

from autograph.staging import Stage
from tests.differential import registered


@pytest.fixture(params=["asleep", "awake"])
def stages(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test twice: with the user's own statements, and with a stage for which operators run."""
    with registered(Stage()) if request.param == "awake" else contextlib.nullcontext():
        yield
