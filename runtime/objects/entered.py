"""A class whose instances are called by machine code, made with Python's own C API.

The instances of such a class have a word in which Python looks for the C function that a call goes to (PEP
590). As long as it is 0, a call goes to the ``__call__`` of the class. In a class they are methods as
functions are, where that is wanted: no bound method is made for ``thing.method(x)``.

>>> @with_entries
... class Product(Entered):
...     __slots__ = ("by",)
...     def __call__(self, x): return x * self.by
>>> double = Product()
>>> double.by = 2
>>> double(4), Product.__name__
(8, 'Product')
"""

from __future__ import annotations

import ctypes
import sys
import types
from typing import Any, TypeVar

C = TypeVar("C", bound=type)

_WORD = ctypes.sizeof(ctypes.c_void_p)
#: flags of classes, of Python's stable interface (object.h)
_DEFAULT, _BASETYPE = 1 << 18, 1 << 10
_HAVE_VECTORCALL, _METHOD_DESCRIPTOR = 1 << 11, 1 << 17
#: numbers of slots (typeslots.h), of a member that is a Py_ssize_t, and that it is read only (structmember.h)
_DESCR_GET, _MEMBERS = 54, 72
_SSIZE, _READONLY = 19, 1


class Entered:
    """``_chain``: what the C function of an instance needs, a tuple; or nothing."""

    __slots__ = ("_chain",)


#: where an instance has its chain: behind what every object has
CHAIN_AT = object.__basicsize__


class _Member(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


class _Slot(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_int), ("value", ctypes.c_void_p)]


class _Spec(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    ]


_words: dict[type, int] = {}  # by class: where its instances have the word
_kept: list[Any] = []  # what classes refer to by address


def are_possible() -> bool:
    """Does this Python let other threads run only where it is called, and check nothing for itself?

    A debug build asserts that a class with such a word says what a call is, which makes it call itself.
    """
    return (
        sys.implementation.name == "cpython"
        and not hasattr(sys, "gettotalrefcount")
        and "free-threading" not in sys.version
        and _WORD == 8
        and CHAIN_AT == 16
        and Entered.__basicsize__ == CHAIN_AT + _WORD
    )


def with_entries(cls: C, are_methods: bool = True) -> C:
    """A class like this one, its only subclass, whose instances can have an entry; the same class where
    that is not possible. ``are_methods``: an instance is a method of the class that has it."""
    if not are_possible():
        return cls
    get_slot = ctypes.pythonapi.PyType_GetSlot
    get_slot.restype, get_slot.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
    from_spec = ctypes.pythonapi.PyType_FromSpecWithBases
    from_spec.restype, from_spec.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object]
    at = cls.__basicsize__
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _SSIZE, at, _READONLY, None), _Member())
    bind = _Slot(_DESCR_GET, get_slot(types.FunctionType, _DESCR_GET)) if are_methods else _Slot(0, None)
    slots = (_Slot * 3)(_Slot(_MEMBERS, ctypes.addressof(members)), bind, _Slot(0, None))
    name = f"{cls.__module__}.{cls.__qualname__}".encode()
    flags = _DEFAULT | _BASETYPE | _HAVE_VECTORCALL  # of garbage: as its base does
    flags |= _METHOD_DESCRIPTOR if are_methods else 0
    spec = _Spec(name, at + _WORD, 0, flags, slots)
    made = from_spec(ctypes.addressof(spec), (cls,))
    _kept.extend((members, slots, spec, name))
    for part in {"__doc__", "__module__", "__annotations__"} & {*cls.__dict__}:
        setattr(made, part, cls.__dict__[part])
    made.__qualname__ = cls.__qualname__
    _words[made] = at
    return made


def can_be_entered(instance: object) -> bool:
    """Is it exactly of such a class? A subclass may call something else."""
    return type(instance) in _words


def set_entry(instance: Any, function: int) -> None:
    """The C function, by its address, that calls of the instance go to from now on; 0: ``__call__``."""
    ctypes.c_void_p.from_address(id(instance) + _words[type(instance)]).value = function
