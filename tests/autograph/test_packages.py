"""The tests that two packages ship in their wheels pass with the packages converted on import."""

from __future__ import annotations

import importlib.util

import pytest

from tests.autograph.test_cpython_suites import python_output

pytestmark = pytest.mark.usefixtures("fresh_heap")

# Each with the packages to convert, and what pytest is to run. All of networkx takes minutes, and its
# comparisons of one algorithm with another are many: they run the same code over and over.
ALGORITHMS = ["networkx.algorithms.components", "networkx.algorithms.shortest_paths"]
PACKAGES = {
    "toolz": (["toolz"], ["toolz"]),
    "networkx": (["networkx.classes", *ALGORITHMS], ["-k", "not consistency", *ALGORITHMS]),
}


@pytest.mark.parametrize("package", PACKAGES)
def test_converted_on_import(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed (it is in the extra `dev`)")
    packages, tested = PACKAGES[package]
    output = python_output(
        "-m", "tests.autograph.converted_package", ",".join(packages), "-q", "--pyargs", *tested
    )
    modules = int(output.split()[-6])
    assert modules >= 15
