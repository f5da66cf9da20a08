"""Names that may not be bound: a value that stands for "no value", and the guard before a read.

>>> bound(Undefined("y"))
Traceback (most recent call last):
UnboundLocalError: cannot access local variable 'y' where it is not associated with a value
"""

from __future__ import annotations

from typing import Any

from autograph.registry import NEVER_STAGED, claiming


class Undefined:
    """What a variable holds before its first assignment, or after `del`.

    One without a name stands in a variable that the conversion added: it is surely set before it is read.

    >>> Undefined("y")
    <undefined y>
    """

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


def bound(value: Any) -> Any:
    """`value`, unless the local variable it was read from is not bound: then Python's own error.

    >>> bound(3)
    3
    """
    kind = type(value)
    if kind is Undefined:
        raise UnboundLocalError(
            f"cannot access local variable '{value.name}' where it is not associated with a value"
        )
    if kind in NEVER_STAGED:
        return value
    stage = claiming(value)
    return value if stage is None else stage.bound(value)


def bound_free(value: Any) -> Any:
    """`bound`, for a variable of an enclosing function.

    >>> bound_free(Undefined("y"))
    Traceback (most recent call last):
    NameError: cannot access free variable 'y' where it is not associated with a value in enclosing scope
    """
    if type(value) is Undefined:
        raise NameError(
            f"cannot access free variable '{value.name}' where it is not associated with a value"
            " in enclosing scope",
            name=value.name,
        )
    stage = claiming(value)
    return value if stage is None else stage.bound_free(value)
