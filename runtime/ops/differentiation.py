"""Where a program asks for derivatives: what a trace records, and `runtime/gradients/expand.py` replaces.

    x = identity(a)                      the values with respect to which: of their own, so that what comes to
    ... y is computed of x ...           `a` by other ways is no part of it
    dx = gradient(y, g, x) {results=1}   the adjoints of the x, given those of the results; `strict`: a result
                                         that depends on none of the x is an error
    watch() {mark}                       where `since` of a `gradient` is this mark, the derivative is that of
                                         what follows it, with respect to values that are there already
    record() {tape, on}                  between on=False and on=True of a tape all is constant to it
    y = leave(x)                         the same memory, `x.numpy()`: tapes do not follow what is read of it
    dy = tangent(y, x, t) {results=1}    the tangents of the results, given those of the x
    z = custom_gradient(y, x) {results=1}  the same values as y, whose adjoints the block takes,
    and gives those of x z = remat(y, x) {results=1}          the same values; what stands between
    is computed again
    when it is undone

>>> from runtime.ops import REGISTRY
>>> from runtime.types import FLOAT, parse_type
>>> print(REGISTRY["gradient"].infer((parse_type("f64"), parse_type("f64"), FLOAT), results=1)[0])
float
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.definition import BY_SWEEP, Effects, family, none
from runtime.types import Type

op = family("differentiation")


def _identity_effects(types: tuple[Type, ...]) -> Effects:
    return Effects(view_of=0, reads=False)


def _itself(types: tuple[Type, ...]) -> Type:
    return types[0]


op(
    "identity",
    lambda x: x,
    _itself,
    formula=lambda b, x: x,
    effects=_identity_effects,
    vjp=lambda g, y, x: (g,),
)

op(
    "leave",
    kernel=lambda x: x,
    infer=_itself,
    effects=_identity_effects,
    family="differentiation",
    vjp=lambda g, y, x: (g,),
)

op(
    "stop_gradient",  # of an array it is a copy
    lambda x: x.copy() if isinstance(x, np.ndarray) else x,
    _itself,
    formula=lambda b, x: x,
    vjp=none("rt.stop_gradient"),
)


def _never(*values: Any, **attributes: Any) -> Any:
    raise AssertionError("a derivative is to be expanded before a graph runs")


def _gradient_rule(
    types: tuple[Type, ...],
    results: int,
    strict: bool = True,
    since: object = None,
    tape: object = None,
    about: str = "",
) -> tuple[Type, ...]:
    return types[2 * results :]


def _results_rule(types: tuple[Type, ...], results: int, every: int | None = None) -> tuple[Type, ...]:
    return types[:results]


def _tangent_rule(types: tuple[Type, ...], results: int) -> tuple[Type, ...]:
    return types[:results]


def _watch_rule(types: tuple[Type, ...], mark: object) -> tuple[Type, ...]:
    return ()


def _record_rule(types: tuple[Type, ...], tape: object, on: bool) -> tuple[Type, ...]:
    return ()


for _name, _rule in (
    ("watch", _watch_rule),
    ("record", _record_rule),
    ("gradient", _gradient_rule),
    ("tangent", _tangent_rule),
    ("custom_gradient", _results_rule),
    ("remat", _results_rule),
):
    op(_name, _never, _rule, vjp=BY_SWEEP)
