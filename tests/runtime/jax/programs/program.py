"""Programs that mean the same in plain Python over NumPy and under JAX's transformations.

Each is a function with the arguments to try. `grad` says that it can be differentiated, in reverse mode,
with respect to its first argument; `forward` that it can only be in forward mode (a loop whose number of
iterations is known only at run time).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Program:
    function: Callable[..., Any]
    arguments: list[tuple[Any, ...]]
    grad: bool = False
    forward: bool = False

    def __repr__(self) -> str:
        return self.function.__name__


PROGRAMS: list[Program] = []
F = np.float32


def program(*arguments: Any, grad: bool = False, forward: bool = False) -> Any:
    def add(function: Any) -> Any:
        tuples = [a if isinstance(a, tuple) else (a,) for a in arguments]
        PROGRAMS.append(Program(function, tuples, grad, forward or grad))
        return function

    return add


NUMBERS = (F(-2.5), F(-0.3), F(0.4), F(3.7))
VECTOR = np.array([0.5, -1.5, 2.25, 3.0, -0.75], F)
LONG = np.linspace(-2, 3, 17).astype(F)
MATRIX = np.arange(12, dtype=F).reshape(3, 4) / 7 - 0.8
