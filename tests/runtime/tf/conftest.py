"""Tests that are about what a graph computes run on both engines: `pytest.mark.usefixtures("engine")`."""

import pytest

from runtime.tf import functions


@pytest.fixture(params=["numpy", "native"])
def engine(request, monkeypatch):
    """The engine on which Functions run."""
    monkeypatch.setattr(functions, "engine_for", lambda graph, jit: request.param)
    return request.param
