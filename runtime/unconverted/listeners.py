"""Who listens to what a run tells: a log's handlers, `warnings.showwarning`, a `sys.stdout` of the user's.

Their code is called by each run. `acting_code.py` says what follows for a trace; a guard says that nobody
else listens whose code may change something.
"""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from runtime.guards.paths import Constant
from runtime.objects.acting import acts, acts_unseen, users_function
from runtime.objects.streams import writer_of
from runtime.ops.instances import attributes, class_attribute
from runtime.tracer.builder import type_of_staged
from runtime.tracer.known_items import as_plain
from runtime.tracer.spec import is_instance
from runtime.types import ContainerType

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

_TEXTS = ("__str__", "__repr__", "__format__")


def note_log(trace: Trace, logger: Any, args: tuple[Any, ...]) -> None:
    """A line of this logger is written by each run."""
    name = f"a log ({attributes(logger)['name']})"
    trace.acting.note(name, [*log_listeners(logger), *text_methods(trace, args)])
    _guard(trace, logger, "the logger", log_listeners)


def note_warning(trace: Trace) -> None:
    """A warning is given by each run."""
    recording = getattr(
        warnings, "_showwarnmsg_impl", None
    )  # the `append` of a list, where they are recorded
    trace.acting.note("a warning", [*warning_listeners(warnings), recording])
    _guard(trace, warnings, "warnings", warning_listeners)


def note_print(trace: Trace) -> bool:
    """Something is printed by each run, to what `sys.stdout` is then; may that change something?"""
    acts = trace.acting.note("a print", stdout_listeners(sys))
    _guard(trace, sys, "sys", stdout_listeners)
    return acts


def stdout_listeners(module: Any) -> list[Any]:
    """The standard output, where it is a stream of the user's whose code may change something."""
    return list(filter(acts_unseen, [writer_of(module.stdout)]))


def log_listeners(logger: Any) -> list[Any]:
    """Those whose code may change something."""
    record_factory = getattr(sys.modules["logging"], "_logRecordFactory", None)
    return list(filter(acts_unseen, [logger, record_factory, *_of_handlers(logger)]))


def _of_handlers(logger: Any) -> Iterator[Any]:
    while logger is not None:
        held = attributes(logger)  # past the hooks of a trace
        yield from held["filters"]
        for handler in held["handlers"]:
            yield handler
            own = attributes(handler)
            yield from own.get("filters", ())
            yield own.get("formatter")
            yield writer_of(own.get("stream"))
        logger = held["parent"] if held["propagate"] else None


def warning_listeners(module: Any) -> list[Any]:
    """Those whose code may change something."""
    return list(filter(acts_unseen, (module.showwarning, module.formatwarning, writer_of(sys.stderr))))


def text_methods(trace: Trace, args: Any) -> Iterator[types.MethodType]:
    """What makes texts of these arguments, and may change something."""
    for arg in map(as_plain, args):
        if isinstance(arg, list | tuple | set | frozenset):
            yield from text_methods(trace, arg)
        elif isinstance(arg, dict):
            yield from text_methods(trace, [*arg, *arg.values()])
        elif isinstance(type_of_staged(arg), ContainerType):  # it may hold any object of these classes
            classes = trace.containers.classes_in(arg.type)
            yield from text_methods(trace, [o for o in trace.outside.known_objects() if type(o) in classes])
        elif is_instance(arg):
            for name in _TEXTS:
                method = users_function(class_attribute(type(arg), name))
                if method is not None and acts(method, type(arg)):
                    yield types.MethodType(method, arg)


def _guard(trace: Trace, teller: Any, name: str, find: Callable[[Any], list[Any]]) -> None:
    known = find(teller)

    def same(teller: Any) -> bool:
        now = find(teller)
        return len(now) == len(known) and all(a is b for a, b in zip(now, known, strict=True))

    trace.outside.definitions.guard_once(
        Constant(teller, name), lambda s, n: f"{n.of(same)}({s})", "with those who listened"
    )
