"""What a handler asks of the exception that it handles: `sys.exc_info()`, its traceback as text, a log of it.

    try:
        y = solve(x)
    except ArithmeticError:
        log.exception("no solution for %s", x)
        y = None

The exception is the run's own. What prints it, or makes a text of it, is called in the run.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from runtime.control_flow.choices import dispatch
from runtime.handlers.raised import Caught
from runtime.objects import streams
from runtime.objects.real_objects import with_objects
from runtime.ops.template import Make
from runtime.staged.value_classes import class_of
from runtime.tracer.builder import emit
from runtime.tracer.chosen_parts import choice_in, with_part
from runtime.tracer.decisions import PathEnded
from runtime.tracer.spec import make_template
from runtime.types import STR, Type

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def _format_exc(error: BaseException, limit: Any = None, chain: bool = True) -> str:
    return "".join(traceback.format_exception(error, limit=limit, chain=chain))


def _print_exc(error: BaseException, limit: Any = None, file: Any = None, chain: bool = True) -> None:
    traceback.print_exception(error, limit=limit, file=file, chain=chain)


#: functions of the exception that is handled, as functions of it
_OF_HANDLED: dict[Callable[..., Any], tuple[Callable[..., Any], tuple[Type, ...]]] = {
    traceback.format_exc: (_format_exc, (STR,)),
    traceback.print_exc: (_print_exc, ()),
}


@contextmanager
def handling(trace: Trace, caught: Caught) -> Iterator[None]:
    """The ``with`` traces code that runs while this exception is handled."""
    trace.handling.append(caught)
    try:
        yield
    finally:
        trace.handling.pop()


def handler_call(trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of such a call; NotImplemented for other functions, and where no exception is handled."""
    if function in (sys.exc_info, sys.exception):
        caught = handled_now(trace)
        if caught is None:
            return NotImplemented
        return caught.error if function is sys.exception else _exc_info(trace, caught)
    if function in _OF_HANDLED:
        caught = handled_now(trace)
        if caught is None:
            return NotImplemented
        made, outputs = _OF_HANDLED[function]
        return call_in_run(trace, made, (trace.wrap(caught.value), *args), kwargs, outputs)
    return NotImplemented


def handled_now(trace: Trace) -> Caught | None:
    """The exception of the innermost handler that is traced; None where plain Python handles one."""
    handled = sys.exception()  # an end of the path: what runs is the exit of a `with`
    if handled is not trace.outer_exception and not isinstance(handled, PathEnded):
        return None
    return trace.handling[-1] if trace.handling else None


def exc_info_of(trace: Trace, given: Any) -> Any:
    """The `exc_info` of a logging call as an exception of the run, or as it is; NotImplemented: not known."""
    if type(given) in (bool, int) and given:
        caught = handled_now(trace)
        return NotImplemented if caught is None else trace.wrap(caught.value)
    return given


def _exc_info(trace: Trace, caught: Caught) -> tuple[Any, Any, Any]:
    return (
        dispatch(caught.error, class_of),
        caught.error,
        emit("exception.traceback", [trace.wrap(caught.value)]),
    )


def call_in_run(
    trace: Trace,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    outputs: tuple[Type, ...],
) -> Any:
    """A call that each run makes, of its own objects."""
    if "file" in kwargs and kwargs["file"] is not None:
        streams.require_plain(trace, kwargs["file"])
        stream = streams.run_time_stream(trace, kwargs["file"])
        kwargs = {**kwargs, "file": Make(_stdout) if stream is None else stream}
    given = (args, kwargs)
    chosen = choice_in(given)
    if chosen is not None:

        def call_with(one: Any) -> Any:
            known_args, known_kwargs = with_part(given, chosen, one)
            return call_in_run(trace, function, known_args, known_kwargs, outputs)

        return dispatch(chosen, call_with)
    structure = with_objects(trace, given, stored=False)
    template, leaves = make_template(structure)
    return emit("call", leaves, function=function, template=template, outputs=outputs)


def _stdout() -> Any:
    return sys.stdout
