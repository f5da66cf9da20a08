"""Cases that say nearly the same as others: the suite tries some of them, `make test-all` each one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some(cases: Iterable[Any], one_in: int = 2) -> list[Any]:
    """Every second case, or third; the others are marked as long.

    >>> [type(case).__name__ for case in some("abc")]
    ['str', 'ParameterSet', 'str']
    """
    return [case if number % one_in == 0 else _long(case) for number, case in enumerate(cases)]


def _long(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, pytest.mark.long])
    return pytest.param(case, marks=pytest.mark.long)
