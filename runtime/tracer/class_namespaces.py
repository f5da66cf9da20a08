"""What a class holds for the program: its attributes, but for the hooks of a trace."""

from __future__ import annotations

import threading
from typing import Any

#: held while hooks come and go, and by those who look at what a class has but for them
LOCK = threading.RLock()
#: what hooks of a trace stand for, by class and name
ORIGINALS: dict[type, dict[str, Any]] = {}
#: of a name that the class does not have
MISSING = object()


def namespace_of(cls: type) -> dict[str, Any]:
    """What a class holds, without the hooks of a trace, which another thread may just be removing."""
    with LOCK:
        found = dict(vars(cls))
        for name, original in ORIGINALS.get(cls, {}).items():
            if original is MISSING:
                found.pop(name, None)
            else:
                found[name] = original
        return found


def computes_attributes(cls: type) -> bool:
    """Has it a `__getattribute__` of its own?"""
    python_s = (object, BaseException)
    return any("__getattribute__" in namespace_of(base) for base in cls.__mro__ if base not in python_s)


def program_attribute(cls: type, name: str, default: Any = None) -> Any:
    """As ``class_attribute``, behind the hooks: a base that is watched hides nothing of another base's."""
    with LOCK:
        for base in cls.__mro__:
            found = ORIGINALS.get(base, {}).get(name, base.__dict__.get(name, MISSING))
            if found is not MISSING:
                return found
    return default
