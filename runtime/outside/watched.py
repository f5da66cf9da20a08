"""The classes that a trace watches: those of the objects that it met or made."""

from __future__ import annotations

import builtins
import enum
import types
from typing import TYPE_CHECKING, Any

from autograph.config import is_excluded
from runtime.calls import refusing
from runtime.objects import acting
from runtime.objects.user_classes import IMMUTABLE_TYPE, require_plain_metaclass
from runtime.ops.instances import HEAP_TYPE, class_attribute
from runtime.outside import opaque
from runtime.outside.aliases import Aliases
from runtime.outside.definitions import Definitions
from runtime.outside.known import Known
from runtime.tracer.builder import Staged

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


#: a tuple's own say what it holds, whatever a class of the user's has for them
OF_CONTENTS = ("__getitem__", "__iter__", "__contains__", "__eq__", "__ne__")


class WatchedClasses(Known):
    """What one trace knows of the world outside, and the classes that it watches there."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self._watched: dict[type, None] = {}  # in their order
        self._special: dict[tuple[type, str], types.FunctionType | None] = {}
        self._is_watched: dict[type, bool] = {}  # a class, or one of those that it inherits from
        self.aliases = Aliases(self)
        self.definitions = Definitions(self)

    def watch(self, cls: type) -> bool:
        """The trace has met instances of a class. False for one that is none of the user's."""
        if cls in self._watched:
            return True
        self.require_module(cls)
        if (
            not cls.__flags__ & HEAP_TYPE
            or cls.__flags__ & IMMUTABLE_TYPE
            or cls.__module__ in ("builtins", "typing")
        ):
            return False
        self.reach_class(cls)
        self._require_plain_reads(cls)
        self._watched[cls] = None
        self._is_watched.clear()
        self._special.clear()
        return True

    def special_method(self, value: Any, name: str) -> types.FunctionType | None:
        """The special method that runs converted where Python asks ``value`` for it: a function in Python.

        None where Python answers, of what the trace knows. What an object from outside answers by code that
        no trace sees is refused.
        """
        cls = type(value)
        method = None
        if cls.__flags__ & HEAP_TYPE:
            key = cls, name
            if key not in self._special:
                self._special[key] = self._find_special(cls, name)
            method = self._special[key]
        if method is None and self.answers_unseen(value, name):
            raise self.refuse_foreign(value, f"asked for its `{name}`")
        return method

    def answers_unseen(self, value: Any, *names: str) -> bool:
        """Has it been found outside, and has its class one of these methods, in C?"""
        if not self.is_foreign(value):
            return False
        held = [(class_attribute(type(value), name), getattr(object, name, None)) for name in names]
        return any(
            own is not None and own is not of_all and not isinstance(own, types.FunctionType)
            for own, of_all in held
        )

    def require_seen(self, value: Any, *names: str) -> None:
        """Refuse to ask an object from outside for what code answers that no trace sees."""
        for name in names:
            self.special_method(value, name)

    def is_foreign(self, value: Any) -> bool:
        """Was it found outside, and does nobody see what it holds?"""
        return self.is_outside(value) and not isinstance(value, Staged) and not opaque.is_guarded(value)

    def refuse_foreign(self, value: Any, what: str) -> Exception:
        return refusing.refuse_foreign(self.trace, value, what)

    def _find_special(self, cls: type, name: str) -> types.FunctionType | None:
        if not self._watched.keys() & {*cls.__mro__}:
            return None
        if issubclass(cls, tuple) and name in OF_CONTENTS:
            return None  # such methods only read: `acting.require_tuple_read_unseen`
        method = class_attribute(cls, name)
        if not isinstance(method, types.FunctionType) or hasattr(method, "__runtime_inline__"):
            return None
        return None if issubclass(cls, enum.Enum) and method.__module__ == "enum" else method

    def is_watched(self, cls: type) -> bool:
        """Are the attributes of its instances read and stored under the eyes of the trace?"""
        known = self._is_watched.get(cls)
        if known is None:
            seen = self._watched.keys() & {*cls.__mro__}
            known = self._is_watched[cls] = not all(issubclass(base, (type, tuple)) for base in seen)
        return known

    def _require_plain_reads(self, cls: type) -> None:
        """Refuse a `__getattribute__` that acts: Python, and our own code, asks it unseen."""
        method = class_attribute(cls, "__getattribute__")
        if isinstance(method, types.FunctionType) and acting.acts(method, cls):
            raise self.trace.refuse(
                f"`{method.__qualname__}` does more than to read, and each attribute asks it unseen",
                "count or log where the attribute is read, or use a property for it",
                cls.__name__,
            )

    def reach_class(self, cls: type) -> None:
        """Guard what a class holds as plain values, and remember it: nothing sees stores to a class."""
        self.require_module(cls)
        if type(cls).__module__ == "_ctypes":
            raise self.trace.refuse(
                f"the class {cls.__name__} is one of ctypes, whose objects are memory that no trace sees",
                "use a class of your own or an array, and fill the ctypes object outside of this function",
                cls.__name__,
            )
        if issubclass(cls, tuple) and cls not in self.classes.held:
            acting.require_tuple_read_unseen(self.trace, cls)
        for base in cls.__mro__:
            if (
                base not in self.classes.held
                and base.__flags__ & HEAP_TYPE
                and not is_excluded(base.__module__)
            ):
                self.definitions.reach(base, dict(vars(base)))
                self.classes.hold(base)
                if issubclass(base, tuple) or "__class_getitem__" in vars(base):
                    self.watch(base)
                require_plain_metaclass(self.trace, type(base))

    def require_module(self, cls: type) -> None:
        """Refuse a class of the user's that says it is one of Python's own: no guard would hold it."""
        changeable = cls.__flags__ & HEAP_TYPE and not cls.__flags__ & IMMUTABLE_TYPE
        if changeable and cls.__module__ == "builtins" and getattr(builtins, cls.__name__, None) is not cls:
            raise self.trace.refuse(
                f"the class {cls.__name__} was made by code whose globals have no `__name__`, and passes for "
                "one of Python's own",
                'put a "__name__" into the globals that exec gets: exec(code, {"__name__": "mine"})',
                cls.__name__,
            )
