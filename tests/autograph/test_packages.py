"""The tests that two packages ship in their wheels pass with the packages converted on import."""

import importlib.util

import pytest

from tests.autograph.test_cpython_suites import python_output

pytestmark = pytest.mark.usefixtures("fresh_heap")

# What to convert, and what pytest is to run. All of networkx takes minutes, and its comparisons of one
# algorithm with another are many: they run the same code over and over.
PACKAGES = [
    (["toolz"], ["toolz"]),
    (["networkx.classes", "networkx.algorithms.components"], ["networkx.algorithms.components"]),
    pytest.param(
        ["networkx.classes", "networkx.algorithms.shortest_paths"],
        ["-k", "not consistency", "networkx.algorithms.shortest_paths"],
        marks=pytest.mark.long,
    ),
]


@pytest.mark.parametrize(("packages", "tested"), PACKAGES)
def test_converted_on_import(packages, tested):
    package = packages[0].partition(".")[0]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed (it is in the extra `dev`)")
    output = python_output(
        "-m", "tests.autograph.converted_package", ",".join(packages), "-q", "--pyargs", *tested
    )
    modules = int(output.split()[-6])
    assert modules >= 15
