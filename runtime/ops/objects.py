"""Objects of the user's classes, as a run makes them.

>>> from runtime.ops import REGISTRY
>>> from runtime.ops.template import Hole, Template
>>> class Point:
...     pass
>>> REGISTRY["object.new"].kernel(2.5, cls=Point, template=Template({"x": Hole(0)})).x
2.5
"""

from __future__ import annotations

import operator
from typing import Any

from runtime.instances import remake
from runtime.ops.definition import PURE, Effects, op
from runtime.ops.template import Template
from runtime.types import BOOL, OBJECT


def make_object(cls: type, held: dict[str, Any]) -> Any:
    return remake(cls, held)


op(
    "object.new",  # template: a dict of its attributes
    kernel=lambda *values, cls, template: make_object(cls, template.fill(values)),
    infer=lambda types, cls, template: OBJECT,
    native=None,
    effects=Effects(ordered=True),  # each run of it makes another object
    samples=[],
    family="effect",
)

op(
    "is",
    kernel=operator.is_,
    infer=lambda types: BOOL,
    native=None,
    effects=PURE,
    samples=[],
    family="object",
)

__all__ = ["Template", "make_object"]
