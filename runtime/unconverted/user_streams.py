"""`print` to a stream of the user's: its `write` runs converted, with the pieces that CPython gives it.

    class Counted:
        lines = 0
        def write(self, text):
            self.lines += text.count("\\n")

Streams of Python, and of libraries, are written to by each run. So are those of the user's that hand their
texts on and change nothing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from autograph.converted_code import read_as_program
from autograph.operators import call
from runtime.control_flow.branches import branch
from runtime.control_flow.choices import dispatch, truth
from runtime.guards.paths import Attribute, Constant
from runtime.objects.streams import acts_when_written
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

_STDOUT = Attribute(Constant(sys, "sys"), "stdout")
_OPTIONS = frozenset({"sep", "end", "file", "flush"})


def stream_seen(trace: Trace, file: Any) -> Any:
    """The stream that the trace has to write to itself, or None; ``file``: what `print` was given."""
    if file is not None and file is not sys.stdout:
        return file if acts_when_written(file) else None
    if acts_when_written(sys.stdout):
        return trace.outside.import_value(sys.stdout, _STDOUT)
    trace.outside.add_guard(
        _STDOUT, lambda s, n: f"not {n.of(acts_when_written)}({s})", "no stream of the user's", routine=True
    )
    return None


def print_to(trace: Trace, file: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """``print(*args, file=file, ...)``, as CPython calls the methods of the stream."""
    if not kwargs.keys() <= _OPTIONS:
        print(**kwargs)  # raises in Python's words, and so does what follows
    for name, value in kwargs.items():
        if isinstance(value, Choice) and name != "file":
            return dispatch(value, lambda one: print_to(trace, file, args, {**kwargs, name: one}))
    separator, end = (_piece(kwargs, name, otherwise) for name, otherwise in (("sep", " "), ("end", "\n")))
    for position, arg in enumerate(args):
        if position:
            call(read_as_program(trace.seen(file), "write"), separator)
        write = read_as_program(trace.seen(file), "write")
        call(write, call(str, arg))
    call(read_as_program(trace.seen(file), "write"), end)
    flush = kwargs.get("flush", False)
    if isinstance(flush, Staged):
        branch(truth(flush), lambda: call(read_as_program(trace.seen(file), "flush")), lambda: None)
    elif flush:
        call(read_as_program(trace.seen(file), "flush"))
    return None


def _piece(kwargs: dict[str, Any], name: str, otherwise: str) -> Any:
    given = kwargs.get(name)
    if given is not None and not isinstance(given, Staged | str):
        print("", **{name: given})
    return otherwise if given is None else given
