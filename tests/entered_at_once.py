"""A plugin (`python -m pytest -p tests.entered_at_once`): machine code takes the calls of each function from
its second entry on, where in a program it does so after some hundred calls.
"""

import pytest

from runtime.functions import dispatch


def pytest_configure(config: pytest.Config) -> None:
    dispatch.OFTEN = 1  # the doctests of the suite import this module, too: so not at its import
