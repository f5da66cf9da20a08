"""`globals()` in a decorated function is refused; a function of a library may be replaced."""

import math
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt

ASKS = [
    "globals()['RATE'] * x",
    "globals().get('RATE', 0) * x",
    "('RATE' in globals(), x)",
    "[len(globals()) for _ in (1, 2)]",
    "globals().update(RATE=x)",
]


@pytest.mark.parametrize("text", ASKS)
def test_all_names_at_once_are_refused(text):
    source = f"RATE = 2\nSIZE = 4\ndef f(x):\n    return {text}\n"
    namespace: dict[str, Any] = {"__name__": "mine"}
    exec(compile(source, autograph.register_source(source), "exec", dont_inherit=True), namespace)
    with pytest.raises(autograph.StagingError, match="all names at once"):
        rt.function(namespace["f"])(np.ones(2))
    assert namespace["RATE"] == 2


def test_a_function_of_a_library_that_is_replaced(monkeypatch):
    def program(n):
        return math.sqrt(n) + n

    decorated = rt.function(program)
    assert decorated(4.0) == 6.0
    monkeypatch.setattr(math, "sqrt", lambda n: 0.5)
    assert decorated(4.0) == program(4.0) == 4.5
    monkeypatch.undo()
    assert decorated(4.0) == 6.0
