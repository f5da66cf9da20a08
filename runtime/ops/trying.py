"""What a staged ``try`` needs besides its blocks.

The ``try`` operation has a body and a handler. The handler's parameters are the exception and the values
that variables had when it was raised; ``landing(*values) {region}`` in the body says what those are from
there on.
"""

from __future__ import annotations

from typing import Any

from runtime.ops.definition import PURE, Effects, op
from runtime.ops.effects import no_output
from runtime.types import BOOL

op(
    "landing",  # run by the engines: the values go to the parameters of the handler of ``region``
    kernel=lambda *values, region: None,
    infer=no_output,
    native=None,
    effects=Effects(ordered=True, reads=False),
    samples=[],
    family="control flow",
)


def is_instance(value: Any, *, types: Any) -> bool:
    return isinstance(value, types)


op(
    "is_instance",
    kernel=is_instance,
    infer=lambda types_, types: BOOL,
    native=None,
    effects=PURE,
    samples=[],
    family="control flow",
)
