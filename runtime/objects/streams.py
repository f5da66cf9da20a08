"""Streams that a run writes to, and those whose own code acts when they are written to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from runtime.objects.acting import acts, acts_unseen, is_library_code, users_function
from runtime.ops.instances import attributes, class_attribute, has_dict, is_user_instance
from runtime.ops.streams import stderr
from runtime.ops.template import Make
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def acts_when_written(file: Any) -> bool:
    """Does code of the user's, which may change something, write to this stream?"""
    if isinstance(file, Staged | Choice) or not is_user_instance(file) and not has_dict(file):
        return False
    cls = type(file)
    held = attributes(file) if is_user_instance(file) else vars(file)
    if "write" in held:
        return acts_unseen(held["write"])
    if all(is_library_code(base.__module__) for base in cls.__mro__):
        return False
    for name in ("write", "flush", "__getattr__", "__getattribute__"):
        method = users_function(class_attribute(cls, name))
        if method is not None and acts(method, cls):
            return True
    return False


def note_stream(trace: Trace, stream: Any) -> None:
    """What is no `print` writes to this stream in each run."""
    if acts_when_written(stream):
        trace.acting.note("what is written to this stream", [stream])


def run_time_stream(trace: Trace, file: Any) -> Any:
    """The ``file`` of a print: the streams of ``sys`` as they are then, or the object itself."""
    if file is sys.stdout:
        return None
    if file is sys.stderr:
        return Make(stderr)
    if trace.outside.is_outside(file):
        return trace.wrap(trace.object_value(file))
    return file
