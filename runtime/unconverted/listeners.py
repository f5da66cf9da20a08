"""Who listens to what a run tells: a log's handlers, `warnings.showwarning`, what stands for `sys.stdout`.

Their code is called by each run, where no trace sees what it changes. So code of the user's that may change
something is refused, and a guard says that none has come since.
"""

from __future__ import annotations

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
    from autograph.errors import StagingError
    from runtime.tracer.trace import Trace


def require_no_log(trace: Trace, logger: Any, args: tuple[Any, ...]) -> None:
    """Refuse a line of this logger that code of the user's would get."""
    own_texts.require_reading(args, *own_texts.BY_PERCENT)
    _require_none(trace, f"a log ({attributes(logger)['name']})", logger, _of_log)


def require_no_warning(trace: Trace) -> None:
    """Refuse a warning that code of the user's would get."""
    _require_none(trace, "a warning", warnings, _of_warnings)


def require_no_print(trace: Trace) -> None:
    """Refuse a print to a `sys.stdout` of the user's."""
    _require_none(trace, "a print", sys, _of_output)


def refuse(trace: Trace, what: str) -> StagingError:
    """The error where such a call would run code of the user's."""
    return trace.refuse(
        f"{what} calls code of yours in each run, and no trace sees what that changes",
        "return what it needs, and call it outside the decorated function",
    )


def _require_none(trace: Trace, what: str, teller: Any, find: Callable[[Any], Iterable[Any]]) -> None:
    def is_heard(teller: Any) -> bool:
        return any(map(acts_unseen, find(teller)))

    if is_heard(teller):
        raise refuse(trace, what)
    trace.outside.definitions.guard_once(
        Constant(teller, what), lambda s, n: f"not {n.of(is_heard)}({s})", "where no code of yours listens"
    )


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
