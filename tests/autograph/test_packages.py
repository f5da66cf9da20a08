"""The tests that two packages ship in their wheels pass with the whole package converted on import."""

from __future__ import annotations

import importlib.util

import pytest

from tests.autograph.test_cpython_suites import python_output

PACKAGES = {
    "toolz": ["toolz"],
    # All that networkx ships takes minutes.
    "networkx": ["networkx.utils", "networkx.algorithms.components", "networkx.algorithms.shortest_paths"],
}


@pytest.mark.parametrize("package", PACKAGES)
def test_converted_on_import(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed (it is in the extra `dev`)")
    output = python_output(
        "-m", "tests.autograph.converted_package", package, "-q", "--pyargs", *PACKAGES[package]
    )
    modules = int(output.split()[-6])
    assert modules >= 15
