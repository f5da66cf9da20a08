"""What classes of the user's are to a trace."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from autograph.config import is_excluded
from autograph.loading import is_loaded
from runtime.ops.instances import HEAP_TYPE, can_be_remade, class_attribute, computes_attributes
from runtime.state import modules, variables

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

IMMUTABLE_TYPE = 1 << 8


def can_be_reference(cls: type) -> bool:
    """May its instances from outside be references, too, where a run finds them in something?"""
    state = [(variables, "Variable"), (modules, "Module")]
    if any(is_loaded(module) and issubclass(cls, getattr(module, name)) for module, name in state):
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
