"""What classes of the user's are to a trace, and their descriptors.

The `__get__`, `__set__` and `__delete__` of a descriptor run converted.

>>> class Doubled:
...     def __get__(self, owner, cls=None):
...         return 2 * owner.x
>>> method_of(Doubled(), "__get__") is Doubled.__get__, method_of(property(), "__get__")
(True, None)
"""

from __future__ import annotations

import functools
import sys
import types
from typing import TYPE_CHECKING, Any

from autograph.config import is_excluded
from autograph.loading import is_loaded
from autograph.operators import Undefined, call
from runtime.guards.paths import Attribute, Constant, Item
from runtime.ops.instances import HEAP_TYPE, attributes, can_be_remade, class_attribute, computes_attributes
from runtime.state import variables

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


IMMUTABLE_TYPE = 1 << 8


def can_be_reference(cls: type) -> bool:
    """May its instances from outside be references, too, where a run finds them in something?"""
    if is_loaded(variables) and issubclass(cls, (variables.Variable, variables.Module)):
        return False  # what they hold is state, which a graph knows by itself
    return is_its_attributes(cls)


def is_its_attributes(cls: type) -> bool:
    """Is an instance its attributes, which are read where no code of the user's is asked first?"""
    if issubclass(cls, BaseException):
        if issubclass(cls, UnicodeError) or isinstance(cls.__new__, types.FunctionType):
            return False
    return can_be_remade(cls) and not computes_attributes(cls)


def require_plain_metaclass(trace: Trace, metaclass: Any) -> None:
    """Refuse a metaclass of the user's, which Python and our own code would ask unseen."""
    for base in getattr(metaclass, "__mro__", (metaclass,)):
        if not isinstance(base, type) or (base.__flags__ & HEAP_TYPE and not is_excluded(base.__module__)):
            raise trace.refuse(
                f"a class has the metaclass {base.__name__}, which is asked for what no trace sees",
                "use a class without it here, or keep it out of the decorated function",
                base.__name__,
            )


def missing(owner: Any, name: str) -> AttributeError:
    cls = type(owner)
    known = cls.__name__
    if sys.version_info >= (3, 13) and isinstance(class_attribute(cls, name), types.MemberDescriptorType):
        module = "" if cls.__module__ in ("builtins", "__main__") else f"{cls.__module__}."
        known = f"{module}{cls.__qualname__}"  # a slot without a value
    return AttributeError(f"{known!r} object has no attribute {name!r}", name=name, obj=owner)


def hashes_by_identity(cls: type) -> bool:
    """Does the class hash as `object` does?"""
    return class_attribute(cls, "__hash__") is object.__hash__


def is_slot(static: Any) -> bool:
    """Is it what `__slots__` makes?"""
    return isinstance(static, types.MemberDescriptorType)


def method_of(static: Any, name: str) -> types.FunctionType | None:
    """A method of a descriptor that the user wrote in Python."""

    method = class_attribute(type(static), name)
    if isinstance(method, types.FunctionType) and not is_excluded(method.__module__ or ""):
        return method
    return None


def computes(owner: Any, name: str, static: Any) -> bool:
    """Does a descriptor of the user's say what reading the attribute gives?"""
    if method_of(static, "__get__") is None:
        return False
    is_data = any(class_attribute(type(static), method) is not None for method in ("__set__", "__delete__"))
    return is_data or name not in attributes(owner)


def read_descriptor(outside: Any, owner: Any, name: str, static: Any) -> Any:
    """What the descriptor gives for ``owner.name``."""
    return call(method_of(static, "__get__"), _known(outside, owner, name, static), owner, type(owner))


def store_descriptor(outside: Any, owner: Any, name: str, value: Any, static: Any) -> bool:
    """Let a property or descriptor store the value, or delete where that is Undefined; False: it cannot."""
    deletes = isinstance(value, Undefined)
    given = () if deletes else (value,)
    if isinstance(static, property):
        change = static.fdel if deletes else static.fset
        if change is not None:
            call(change, owner, *given)
        return change is not None
    method = method_of(static, "__delete__" if deletes else "__set__")
    if method is not None:
        call(method, _known(outside, owner, name, static), owner, *given)
    return method is not None


def _known(outside: Any, owner: Any, name: str, static: Any) -> Any:
    """The descriptor as a part of the world outside, under a guard that the class still has it."""
    outside.definitions.guard_descriptor(type(owner), name, static)
    base = next(base for base in type(owner).__mro__ if name in vars(base))
    return outside.import_value(static, Item(Attribute(Constant(base, base.__name__), "__dict__"), name))


def require_namespace(owner: Any, static: functools.cached_property[Any]) -> None:
    """Complain, as Python does, of an object with no place for what `cached_property` computes."""
    if not type(owner).__dictoffset__:
        raise TypeError(
            f"No '__dict__' attribute on {type(owner).__name__!r} "
            f"instance to cache {static.attrname!r} property."
        )
