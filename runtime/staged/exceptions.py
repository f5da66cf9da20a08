"""Exceptions that only a run knows, and their classes.

What a handler may ask of the exception that an operation raised by itself, a division by zero say: its class,
the name of that, its arguments, its cause and context. `str`, `repr` and `isinstance` are those of any staged
object.
"""

from __future__ import annotations

import sys
from typing import Any

from runtime.staged.objects import OPERATORS, StagedObject, refuse_methods
from runtime.staged.strings import StagedString
from runtime.tracer.builder import WRAPPERS, Staged, emit, is_hidden, refuse
from runtime.tracer.spec import Choice
from runtime.types import CLASS, EXCEPTION, INT, STR, ObjectType, Type


class _Answering(StagedObject):
    """Has answers for some special names only."""

    __slots__ = ()
    #: special names that Python reads of any object, or for which this one has an answer
    answered = names = frozenset[str]()

    def __getattribute__(self, name: str) -> Any:
        cls, is_special = type(self), name.startswith("__") and name.endswith("__")
        if name in cls.names:
            return emit("class.name", [self], name=name)
        if is_special and name not in cls.answered:
            raise self.unknown(f"reading `{name}` of")
        if is_hidden(cls, name, sys._getframe(1)):
            raise AttributeError(name)
        return super().__getattribute__(name)


class StagedException(_Answering):
    """An exception of the graph."""

    __slots__ = ()
    answered = frozenset(
        "__class__ __str__ __repr__ __format__ __setattr__ __cause__ __context__ __suppress_context__ "
        "__traceback__".split()
    )

    def unknown(self, what: str) -> Exception:
        return refuse(
            f"{what} an exception of which only a run knows what it holds",
            "ask for `str(error)`, or keep what the handler needs in a variable before the `raise`",
        )

    @property
    def args(self) -> tuple[Any, ...]:
        """Its arguments. What Python and NumPy raise by themselves has one, a text; a KeyError the key."""
        kind = emit("exception.kind", [self])
        values = [emit("exception.argument", [self], type=type) for type in (STR, INT)]
        return (Choice(kind, tuple(values)),)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in Staged.__slots__:
            object.__setattr__(self, name, value)
        else:
            trace: Any = self.builder
            trace.outside.handled.pop(self.value, None)  # it may hold anything from here on
            trace.emit_effect("store_attr", [self.value], value, name=name)


refuse_methods(StagedException, {name: f"asking `__{name}__` of" for name in [*OPERATORS, "delattr"]})


class RaisedByOperation(StagedException):
    """One that Python or NumPy raised by itself: its class is none of the user's."""

    __slots__ = ()


class StagedClass(_Answering):
    """The class of an exception of the graph."""

    __slots__ = ()
    answered = frozenset({"__class__", "__hash__"})
    names = frozenset({"__name__", "__qualname__", "__module__"})

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, type):
            other = self.builder.wrap(self.builder.constant(other, CLASS))
        return emit("is", [self, other]) if isinstance(other, StagedClass) else False

    def __ne__(self, other: Any) -> Any:
        return emit("py.not", [self == other])

    __hash__ = StagedObject.__hash__


_CLASSES: dict[Type, type[Staged]] = {STR: StagedString, EXCEPTION: StagedException, CLASS: StagedClass}
WRAPPERS[ObjectType] = lambda value, builder: _CLASSES.get(value.type, StagedObject)(value, builder)
