"""Single numbers that NumPy's generators draw.

`rng.normal(scale=s)` is ``random.draw(rng, s)``, a call of ``Generator.normal(rng, 0.0, s)``: all its numbers
in their order, those that the program left out among them. Draws of arrays, and from distributions that are
not in DRAWS, are a ``call``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from runtime.ops.definition import op, refused
from runtime.ops.effects import ORDERED, run_call

#: class and method -> the parameters, with what they are where nothing is given
DRAWS: dict[tuple[type, str], dict[str, Any]] = {
    (np.random.Generator, "random"): {},
    (np.random.Generator, "uniform"): {"low": 0.0, "high": 1.0},
    (np.random.Generator, "standard_normal"): {},
    (np.random.Generator, "normal"): {"loc": 0.0, "scale": 1.0},
    (np.random.Generator, "standard_exponential"): {},
    (np.random.Generator, "exponential"): {"scale": 1.0},
    (np.random.Generator, "integers"): {"low": None, "high": None},
    (np.random.RandomState, "random"): {},
    (np.random.RandomState, "random_sample"): {},
    (np.random.RandomState, "rand"): {},
    (np.random.RandomState, "uniform"): {"low": 0.0, "high": 1.0},
}


def numbers_of(
    cls: type, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, ...] | None:
    """The numbers of a draw in their order; None where it is no draw of one number.

    >>> numbers_of(np.random.Generator, "normal", (), {"scale": 2})
    (0.0, 2)
    >>> numbers_of(np.random.Generator, "integers", (6,), {})
    (0, 6)
    >>> numbers_of(np.random.Generator, "normal", (), {"size": 3}) is None
    True
    """
    known = DRAWS.get((cls, name))
    if known is None or len(args) > len(known) or not set(kwargs) <= set(known) - set([*known][: len(args)]):
        return None
    found = tuple({**known, **dict(zip(known, args, strict=False)), **kwargs}.values())
    if name == "integers":
        found = (0, found[0]) if found[1] is None else found
        return None if found[0] is None else found
    return found


op(
    "random.draw",  # function: a method of a class; template: ((the generator, *numbers), {})
    run_call,
    lambda types, function, template, outputs: outputs,
    ORDERED,
    [],
    family="effect",
    lowered=("draw",),
    vjp=lambda g, y, *inputs, **_: refused("a call of code that the graph does not know"),
)
