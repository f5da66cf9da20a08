"""``isinstance`` and ``issubclass`` of abstract base classes, with which classes may be registered later."""

from __future__ import annotations

import types
from collections.abc import Iterator
from functools import partial
from typing import Any

from autograph.operators import call, or_
from runtime.numpy_calls import staged_calls
from runtime.staged.value_classes import class_of
from runtime.tracer.builder import Staged
from runtime.tracer.call_handlers import handles_each
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.types import STR, ContainerType, ObjectType


@handles_each(isinstance, issubclass)
def stage_isinstance(function: Any, trace: Trace, value: Any, classinfo: Any) -> Any:
    cls, classes = value if function is issubclass else _class_known(value), [*_flat(classinfo)]
    if isinstance(classinfo, tuple) and any(isinstance(one, Choice | Staged) for one in classes):
        return or_(False, *[partial(call, function, value, one) for one in classes])
    for one in classes:
        if isinstance(cls, type) and isinstance(one, type):
            trace.outside.definitions.guard_registered(cls, one)
    answer = staged_calls.staged_call(function, (value, classinfo), {})
    return function(value, classinfo) if answer is NotImplemented else answer


def _class_known(value: Any) -> type | None:
    """None for an object of which only a run knows the class."""
    if isinstance(value, Staged) and isinstance(value.type, ObjectType):
        return class_of(value) if value.type == STR or isinstance(value.type, ContainerType) else None
    return None if isinstance(value, Choice) else class_of(value)


def _flat(classinfo: Any) -> Iterator[Any]:
    """The classes of ``isinstance(x, (A, B | C))``."""
    if isinstance(classinfo, tuple | types.UnionType):
        for one in classinfo if isinstance(classinfo, tuple) else classinfo.__args__:
            yield from _flat(one)
    else:
        yield classinfo
