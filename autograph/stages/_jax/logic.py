"""`in`, `is`, and reading a variable that may be unbound.

>>> contains(2, [1, 2, 3])
True
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from autograph.errors import StagingError, error_at_frame
from autograph.operators import Undefined
from autograph.operators import bound as bound_as_python
from autograph.stages._jax.branches import truth
from autograph.stages._jax.choices import Choice, known, simplified
from autograph.stages._jax.filtered import Filtered
from autograph.stages._jax.tracing import is_array, is_staged

_LONG_RANGE = 64
_COLLECTIONS = (list, tuple, dict, set, frozenset, range)


def contains(item: Any, container: Any) -> Any:
    """`item in container`."""
    container = known(container)
    if isinstance(item, Choice) and item.is_plain() and isinstance(container, _COLLECTIONS):
        if not any(is_staged(other) or isinstance(other, Choice) for other in container):
            return item.is_option(lambda option: option in container)
    item = known(item)
    if isinstance(container, Filtered):
        return container.fold(False, lambda found, other: jnp.logical_or(found, truth(item == other)))
    if is_array(container):
        return jnp.any(container == item)
    if isinstance(container, range) and len(container) > _LONG_RANGE:
        raise error_at_frame(StagingError, "`in` a long range is not staged", hint="compare with its bounds")
    if not isinstance(container, _COLLECTIONS):
        raise error_at_frame(
            StagingError,
            f"`in` a {type(container).__name__} is not supported for a staged value",
            hint="use an array, a tuple or a list",
        )
    answers = [True if item is other else truth(item == other) for other in container]
    staged = [answer for answer in answers if is_staged(answer)]
    if any(answer for answer in answers if not is_staged(answer)):
        return True
    return jnp.any(jnp.stack(staged)) if staged else False


def identical(a: Any, b: Any) -> Any:
    """`a is b`."""
    a, b = simplified(a), simplified(b)
    if a is b:
        return True
    for choice, other in ((a, b), (b, a)):
        if isinstance(choice, Choice):
            if isinstance(other, Choice) or is_staged(other):
                raise error_at_frame(
                    StagingError, "`is` between staged values is not supported", hint="compare with =="
                )
            return choice.is_option(lambda option: option is other)
    if isinstance(a, bool) or isinstance(b, bool):
        raise error_at_frame(
            StagingError,
            "whether a staged truth value is the object `True` or `False` is not known",
            hint="test it itself: `if positive:`, or in a `match`, which asks for that object, a guard: "
            "`case positive if positive:`",
        )
    return False


def bound(value: Any) -> Any:
    """The value of a variable that may be unbound."""
    if not isinstance(value, Choice):
        return value
    options = [value.options[k] for k in value.possible()]
    unbound = [option for option in options if isinstance(option, Undefined)]
    if len(unbound) == len(options):
        return bound_as_python(options[0])
    if unbound:
        raise value.unknown(value.possible())
    return simplified(value)
