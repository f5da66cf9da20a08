"""Methods of a user's class that compiled code of a base class calls, where no trace sees it: refused.

class Loud(collections.OrderedDict):
    def __setitem__(self, key, value):
        print(key)
        super().__setitem__(key, value)

Loud(a=x)                    # OrderedDict.__init__ calls Loud.__setitem__
"""

from __future__ import annotations

from runtime.callees.acting_code import users_function
from runtime.callees.allowed import Callee, entry_of
from runtime.objects.watched_classes import class_attribute
from runtime.ops.instances import is_library
from runtime.tracer.trace import Trace


def require_uncalled(trace: Trace, cls: type) -> None:
    """Refuse to make an instance of a class whose methods such code would call."""
    for base in cls.__mro__[1:]:
        entry = entry_of(base)
        if entry is not None and entry.methods:
            require_plain(trace, entry, cls, "__init__")


def require_plain(trace: Trace, entry: Callee, cls: type, called: str) -> None:
    """Refuse to call a method that calls methods of this class that are the user's."""
    for name in entry.methods:
        if users_function(class_attribute(cls, name)) is not None:
            base = next(one for one in cls.__mro__ if called in vars(one) and is_library(one.__module__))
            raise trace.refuse(
                f"compiled code of {base.__name__} calls `{cls.__name__}.{name}` here, which no trace sees",
                "let the class be a kind of dict or of collections.UserDict",
            )
