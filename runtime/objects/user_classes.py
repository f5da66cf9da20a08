"""What classes of the user's are to a trace."""

from __future__ import annotations

import sys
import types
from typing import Any

from autograph.loading import is_loaded
from runtime.ops.instances import can_be_remade, class_attribute, computes_attributes
from runtime.state import modules, variables

IMMUTABLE_TYPE = 1 << 8


def can_be_reference(cls: type) -> bool:
    """May its instances from outside be references, too, where a run finds them in something?"""
    state = [(variables, "Variable"), (modules, "Module")]
    if any(is_loaded(module) and issubclass(cls, getattr(module, name)) for module, name in state):
        return False  # what they hold is state, which a graph knows by itself
    return is_its_attributes(cls)


def is_its_attributes(cls: type) -> bool:
    """Is an instance its attributes, which are read where no code of the user's is asked first?"""
    if issubclass(cls, UnicodeError) or issubclass(cls, BaseException) and _makes_itself(cls):
        return False
    return can_be_remade(cls) and not computes_attributes(cls)


def _makes_itself(cls: type) -> bool:
    return isinstance(cls.__new__, types.FunctionType)


_UNSEEN_OF_METACLASSES = tuple(
    f"__{name}__" for name in "getattr getattribute instancecheck subclasscheck iter contains".split()
)


def unseen_of_metaclass(cls: type) -> str | None:
    """What Python asks for a class while our own code looks at it, too; or a descriptor of the user's."""
    for name, static in vars(cls).items():
        if name in _UNSEEN_OF_METACLASSES:
            return name
        if isinstance(getattr(type(static), "__get__", None), types.FunctionType):
            return name
    return None


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
