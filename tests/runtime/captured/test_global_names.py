"""`globals()` in a decorated function: names are read and looked for one by one, in each call."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt

READS = [
    "globals()['RATE'] * x",
    "globals().get('RATE', 0) * x",
    "globals().get('LATER', 7) * x",
    "('RATE' in globals(), 'LATER' in globals(), 3 in globals())",
    "globals() is globals()",
    "[globals()[name] for name in ('RATE', 'SIZE')]",
]
WHOLE = [
    "len(globals())",
    "list(globals())",
    "sorted(globals().items())",
    "{**globals()}",
    "globals().copy()",
]
CHANGES = ["globals().update(RATE=x)", "globals().setdefault('RATE', x)", "globals().pop('RATE')"]


def made(body: str) -> dict[str, Any]:
    source = f"RATE = 2\nSIZE = 4\ndef f(x):\n    {body}\n"
    namespace: dict[str, Any] = {"__name__": "mine"}
    exec(compile(source, autograph.register_source(source), "exec", dont_inherit=True), namespace)
    return namespace


@pytest.mark.parametrize("text", READS)
def test_reading(text: str) -> None:
    namespace = made(f"return {text}")
    plain, decorated = namespace["f"], rt.function(namespace["f"])
    for name, value in (("SIZE", 4), ("RATE", 3), ("LATER", 5), ("SIZE", 6), ("LATER", 8)):
        namespace[name] = value
        assert repr(decorated(1.5)) == repr(plain(1.5))
    del namespace["LATER"]
    assert repr(decorated(1.5)) == repr(plain(1.5))


@pytest.mark.parametrize("text", WHOLE)
def test_reading_all_is_refused(text: str) -> None:
    with pytest.raises(autograph.StagingError, match=re.escape("`globals()` is read as a whole")):
        rt.function(made(f"return {text}")["f"])(np.ones(2))


@pytest.mark.parametrize("text", [*CHANGES, "globals()['RATE'] = x"])
def test_changing_is_refused(text: str) -> None:
    namespace = made(text)
    with pytest.raises(
        autograph.StagingError, match=re.escape("`globals()` is changed, which no trace sees")
    ):
        rt.function(namespace["f"])(np.ones(2))
    assert namespace["RATE"] == 2


def test_a_function_of_a_library_that_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(n: float) -> Any:
        return math.sqrt(n) + n

    decorated = rt.function(program)
    assert decorated(4.0) == 6.0
    monkeypatch.setattr(math, "sqrt", lambda n: 0.5)
    assert decorated(4.0) == program(4.0) == 4.5
    monkeypatch.undo()
    assert decorated(4.0) == 6.0
