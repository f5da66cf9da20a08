"""Who listens to what a run tells: a log's handlers, `warnings.showwarning`, a `sys.stdout` of the user's.

Their code is called by each run. `acting_code.py` says what follows for a trace; a guard says that nobody
else listens whose code may change something.
"""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Callable, Iterable
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
    own_texts.require_reading(args, *own_texts.BY_PERCENT)
    _note(trace, f"a log ({attributes(logger)['name']})", logger, _of_log)


def note_warning(trace: Trace) -> None:
    """A warning is given by each run."""
    _note(trace, "a warning", warnings, _of_warnings)
    recording = getattr(warnings, "_showwarnmsg_impl", None)  # the `append` of a list, where it is recorded
    trace.acting.note("a warning", [recording])


def note_print(trace: Trace) -> bool:
    """Something is printed by each run, to what `sys.stdout` is then; may that change something?"""
    return _note(trace, "a print", sys, _of_output)


def _note(trace: Trace, what: str, teller: Any, find: Callable[[Any], Iterable[Any]]) -> bool:
    known = list(filter(acts_unseen, find(teller)))

    def same(teller: Any) -> bool:
        now = list(filter(acts_unseen, find(teller)))
        return len(now) == len(known) and all(map(operator.is_, now, known))

    trace.outside.definitions.guard_once(
        Constant(teller, what), lambda s, n: f"{n.of(same)}({s})", "with those who listened"
    )
    return trace.acting.note(what, known)


def _of_output(module: Any) -> Iterable[Any]:
    return (writer_of(module.stdout),)


def _of_warnings(module: Any) -> Iterable[Any]:
    return module.showwarning, module.formatwarning, writer_of(sys.stderr)


def _of_log(logger: Any) -> Iterable[Any]:
    yield logger
    yield getattr(sys.modules["logging"], "_logRecordFactory", None)
    while logger is not None:
        held = attributes(logger)
        yield from held["filters"]
        for handler in held["handlers"]:
            own = attributes(handler)
            yield from (handler, own.get("formatter"), writer_of(own.get("stream")), *own.get("filters", ()))
        logger = held["parent"] if held["propagate"] else None
