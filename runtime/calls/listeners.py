"""Who listens to what a run tells: a log's handlers, `warnings.showwarning`, what stands for `sys.stdout`.

Their code is called by each run, where no trace sees what it changes. So code of the user's that may change
something is refused, and a guard says that none has come since. So are streams that it writes to itself.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from runtime.guards.paths import Constant
from runtime.objects.acting import acts_unseen, is_library_code
from runtime.ops.instances import attributes, has_dict, is_user_instance
from runtime.ops.objects import stderr
from runtime.ops.template import Make
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from autograph.errors import StagingError
    from runtime.tracer.trace import Trace


def writer_of(stream: Any) -> Any:
    """What is called to write to a stream: its method, or what the stream holds in its place."""
    held = attributes(stream) if is_user_instance(stream) else vars(stream) if has_dict(stream) else {}
    return held.get("write", stream)


def is_users_stream(file: Any) -> bool:
    """Does code of the user's write to this stream?"""
    if isinstance(file, Staged | Choice):
        return False
    hides_method = writer_of(file) is not file
    return hides_method or not all(is_library_code(base.__module__) for base in type(file).__mro__)


def require_plain(trace: Trace, stream: Any) -> None:
    """Refuse to write to a stream of the user's, whose own code no trace sees."""
    if any(map(is_users_stream, stream.values if isinstance(stream, Choice) else [stream])):
        raise trace.refuse(
            "this writes to a stream of yours, whose own code each run would call unseen",
            "write to a stream of Python's, such as io.StringIO(), and read that after the call",
        )


def run_time_stream(trace: Trace, file: Any) -> Any:
    """The ``file`` of a print: the streams of ``sys`` as they are then, or the object itself."""
    if file is sys.stdout:
        return None
    if file is sys.stderr:
        return Make(stderr)
    if trace.outside.is_outside(file):
        return trace.wrap(trace.outside.object_value(file))
    return file


def require_unheard(trace: Trace, teller: Any) -> None:
    """Refuse what code of the user's would hear. ``teller``: `sys` of a print, `warnings`, or a logger."""
    what, find = _TELLERS.get(teller) or (f"a log ({attributes(teller)['name']})", _of_log)

    def is_heard(teller: Any) -> bool:
        return any(map(acts_unseen, find(teller)))

    if is_heard(teller):
        raise refuse(trace, what)
    trace.outside.definitions.guard_once(
        Constant(teller, what), lambda s, n: f"not {n.of(is_heard)}({s})", "where no code of yours listens"
    )


def refuse(trace: Trace, what: str) -> StagingError:
    """The error where such a call would run code of the user's."""
    return trace.refuse(
        f"{what} calls code of yours in each run, and no trace sees what that changes",
        "return what it needs, and call it outside the decorated function",
    )


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


_TELLERS: dict[Any, tuple[str, Callable[[Any], Iterable[Any]]]] = {
    sys: ("a print", lambda told: [writer_of(told.stdout)]),
    warnings: ("a warning", lambda told: [told.showwarning, told.formatwarning, writer_of(sys.stderr)]),
}
