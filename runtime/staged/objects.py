"""Staged Python objects: strings and others that are known only at run time. They can be passed on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from autograph.code_objects import is_converted_code
from autograph.errors import is_standard_library
from autograph.operators import call
from autograph.records import record
from runtime.ops.operators import METHODS
from runtime.tracer.builder import Staged, current, refuse

#: modules of Python's library that show values to people
_SHOWING = frozenset({"bdb", "pdb", "cmd", "code", "reprlib", "traceback", "doctest", "unittest"})


@record(slots=False, eq=False)
class MethodOfMade:
    """``rng.normal`` of an ``rng`` that the run makes; calls are staged (calls/run_time_calls.py)."""

    owner: StagedObject
    __name__: str

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return call(self, *args, **kwargs)


class StagedObject(Staged):
    """A Python object of the graph. It can be printed, formatted, stored and returned."""

    __slots__ = ()
    boxed = False

    def unknown(self, what: str) -> Exception:
        """What to raise where an answer hangs on the class, of which this is not an instance."""
        return refuse(
            f"{what} a Python object known only at run time ({self.type}) cannot be staged",
            "do this outside the decorated function, or make the object a plain argument",
        )

    def __getattr__(self, name: str) -> Any:
        dunder = name.startswith("__") and name.endswith("__")
        if dunder and not any(is_converted_code(sys._getframe(k).f_code) for k in (1, 2)):
            raise AttributeError(name)  # a protocol of Python's asks
        if str(self.type) in ("Generator", "RandomState"):  # of random numbers, which the run made
            cls = getattr(np.random, str(self.type))
            if not hasattr(cls, name):
                raise AttributeError(f"'{cls.__module__}.{cls.__name__}' object has no attribute '{name}'")
            if callable(getattr(cls, name)):
                return MethodOfMade(self, name)
        raise self.unknown(f"reading `{name}` of")

    def __repr__(self) -> str:
        return text_about(self, f"<a staged {self.type}>")


def text_about(value: Staged, text: str) -> str:
    """``text`` for people who look at a staged value, in a debugger say; not for the program itself."""
    frame = sys._getframe(2)
    module = (frame.f_globals.get("__name__") or "").partition(".")[0]
    file = frame.f_code.co_filename
    # the user's code, or such as Python's library has for it: `UserList.__repr__`
    of_library = is_standard_library(file) and module not in _SHOWING
    asks = is_converted_code(frame.f_code) or file == "<string>" or of_library
    if asks and current() is value.builder:
        raise refuse(
            "the text of a list, an object or another thing that holds staged values is asked for",
            "print it, or write it into an f-string",
        )
    return text


class Unreadable:
    """Stands for an attribute of a class that cannot be read in a trace: whoever uses it is refused."""

    def __init__(self, original: Any, refusal: Callable[[], Exception]) -> None:
        object.__setattr__(self, "original", original)
        object.__setattr__(self, "refusal", refusal)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self.original)

    def unknown(self, what: str) -> Exception:
        return self.refusal()

    def __getattr__(self, name: str) -> NoReturn:
        raise self.refusal()


def refuse_methods(cls: type, methods: dict[str, str]) -> None:
    """Let instances refuse these special methods; the error says what was asked for."""
    for name, what in methods.items():
        setattr(cls, f"__{name}__", _refusing(f"__{name}__", what))


def _refusing(name: str, what: str) -> Callable[..., NoReturn]:
    def operate(self: Any, /, *_: Any, **__: Any) -> NoReturn:
        raise self.unknown(what)

    operate.__name__ = name
    return operate


refuse_methods(StagedObject, {
    "add": "adding to", "radd": "adding to", "eq": "comparing", "ne": "comparing",
    "getitem": "indexing", "setitem": "storing into", "call": "calling", "iter": "iterating over",
    "hash": "hashing", "len": "asking the length of", "bool": "asking the truth of", "str": "str() of",
    "format": "formatting",
})  # fmt: skip
#: special methods that a staged object has not otherwise
OPERATORS = [name for name in METHODS if name not in ("add", "radd", "eq", "ne")] + (
    "contains delitem reversed round trunc floor ceil index int float complex enter await".split()
)
_OF_OBJECTS = (
    "setattr delattr getitem setitem len iter next bool call exit hash repr str format eq ne add radd iadd "
    "array copy deepcopy reduce_ex".split()
)
refuse_methods(Unreadable, dict.fromkeys([*OPERATORS, *_OF_OBJECTS], "using"))
