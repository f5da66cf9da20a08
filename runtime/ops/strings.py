"""Strings that are known only at run time: joining and comparing them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from runtime.ops.definition import PURE, op
from runtime.types import BOOL, STR, Type


def _rule(name: str, result: Type) -> Callable[..., Type]:
    def infer(types: tuple[Type, ...]) -> Type:
        if any(t != STR for t in types):
            raise TypeError(f"{name} takes strings, not {' and '.join(map(str, types))}")
        return result

    return infer


def string_op(name: str, kernel: Callable[..., Any], result: Type) -> None:
    op(
        name,
        kernel=kernel,
        infer=_rule(name, result),
        native=None,
        effects=PURE,
        samples=[],
        family="string",
    )


string_op("str.add", operator.add, STR)
string_op("str.eq", operator.eq, BOOL)
