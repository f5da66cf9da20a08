"""Settings of the doctests in the packages."""

from collections.abc import Iterator
from typing import Any

import pytest


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
