"""Records: classes of a few fields. Two are equal where their fields are.

>>> @record
... class Point:
...     x: int
...     y: int = 0
>>> Point(1), Point(1) == Point(1, 0), {Point(1): "here"}[Point(1)]
(Point(x=1, y=0), True, 'here')

They are dataclasses with slots, of which what `dataclass` does is done when it is used: an ``__init__`` is
compiled where there are many instances, and the fields are found when `dataclasses.replace` asks for them.
Doing that for each class at its import was a sixth of the time of a first call. That nobody assigns to a
field, the type checker says, as it does of a frozen dataclass.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")

#: an `__init__` is compiled in the time in which so many instances are made without it
FEW = 50


@overload
def record(cls: type[T]) -> type[T]: ...
@overload
def record(*, slots: bool = True, frozen: bool = True, eq: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T] | None = None, *, slots: bool = True, frozen: bool = True, eq: bool = True) -> Any:
    """``slots=False``: instances have a ``__dict__``, for `cached_property`. ``frozen=False``: fields may be
    assigned to. ``eq=False``: two are equal where they are the same object."""
    make = lambda each: _made(each, slots, frozen, eq)
    return make if cls is None else make(cls)


def _made(cls: type[Any], slots: bool, frozen: bool, eq: bool) -> type[Any]:
    annotations = cls.__annotations__ if sys.version_info >= (3, 14) else vars(cls).get("__annotations__", {})
    own = {
        name: vars(cls).get(name, MISSING)
        for name, kind in annotations.items()
        if not str(kind).startswith("ClassVar")
    }
    fields = {**getattr(cls, "_record_fields", {}), **own}
    # as the class was written, for `dataclass`
    written = {
        "__annotations__": dict(annotations),
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__name__,  # or `dataclass` makes one of the signature
    }
    written |= {name: default for name, default in own.items() if default is not MISSING}
    if hasattr(cls, "__post_init__"):
        written["__post_init__"] = cls.__post_init__
    asked = _Asked(cls.__name__, cls.__bases__, written)
    for name, default in own.items():
        if default is not MISSING and (slots or isinstance(default, Field)):
            delattr(cls, name)
        if isinstance(default, Field) and default.default is not MISSING and not slots:
            setattr(cls, name, default.default)
    made = _with_slots(cls, own) if slots else cls
    for name, value in {
        "_record_fields": fields,
        "__match_args__": tuple(fields),
        "__dataclass_fields__": asked,
        "__init__": _first_init(asked, fields),
        **_methods(fields, frozen, eq),
    }.items():
        if vars(cls).get(name) is None:  # Python's own `__hash__`, of a class that has an `__eq__`, is None
            setattr(made, name, value)
    asked.made = made
    return made


def _with_slots(cls: type[Any], own: dict[str, Any]) -> type[Any]:
    inherited = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
    namespace = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
    namespace["__slots__"] = tuple([name for name in own if name not in inherited])
    made = type(cls)(cls.__name__, cls.__bases__, namespace)  # type: ignore[misc]
    made.__qualname__ = cls.__qualname__
    return made


class _Asked:
    """The class as `dataclass` makes it, when somebody asks."""

    made: type[Any]

    def __init__(self, name: str, bases: tuple[type[Any], ...], written: dict[str, Any]) -> None:
        self.name, self.bases, self.written = name, bases, written
        self._dataclass: Any = None

    def dataclass(self) -> Any:
        if self._dataclass is None:
            known = [vars(base).get("__dataclass_fields__") for base in self.bases]
            bases = [asked.dataclass() for asked in known if isinstance(asked, _Asked)]
            self._dataclass = dataclass(init=False, repr=False, eq=False)(
                type(self.name, (*bases,), self.written)
            )
        return self._dataclass

    def __get__(self, instance: Any, owner: Any) -> Any:
        """Stands for ``__dataclass_fields__``."""
        return self.dataclass().__dataclass_fields__


def _first_init(asked: _Asked, fields: dict[str, Any]) -> Callable[..., None]:
    """The ``__init__`` of the first instances, and of wrong calls."""
    given = [name for name, default in fields.items() if not isinstance(default, Field) or default.init]
    has_more = len(given) < len(fields) or "__post_init__" in asked.written
    made = 0

    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:
        nonlocal made
        made += 1
        if len(args) == len(fields) and not kwargs and not has_more and made <= FEW:
            for name, value in zip(given, args, strict=True):
                setattr(self, name, value)
            return
        values = {**dict(zip(given, args)), **kwargs}  # noqa: B905  what is too much is seen below
        is_right = len(values) == len(args) + len(kwargs) and kwargs.keys() <= set(given)
        if made <= FEW and is_right and _fill(self, fields, values):
            return
        init = _init_of(asked.made, fields)
        if asked.made.__init__ is __init__:
            asked.made.__init__ = init
        init(self, *args, **kwargs)

    return __init__


def _fill(made: Any, fields: dict[str, Any], values: dict[str, Any]) -> bool:
    """Set the fields of an instance; False where a value is missing."""
    for name, default in fields.items():
        if name in values:
            setattr(made, name, values[name])
            continue
        if isinstance(default, Field):
            factory, default = default.default_factory, default.default
            if factory is not MISSING:
                default = factory()
        if default is not MISSING:
            setattr(made, name, default)
        elif not isinstance(fields[name], Field) or fields[name].init:
            return False
    if hasattr(made, "__post_init__"):
        made.__post_init__()
    return True


def _init_of(cls: type[Any], fields: dict[str, Any]) -> Callable[..., None]:
    """As `dataclass` writes it. (That one may be the module that is being converted.)"""
    given, body = ["self"], []
    scope: dict[str, Any] = {"MISSING": MISSING}
    for name, default in fields.items():
        factory = default.default_factory if isinstance(default, Field) else MISSING
        value = default.default if isinstance(default, Field) else default
        is_given = not isinstance(default, Field) or default.init
        if factory is not MISSING:
            scope[f"make_{name}"] = factory
            body.append(f"self.{name} = make_{name}()" + f" if {name} is MISSING else {name}" * is_given)
            given += [f"{name}=MISSING"] * is_given
        elif is_given:
            scope[f"default_{name}"] = value
            given.append(name if value is MISSING else f"{name}=default_{name}")
            body.append(f"self.{name} = {name}")
        elif value is not MISSING:
            scope[f"default_{name}"] = value
            body.append(f"self.{name} = default_{name}")
    body += ["self.__post_init__()"] * hasattr(cls, "__post_init__")
    text = f"def __init__({', '.join(given)}):\n    " + "\n    ".join(body or ["pass"])
    exec(compile(text, __file__, "exec"), scope)  # no frame of the user's
    init: Any = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    return init


def _methods(fields: dict[str, Any], frozen: bool, eq: bool) -> dict[str, Any]:
    compared = _values(
        [n for n, default in fields.items() if not isinstance(default, Field) or default.compare]
    )
    shown = [n for n, default in fields.items() if not isinstance(default, Field) or default.repr]

    def __repr__(self: Any) -> str:
        values = ", ".join([f"{name}={getattr(self, name)!r}" for name in shown])
        return f"{type(self).__qualname__}({values})"

    def __eq__(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or compared(self) == compared(other)

    def __hash__(self: Any) -> int:
        return hash(compared(self))

    if not eq:
        return {"__repr__": __repr__}
    return {"__repr__": __repr__, "__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the fields of those names as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda _: ()
    only = attrgetter(names[0])
    return lambda each: (only(each),)
