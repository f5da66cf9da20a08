"""Iterators that a trace makes: advanced only in the block of the graph in which they were made.

Advancing an iterator is an effect that happens while tracing, once and for all. In the straight line of code
that made the iterator this is what Python does too; in a branch or a loop body, which may run never or many
times, it is refused. So this is right,

    pairs = zip([1, 2], [3, 4])
    a, _ = next(pairs)

and for a ``next(pairs)`` under a staged condition the trace begins again with an iterator whose place a run
knows (item_iterators.py); where there is none, of a generator, it is an error at its line.
"""

from __future__ import annotations

import functools
import io
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from runtime.ops.instances import HEAP_TYPE
from runtime.tracer.decisions import Restart

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


class TracedIterator(Iterator[Any]):
    """An iterator, and the block in which it may be advanced."""

    __slots__ = ("__weakref__", "_frame", "_inner", "_kind", "_site", "_spent", "_trace")  # and no others

    is_generator = False

    def __init__(self, trace: Trace, inner: Iterator[Any]) -> None:
        self._trace = trace
        self._inner = inner
        self._site: Any = None
        self._frame = trace.frames[-1] if trace.frames else None
        self._spent = False
        self.is_made_by(type(inner))

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # `isinstance` sees what the program made
        return self._kind

    def __repr__(self) -> str:
        raise refuse_text(self._trace, self._kind)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self._check()
        return next(self._inner)

    def __getattr__(self, name: str) -> Any:
        """``send``, ``throw`` and ``close`` of a generator."""
        if not hasattr(self._kind, name):
            words = f"{name_in_messages(self._kind)!r} object has no attribute {name!r}"
            raise AttributeError(words, name=name)
        found = getattr(self._inner, name)
        return Advance(self, found) if name in ("send", "throw", "close") else found

    def is_made_by(self, kind: type) -> None:
        """The program made it by calling this class, whatever stands for it here."""
        self._kind = kind
        name_like(self, kind)

    def __reduce_ex__(self, protocol: Any) -> Any:
        words = f"a {self._kind.__name__} is copied"
        raise self._trace.refuse(words, "make a list of it, and iterate over that twice")

    def advanced(self, method: Callable[..., Any], *args: Any) -> Any:
        """``method(*args)``, which advances the iterator."""
        self._check()
        return method(*args)

    def is_made_at(self, site: Any) -> None:
        """A call at this place made it, and there one whose place a run knows could stand instead."""
        self._site = self._site or site

    def may_advance_anywhere(self) -> None:
        """Begin again, where that was not tried, with one whose place a run knows."""
        restart_advancing(self._trace, self._site)

    def is_taken_over(self) -> None:
        """Another iterator, which is looked after by itself, advances it from here on."""
        self._frame = self._trace.frames[-1] if self._trace.frames else None

    def spend(self) -> None:
        """How far it was advanced is known only at run time."""
        self._spent = True

    def _check(self) -> None:
        here = self._trace.frames[-1] if self._trace.frames else None
        kind = self._kind.__name__
        if self._spent or here is not self._frame:
            self.may_advance_anywhere()
        if self._spent:
            raise self._trace.refuse(
                f"a {kind} is advanced after a loop over it that may end early at a staged condition",
                "make a new one, or iterate over a list or an array",
            )
        if here is not self._frame:
            raise self._trace.refuse(
                f"a {kind} that was made before is advanced under a staged condition or in a staged loop",
                "make it where it is used, or iterate over a list or an array",
            )


def name_in_messages(kind: type) -> str:
    """What Python's messages call an object of this class: `map`, `itertools.count`, `ndindex`."""
    is_compiled = not kind.__flags__ & HEAP_TYPE or kind in (functools.partial, functools._lru_cache_wrapper)
    is_written_in_python = not is_compiled and (kind.__dictoffset__ != 0 or "__slots__" in vars(kind))
    plain = kind.__module__ == "builtins" or is_written_in_python
    return kind.__qualname__ if plain else f"{kind.__module__}.{kind.__qualname__}"


def name_like(iterator: Any, kind: type) -> None:
    """Messages, Python's own as well, call the iterator after the class that the program made."""
    base = _named.get(type(iterator), type(iterator))
    named = _class_like(base, kind)
    _named[named] = base
    _set_class(iterator, named)


_named: dict[type, type] = {}  # of the classes with a name of Python's: ours


@functools.cache
def _class_like(base: type, kind: type) -> type:
    return type(name_in_messages(kind), (base,), {"__module__": __name__, "__slots__": ()})


_set_class = object.__dict__["__class__"].__set__


def refuse_text(trace: Trace, kind: type) -> Exception:
    """The error where an iterator is printed: its text shows where it is, or its address."""
    return trace.refuse(f"the text of a {kind.__name__} is asked for", "print what the iterator was made of")


class Advance:
    """``send``, ``throw`` or ``close`` of a generator: called as it is."""

    def __init__(self, iterator: TracedIterator, method: Callable[..., Any]) -> None:
        self.iterator = iterator
        self.method = method

    def __call__(self, *args: Any) -> Any:
        return self.iterator.advanced(self.method, *args)


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


def restart_advancing(trace: Trace, site: Any) -> None:
    """Begin again with an iterator of this site whose place a run knows; returns where that was tried."""
    if site is not None and site not in trace.decisions.advancing:
        advancing = trace.decisions.advancing | {site}
        raise Restart(
            replace(trace.decisions, advancing=advancing),
            "how far an iterator is advanced is known at run time",
        )


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
