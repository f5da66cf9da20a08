"""Iterators that a trace makes: advanced only in the block of the graph in which they were made.

Advancing an iterator is an effect that happens while tracing, once and for all. In the straight line of code
that made the iterator this is what Python does too; in a branch or a loop body, which may run never or many
times, the trace begins again with an iterator whose place a run knows (item_iterators.py), or it is refused.
"""

from __future__ import annotations

import functools
import io
import types
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from runtime.ops.instances import HEAP_TYPE
from runtime.tracer.decisions import Restart

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


class IteratorOfTrace:
    """What all iterators that a trace makes have in common: the class that the program made, and a block."""

    __slots__ = tuple[str, ...]()  # subclasses have them

    _trace: Trace
    _kind: type  # the program made it by calling this class, whatever stands for it here
    _site: Any  # the call that made it, where one whose place a run knows could stand instead
    _frame: Any
    _spent: bool  # how far it was advanced is known only at run time

    def _begin(self, trace: Trace, kind: type, site: Any = None) -> None:
        self._trace, self._site, self._spent = trace, site, False
        self._frame = trace.frames[-1] if trace.frames else None
        self.is_made_by(kind)

    def is_made_by(self, kind: type) -> None:
        """Messages, Python's own as well, call it after the class that the program made."""
        self._kind = kind
        base = _named.get(type(self), type(self))
        named = _class_like(base, kind)
        _named[named] = base
        _set_class(self, named)

    def __iter__(self) -> Any:
        return self

    def __repr__(self) -> str:
        raise self._refuse_use("text")  # which shows where it is, or its address

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise self._refuse_use("copy")

    def _refuse_use(self, what: str) -> Exception:
        words = f"the {what} of a {self._kind.__name__} is asked for"
        return self._trace.refuse(words, "use what the iterator was made of")

    def __getattr__(self, name: str) -> Any:
        kind = name_in_messages(self._kind)
        if not hasattr(self._kind, name):
            raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name)
        raise self._trace.refuse(
            f"`{name}` of a {kind} is read, which a trace has not",
            "iterate over it, or ask what it was made of",
        )

    def may_advance_anywhere(self) -> None:
        """Begin again, where that was not tried, with one whose place a run knows."""
        decisions = self._trace.decisions
        if self._site is not None and self._site not in decisions.advancing:
            raise Restart(
                replace(decisions, advancing=decisions.advancing | {self._site}),
                "how far an iterator is advanced is known at run time",
            )

    def spend(self) -> None:
        self._spent = True

    def _check(self) -> None:
        here = self._trace.frames[-1] if self._trace.frames else None
        if not self._spent and here is self._frame:
            return
        self.may_advance_anywhere()
        kind = self._kind.__name__
        if self._spent:
            raise self._trace.refuse(
                f"a {kind} is advanced after a loop over it that may end early at a staged condition",
                "make a new one, or iterate over a list or an array",
            )
        raise self._trace.refuse(
            f"a {kind} that was made before is advanced under a staged condition or in a staged loop",
            "make it where it is used, or iterate over a list or an array",
        )


class TracedIterator(IteratorOfTrace, Iterator[Any]):
    """One that Python's own code advances."""

    __slots__ = ("__weakref__", "_frame", "_inner", "_kind", "_site", "_spent", "_trace")  # and no others

    is_generator = False

    def __init__(self, trace: Trace, inner: Iterator[Any]) -> None:
        self._inner = inner
        self._begin(trace, type(inner))

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # `isinstance` sees what the program made
        return self._kind

    def __next__(self) -> Any:
        self._check()
        return next(self._inner)

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__") and self.is_generator:
            return getattr(self._inner, name)
        return super().__getattr__(name)

    def is_made_at(self, site: Any) -> None:
        self._site = self._site or site


def name_in_messages(kind: type) -> str:
    """What Python's messages call an object of this class: `map`, `itertools.count`, `ndindex`."""
    is_compiled = not kind.__flags__ & HEAP_TYPE or kind in (functools.partial, functools._lru_cache_wrapper)
    is_written_in_python = not is_compiled and (kind.__dictoffset__ != 0 or "__slots__" in vars(kind))
    plain = kind.__module__ == "builtins" or is_written_in_python
    return kind.__qualname__ if plain else f"{kind.__module__}.{kind.__qualname__}"


_named: dict[type, type] = {}  # of the classes with a name of Python's: ours


@functools.cache
def _class_like(base: type, kind: type) -> type:
    return type(name_in_messages(kind), (base,), {"__module__": __name__, "__slots__": ()})


_set_class = object.__dict__["__class__"].__set__


def is_python_iterator(value: Any) -> bool:
    """Is it an iterator of Python's own, whose place nothing shows? Files are not meant."""
    if type(value) in weakref.ProxyTypes:
        return False  # it has all methods
    found = getattr(type(value), "__next__", None)
    return (
        found is not None and not isinstance(found, types.FunctionType) and not isinstance(value, io.IOBase)
    )


def is_pulled(value: Any) -> TypeGuard[TracedIterator]:
    """Is it an iterator that Python's own code advances, and no generator?"""
    return isinstance(value, TracedIterator) and not value.is_generator


def traced(trace: Trace, made: Any) -> Any:
    """``made``, guarded where it is an iterator of Python's own."""
    kind = type(made)
    if is_pulled(made) or not hasattr(kind, "__next__"):
        return made
    if isinstance(kind.__next__, types.FunctionType):  # an object of the user's: its attributes are watched
        return made
    return TracedIterator(trace, made)


def refuse_end(trace: Trace) -> Exception:
    """The error where a generator, or a function that `map` or its like calls, raises StopIteration."""
    return trace.refuse(
        "a StopIteration leaves a generator, or a function that an iterator calls",
        "test for the end in a generator, and return there",
    )
