"""Instances of the user's classes that a trace makes: their attributes, and how a run makes them again.

>>> class Point:
...     __slots__ = ("x", "y")
>>> point = remake(Point, {"x": 1, "y": 2})
>>> attributes(point)
{'x': 1, 'y': 2}
"""

from __future__ import annotations

import collections
import enum
import functools
import sys
import types
import weakref
from collections.abc import Iterable
from typing import Any

from runtime.ops import attribute_places

HEAP_TYPE = 1 << 9


def can_be_remade(cls: type) -> bool:
    """Is an instance of this class its attributes, and nothing else?

    Subclasses of list or ndarray hold more; a class with ``__del__`` sees how often it is made.
    """
    if issubclass(cls, enum.Enum | BaseExceptionGroup | type) or hasattr(cls, "__del__"):
        return False
    return holds_attributes_only(cls)


def holds_attributes_only(cls: type) -> bool:
    """Is there nothing of a builtin class in an instance: no items, no number?"""
    return all(
        base is object or base.__flags__ & HEAP_TYPE or issubclass(base, BaseException)
        for base in cls.__mro__
    )


_ATOMS = frozenset({bool, int, float, complex, str, bytes, type(None)})


def are_atoms(items: Iterable[Any]) -> bool:
    """Does none of them refer to anything else?

    >>> are_atoms([1, 2.5, "a", None]), are_atoms([1, (2,)])
    (True, False)
    """
    return _ATOMS.issuperset(map(type, items))


def is_user_instance(value: Any) -> bool:
    """An object whose class was written in Python, outside the standard library; or an exception."""
    cls = type(value)
    if issubclass(cls, BaseException):
        return True
    if not cls.__flags__ & HEAP_TYPE or is_library(cls.__module__):
        return False
    if issubclass(cls, tuple | enum.Enum):
        return False
    return any(slot_members(cls)) or has_dict(value)


def is_library(module: str) -> bool:
    return module.split(".")[0] in sys.stdlib_module_names and module != "__main__"


#: by class: those of an ordinary metaclass, whose slots cannot change
_known_members: weakref.WeakKeyDictionary[type, dict[str, Any]] = weakref.WeakKeyDictionary()


def slot_members(cls: type) -> dict[str, Any]:
    """The descriptors of ``__slots__``."""
    if type(cls) is not type:
        return _find_members(cls)
    known = _known_members.get(cls)
    if known is None:
        known = _known_members[cls] = _find_members(cls)
    return known


def _find_members(cls: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base is collections.defaultdict:  # its factory goes by a way of its own
            continue
        found |= {
            name: member
            for name, member in vars(base).copy().items()
            if type(member) is types.MemberDescriptorType and base.__flags__ & HEAP_TYPE
        }
    return found


def attributes(instance: Any) -> dict[str, Any]:
    """What the instance holds now: its ``__dict__`` and its slots; of an exception its arguments, too."""
    if isinstance(instance, BaseException):
        return exception_attributes(instance)
    found = attribute_places.values_beside(instance)
    if found is None:
        found = dict(object.__getattribute__(instance, "__dict__")) if has_dict(instance) else {}
    return found | _slots(instance)


def _slots(instance: Any) -> dict[str, Any]:
    """What the slots of the instance hold that have a value."""
    found = {}
    for name, member in slot_members(type(instance)).items():
        try:
            found[name] = member.__get__(instance)
        except AttributeError:
            continue
    return found


def instance_dict(target: Any) -> dict[str, Any]:
    """The ``__dict__`` of an object, past the user's methods."""
    found: dict[str, Any] = object.__getattribute__(target, "__dict__")
    return found


def has_dict(instance: Any) -> bool:
    if attribute_places.has_dict(type(instance)):
        return True  # which is not made for the question
    try:
        object.__getattribute__(instance, "__dict__")
    except AttributeError:
        return False
    return True


def attribute(instance: Any, name: str, default: Any) -> Any:
    """One attribute of the instance itself, or ``default``; no code of the user's runs."""
    if isinstance(instance, BaseException) or any(name in vars(base) for base in type(instance).__mro__):
        return attributes(instance).get(name, default)
    try:
        return object.__getattribute__(instance, name)
    except AttributeError:
        return default


def set_attribute(instance: Any, name: str, value: Any) -> None:
    """The instance itself holds this from now on; no code of the user's runs."""
    if is_hidden(type(instance), name) and has_dict(instance):
        object.__getattribute__(instance, "__dict__")[name] = value
    else:
        object.__setattr__(instance, name, value)


def is_hidden(cls: type, name: str) -> bool:
    """Does a data descriptor written in Python come before what the instance holds under this name?"""
    static = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    kinds = (types.MemberDescriptorType, types.GetSetDescriptorType)
    return static is not None and hasattr(type(static), "__set__") and not isinstance(static, kinds)


def delete_attribute(instance: Any, name: str) -> None:
    if name not in attributes(instance):
        return
    if isinstance(instance, BaseException) and name == "args":
        object.__setattr__(instance, "args", ())
    elif isinstance(instance, BaseException) and name in _FIELDS and name not in vars(instance):
        object.__setattr__(instance, name, False if name == "__suppress_context__" else None)
    elif is_hidden(type(instance), name) and has_dict(instance):
        del object.__getattribute__(instance, "__dict__")[name]
    else:
        object.__delattr__(instance, name)


def remake(cls: type, held: dict[str, Any]) -> Any:
    """A new instance with these attributes; ``__init__`` does not run."""
    real = real_class(cls)
    if real is not cls:
        return real(**held)
    if issubclass(cls, BaseException):
        return remake_exception(cls, held)
    made: Any = object.__new__(cls)
    for name, value in held.items():
        set_attribute(made, name, value)
    return made


def real_class(cls: type) -> type:
    """The class of what a run has for an instance of the trace of class ``cls``.

    A class that stands for another one while a trace runs names it as ``_stands_for``.
    """
    return cls.__dict__.get("_stands_for", cls)


#: classes whose subclasses are a value, besides their attributes; what gives that without the user's methods
_VALUE_READERS: dict[type, Any] = {
    int: int.__int__,
    float: float.__float__,
    complex: complex.__complex__,
    str: str.__str__,
    bytes: bytes.__bytes__,
}
VALUES = tuple(_VALUE_READERS)


def plain_value(instance: Any) -> Any:
    """The number or the text that an instance of a subclass is.

    >>> plain_value(type("Odd", (int,), {"__int__": lambda self: 7})(3))
    3
    """
    return next(read(instance) for kind, read in _VALUE_READERS.items() if isinstance(instance, kind))


# -- exceptions ------------------------------------------------------------------------------------------

#: attributes that builtin exceptions keep outside their ``__dict__``, and beside their ``args``
_FIELDS = (
    "name", "obj", "path", "name_from", "code", "value", "errno", "strerror", "filename", "filename2",
    "encoding", "object", "start", "end", "reason",
    "msg", "lineno", "offset", "text", "end_lineno", "end_offset", "print_file_and_line",
    "__suppress_context__",
)  # fmt: skip


def exception_attributes(error: BaseException) -> dict[str, Any]:
    """The arguments, the ``__dict__``, the slots and the fields of an exception.

    >>> exception_attributes(KeyError("k"))
    {'args': ('k',)}
    """
    found = {"args": vars(BaseException)["args"].__get__(error)}
    found |= object.__getattribute__(error, "__dict__")
    cls = type(error)
    if cls.__flags__ & HEAP_TYPE:
        found |= _slots(error)
    for name, field in _fields(cls):
        if name not in found:
            value = field.__get__(error)
            if value is not None and value is not False:
                found[name] = value
    return found


#: by class of Python's own, which never changes
_known_fields: dict[type, tuple[tuple[str, Any], ...]] = {}


def _fields(cls: type) -> tuple[tuple[str, Any], ...]:
    if cls in _known_fields:
        return _known_fields[cls]
    held = [(n, next((vars(base)[n] for base in cls.__mro__ if n in vars(base)), None)) for n in _FIELDS]
    kinds = types.MemberDescriptorType | types.GetSetDescriptorType
    found = tuple([(name, field) for name, field in held if isinstance(field, kinds)])
    if not cls.__flags__ & HEAP_TYPE:
        _known_fields[cls] = found
    return found


def holds_only_arguments(cls: type[BaseException]) -> bool:
    """Do its exceptions hold no fields of Python's own beside their arguments?"""
    if isinstance(cls.__new__, types.FunctionType):
        return False
    return [name for name, _ in _fields(cls)] == ["__suppress_context__"]


def remake_exception(cls: type[BaseException], held: dict[str, Any]) -> BaseException:
    """A new exception with these attributes. A user's own ``__init__`` is not run: it may have effects."""
    args = held.get("args", ())
    made = cls.__new__(cls, *args)
    if cls.__init__ in builtin_inits():
        cls.__init__(made, *args)  # OSError, UnicodeError: fields made from the arguments
    for name, value in held.items():
        object.__setattr__(made, name, value)
    return made


@functools.cache
def builtin_inits() -> frozenset[Any]:
    """The ``__init__`` of the exceptions of Python itself."""
    return frozenset(_inits_of(BaseException))


def _inits_of(cls: type[BaseException]) -> set[Any]:
    found = {cls.__init__}
    for sub in cls.__subclasses__():
        if sub.__module__ == "builtins":
            found |= _inits_of(sub)
    return found


def class_attribute(cls: type, name: str, default: Any = None) -> Any:
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return default


def computes_attributes(cls: type) -> bool:
    """Has it a `__getattribute__` of its own?"""
    python_s = (object, BaseException)
    return any("__getattribute__" in vars(base) for base in cls.__mro__ if base not in python_s)


def rebuild(cls: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """The inverse of ``parts``. A user's own ``__init__`` is not run again."""
    return remake_exception(cls, {"args": args, **attributes})


def parts(error: BaseException) -> tuple[type[BaseException], tuple[Any, ...], dict[str, Any]]:
    """The class, the arguments and the attributes from which ``rebuild`` makes an equal exception."""
    attributes = exception_attributes(error)
    return type(error), attributes.pop("args"), attributes
