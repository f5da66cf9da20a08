"""What a ``range`` has besides its items, of bounds that only a run knows: Python makes a real one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.ops.definition import MAY_RAISE, Effects, none, op
from runtime.types import INT, Type

#: the attributes of a range, in the order of its bounds
PARTS = ("start", "stop", "step")


def _slice(start: int, stop: int, step: int, *cut: int, part: str, given: tuple[bool, ...]) -> int:
    numbers = iter(cut)
    parts = [next(numbers) if is_given else None for is_given in given]
    return getattr(range(start, stop, step)[slice(*parts)], part)


def _define(
    name: str, kernel: Callable[..., Any], result: Type, effects: Effects, samples: list[Any]
) -> None:
    op(
        f"range.{name}",
        kernel=kernel,
        infer=lambda types, **_: result,
        native=None,
        effects=effects,
        samples=samples,
        family="python range",
        vjp=none("whole numbers"),
    )


_define("getitem", lambda start, stop, step, k: range(start, stop, step)[k], INT, MAY_RAISE, [[0, 5, 2, -1]])
_define("slice", _slice, INT, MAY_RAISE, [[0, 9, 2, 1, -1, {"part": "stop", "given": (True, True, False)}]])
