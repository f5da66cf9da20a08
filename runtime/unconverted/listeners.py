"""Who listens to what a run tells: a log's handlers, `warnings.showwarning`, a `sys.stdout` of the user's.

Their code is called by each run. `acting_code.py` says what follows for a trace; a guard says that nobody
else listens whose code may change something.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from runtime.guards.paths import Constant
from runtime.objects.acting import acts_unseen
from runtime.objects.streams import writer_of
from runtime.ops.instances import attributes
from runtime.texts import own_texts

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def note_log(trace: Trace, logger: Any, args: tuple[Any, ...]) -> None:
    """A line of this logger is written by each run."""
    name = f"a log ({attributes(logger)['name']})"
    own_texts.require_reading(args, *own_texts.BY_PERCENT)
    trace.acting.note(name, log_listeners(logger))
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


def _guard(trace: Trace, teller: Any, name: str, find: Callable[[Any], list[Any]]) -> None:
    known = find(teller)

    def same(teller: Any) -> bool:
        now = find(teller)
        return len(now) == len(known) and all(a is b for a, b in zip(now, known, strict=True))

    trace.outside.definitions.guard_unseen(
        Constant(teller, name), lambda s, n: f"{n.of(same)}({s})", "with those who listened"
    )
