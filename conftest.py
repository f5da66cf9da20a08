"""Settings of the doctests in the packages."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

# What needs JAX, an extra, is left out where it is not installed.
_OF_JAX = ["runtime/engines/jax_engine/*", "runtime/functions/on_jax.py", "tests/runtime/jax/*"]
collect_ignore_glob = [] if find_spec("jax") else _OF_JAX


def pytest_report_header() -> list[str]:
    """Say what is left out."""
    return [f"no JAX here (the extra `jax`), so not run: {path}" for path in collect_ignore_glob]


@pytest.fixture(autouse=True)
def examples_are_user_code(
    request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]
) -> Iterator[None]:
    """The functions of an example in `runtime` are converted as a user's are, who is not in that package."""
    if isinstance(request.node, pytest.DoctestItem) and request.node.name.split(".")[0] == "runtime":
        doctest_namespace["__name__"] = "__main__"
        yield
        del doctest_namespace["__name__"]
    else:
        yield
