"""Records: classes of a few fields that never change; two are equal where their fields are.

>>> @record
... class Point:
...     x: int
...     y: int = 0
>>> Point(1), Point(1) == Point(1, 0), {Point(1): "here"}[Point(1)]
(Point(x=1, y=0), True, 'here')

They are dataclasses with slots. `dataclass(frozen=True)` writes and compiles six methods for each class,
which was a quarter of the time that loading the runtime took; here that is one, and the others are shared.
That nobody assigns to a field, the type checker says, as it does of a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def record(cls: type[T]) -> type[T]: ...
@overload
def record(*, slots: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T] | None = None, *, slots: bool = True) -> Any:
    """``slots=False``: instances have a ``__dict__``, for `cached_property`."""
    return _made(cls, slots) if cls is not None else lambda cls: _made(cls, slots)


def _made(cls: type[T], slots: bool) -> type[T]:
    own = set(vars(cls))
    if "__hash__" in own and vars(cls)["__hash__"] is None:  # Python's, of a class that has an `__eq__`
        own.remove("__hash__")
    made = dataclass(repr=False, eq=False, slots=slots)(cls)
    compared = _values([each.name for each in fields(made) if each.compare])  # type: ignore[arg-type]
    shown = [each.name for each in fields(made) if each.repr]  # type: ignore[arg-type]

    def __eq__(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or compared(self) == compared(other)

    def __hash__(self: Any) -> int:
        return hash(compared(self))

    def __repr__(self: Any) -> str:
        values = ", ".join([f"{name}={getattr(self, name)!r}" for name in shown])
        return f"{type(self).__qualname__}({values})"

    for method in (__eq__, __hash__, __repr__):
        if method.__name__ not in own:
            setattr(made, method.__name__, method)
    return made


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the fields of those names as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _: ()
    only = attrgetter(names[0])
    return lambda each: (only(each),)
