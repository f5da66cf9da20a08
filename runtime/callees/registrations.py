"""``isinstance`` and ``issubclass`` of abstract base classes, with which classes may be registered later."""

from __future__ import annotations

import types
from collections.abc import Iterator
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
    _require_known(trace, classinfo)
    if not isinstance(value, Choice) and not _is_of_run(value):
        _guard(trace, class_of(value), classinfo)
    answer = staged_calls.staged_call(isinstance, (value, classinfo), {})
    return isinstance(value, classinfo) if answer is NotImplemented else answer


@handles(issubclass)
def guard_subclass(trace: Trace, cls: Any, classinfo: Any) -> Any:
    _require_known(trace, classinfo)
    if isinstance(cls, type):
        _guard(trace, cls, classinfo)
    answer = staged_calls.staged_call(issubclass, (cls, classinfo), {})
    return issubclass(cls, classinfo) if answer is NotImplemented else answer


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


def _guard(trace: Trace, cls: type, classinfo: Any) -> None:
    for abstract in _flat(classinfo):
        trace.outside.definitions.guard_registered(cls, abstract)


def _flat(classinfo: Any) -> Iterator[type]:
    """The classes of ``isinstance(x, (A, B | C))``."""
    if isinstance(classinfo, type):
        yield classinfo
    elif isinstance(classinfo, tuple):
        for one in classinfo:
            yield from _flat(one)
    elif isinstance(classinfo, types.UnionType):
        yield from _flat(classinfo.__args__)
