"""``isinstance`` and ``issubclass`` of abstract base classes, with which classes may be registered later."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

from runtime.numpy_calls import staged_calls
from runtime.staged.value_classes import class_of
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import handles
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.types import STR, ContainerType, ObjectType


@handles(isinstance)
def guard_instance(trace: Trace, value: Any, classinfo: Any) -> Any:
    cls = None if isinstance(value, Choice) or _is_of_run(value) else class_of(value)
    return _asked(trace, isinstance, value, classinfo, cls)


@handles(issubclass)
def guard_subclass(trace: Trace, cls: Any, classinfo: Any) -> Any:
    return _asked(trace, issubclass, cls, classinfo, cls if isinstance(cls, type) else None)


def _asked(trace: Trace, function: Callable[..., bool], value: Any, classinfo: Any, cls: type | None) -> Any:
    """The answer; ``cls``: of which it is asked, where that is known."""

    _require_known(trace, classinfo)
    for abstract in _flat(classinfo) if cls is not None else ():
        trace.outside.definitions.guard_registered(cls, abstract)
    answer = staged_calls.staged_call(function, (value, classinfo), {})
    return function(value, classinfo) if answer is NotImplemented else answer


def _require_known(trace: Trace, classinfo: Any) -> None:
    if any(isinstance(one, Choice | Staged) for one in (classinfo if isinstance(classinfo, tuple) else ())):
        raise trace.refuse(
            "which class this tuple of classes holds is known only at run time",
            "ask for one class after the other, or for classes that have names",
        )


def _is_of_run(value: Any) -> bool:
    """Is it an object of which only a run knows the class?"""
    if not isinstance(value, Staged) or not isinstance(value.type, ObjectType):
        return False
    return value.type != STR and not isinstance(value.type, ContainerType)


def _flat(classinfo: Any) -> Iterator[type]:
    """The classes of ``isinstance(x, (A, B | C))``."""
    if isinstance(classinfo, type):
        yield classinfo
    elif isinstance(classinfo, tuple):
        for one in classinfo:
            yield from _flat(one)
    elif isinstance(classinfo, types.UnionType):
        yield from _flat(classinfo.__args__)
