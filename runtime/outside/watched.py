"""The classes that a trace watches: those of the objects that it met or made."""

from __future__ import annotations

import builtins
import enum
import types
from typing import TYPE_CHECKING

from autograph.config import is_excluded
from runtime.objects import acting
from runtime.objects.user_classes import IMMUTABLE_TYPE, require_plain_metaclass
from runtime.ops.instances import HEAP_TYPE, class_attribute
from runtime.outside.aliases import Aliases
from runtime.outside.definitions import Definitions
from runtime.outside.known import Known

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

    def special_method(self, cls: type, name: str) -> types.FunctionType | None:
        """The special method that runs converted for instances of a class: a function of the user's."""
        if not cls.__flags__ & HEAP_TYPE:
            return None
        key = cls, name
        if key not in self._special:
            self._special[key] = self._find_special(cls, name)
        return self._special[key]

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
