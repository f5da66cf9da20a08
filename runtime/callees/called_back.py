"""Methods of a user's class that compiled code of a base class calls, where no trace sees it.

class Loud(collections.OrderedDict):
    def __setitem__(self, key, value):
        print(key)
        super().__setitem__(key, value)

Loud(a=x)                    # OrderedDict.__init__ calls Loud.__setitem__
"""

from __future__ import annotations

import collections
from typing import Any

from runtime.callees.acting_code import users_function
from runtime.objects.watched_classes import namespace_of
from runtime.tracer.trace import Trace

#: what the compiled methods of a class, or Python where it spreads one, call
_CALLED: dict[type, tuple[str, ...]] = {
    collections.OrderedDict: ("__setitem__", "keys"),
    collections.Counter: ("get",),
}
#: their `copy` calls the class
_COPIED = (collections.OrderedDict, collections.defaultdict, collections.deque)


def require_uncalled(trace: Trace, cls: type) -> None:
    """Refuse to make an instance of a class whose methods such code would call."""
    for base, names in _CALLED.items():
        if issubclass(cls, base):
            for name in names:
                if _is_own(cls, name, base):
                    raise _refuse(trace, cls, name, base)


def require_copied_plainly(trace: Trace, value: Any) -> None:
    """Refuse a copy that compiled code makes by calling the class, which has an `__init__` of its own."""
    cls = type(value)
    for base in _COPIED:
        if issubclass(cls, base) and _is_own(cls, "__init__", base):
            raise _refuse(trace, cls, "__init__", base)


def _is_own(cls: type, name: str, base: type) -> bool:
    held = next((namespace_of(one)[name] for one in cls.__mro__ if name in namespace_of(one)), None)
    return held is not namespace_of(base).get(name) and users_function(held) is not None


def _refuse(trace: Trace, cls: type, name: str, base: type) -> Exception:
    return trace.refuse(
        f"compiled code of {base.__name__} calls `{cls.__name__}.{name}` here, which no trace sees",
        "let the class be a kind of dict or of collections.UserDict",
    )
