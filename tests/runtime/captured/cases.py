"""Programs that read something from outside, and changes of it between calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runtime as rt

X = np.array([1.0, -2.0, 3.0])


class Case:
    """One program: ``f`` reads something; each of ``changes`` changes it."""

    def __init__(self, f: Callable[..., Any], *changes: Callable[[], Any]) -> None:
        self.f = f
        self.changes = changes


class Cases:
    """The cases of one test module, by name: decorated and plain must agree each time."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.all: dict[str, Callable[[], Case]] = {}

    def case(self, make: Callable[[], Case]) -> Callable[[], Case]:
        self.all[make.__name__] = make
        return make

    def set_global(self, **values: Any) -> Callable[[], None]:
        return lambda: self.namespace.update(values)

    def test(self) -> Callable[..., None]:
        @pytest.mark.parametrize("engine", ["numpy", "native"])
        @pytest.mark.parametrize("name", self.all)
        def test_a_change_is_seen(name: str, engine: Any) -> None:
            kept = dict(self.namespace)
            made = self.all[name]()
            decorated = rt.function(made.f, engine=engine)
            seen = []
            try:
                for change in (lambda: None, *made.changes):
                    change()
                    for _ in range(2):
                        expected = observed(made.f, X)
                        got = observed(decorated, X)
                        assert got == expected
                    seen.append(expected)
                assert any(one != seen[0] for one in seen), "no change can be seen in plain Python"
            finally:
                for key in set(self.namespace) - set(kept):
                    del self.namespace[key]
                self.namespace.update(kept)

        return test_a_change_is_seen


def observed(f: Callable[..., Any], x: Any) -> tuple[Any, ...]:
    try:
        value = f(x)
    except Exception as error:
        return type(error), str(error)
    value = value.numpy() if isinstance(value, rt.Tensor) else value
    return type(value), getattr(value, "dtype", None), np.asarray(value).tolist()
