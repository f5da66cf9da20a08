"""Where containers are made and read, in code that was converted for a stage that asked to see it.

On plain values, and for a stage that declines, each does what the expression does.

>>> items = made([1, 2])
>>> get_item(items, slice(1, None)), plus(items, [3]), equal(items, [1, 2])
([2], [1, 2, 3], True)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.staging import active_stage


def made(container: Any) -> Any:
    """A list, dict or set that was just made: nobody else holds it yet."""
    stage = active_stage()
    return container if stage is None else stage.made(container)


def get_item(container: Any, key: Any) -> Any:
    """`container[key]`."""
    stage = active_stage()
    if stage is not None:
        result = stage.get_item(container, key)
        if result is not NotImplemented:
            return result
    return container[key]


def _binary(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def operate(a: Any, b: Any) -> Any:
        stage = active_stage()
        if stage is not None:
            result = stage.container_operator(function, a, b)
            if result is not NotImplemented:
                return result
        return function(a, b)

    operate.__name__ = operate.__qualname__ = function.__name__
    operate.__doc__ = f"`operator.{function.__name__}(a, b)`, where either may be a container."
    return operate


plus = _binary(operator.add)
times = _binary(operator.mul)
equal = _binary(operator.eq)
not_equal = _binary(operator.ne)
in_place_plus = _binary(operator.iadd)
in_place_times = _binary(operator.imul)
