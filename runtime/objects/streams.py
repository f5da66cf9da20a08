"""Streams that a run writes to, and those that code of the user's writes to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from runtime.objects.acting import is_library_code
from runtime.ops.instances import attributes, has_dict, is_user_instance
from runtime.ops.streams import stderr
from runtime.ops.template import Make
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
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
