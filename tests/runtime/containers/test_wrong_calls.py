"""Methods of containers with too many arguments or too few, and the classes of views and ranges."""

import collections
from typing import Any

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.long import some

METHODS: dict[type, tuple[str, ...]] = {
    list: ("append", "copy", "count", "index", "insert", "pop", "remove", "reverse", "sort"),
    dict: ("copy", "get", "items", "pop", "popitem", "setdefault", "update"),
    set: ("add", "copy", "discard", "pop", "isdisjoint"),
    collections.deque: ("appendleft", "copy", "popleft", "rotate"),
}


def numbers(cls: Any, n: int) -> Any:
    """A container whose length only a run knows."""
    made = cls()
    for i in range(n):
        if cls is dict:
            made[i] = i
        elif cls is set:
            made.add(i)
        else:
            made.append(i)
    return made


@pytest.mark.parametrize(("cls", "name"), [(cls, name) for cls in METHODS for name in METHODS[cls]])
@pytest.mark.parametrize("engine", some(["native", "numpy"]))
def test_the_number_of_arguments(cls: type, name: str, engine: str) -> None:
    def attempt(n: int, known: bool, args: tuple[Any, ...]) -> Any:
        items = cls() if known else numbers(cls, n)
        try:
            getattr(items, name)(*args)
        except (LookupError, TypeError, ValueError) as error:
            return type(error), items
        return items

    compiled = rt.function(attempt, engine=engine)
    for known in (True, False):
        for args in ((), (0,), (0, 1), (0, 1, 2)):
            if args == (0,) and name in ("update", "isdisjoint"):
                continue  # no container
            assert compiled(3, known, args) == attempt(3, known, args)


WRONG = [
    lambda x: hasattr(x, 2),
    lambda x: getattr(x, 3),
    lambda x: getattr(x, "zz", 1, 2),
    lambda x: isinstance(x, "q"),
    lambda x: set(x, foo=1),
    lambda x: list(x, foo=1),
    lambda x: type(x, foo=1),
    lambda x: zip([x], foo=1),
    lambda x: enumerate(start=1),
    lambda x: enumerate([1], foo=1),
    lambda x: reversed([x], foo=1),
    lambda x: map(str, [x], foo=1),
]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("x", [1, np.array([1.0])])
def test_wrong_calls_of_builtins(wrong: Any, x: Any) -> None:
    with pytest.raises((TypeError, StagingError)):
        rt.function(wrong)(x)
