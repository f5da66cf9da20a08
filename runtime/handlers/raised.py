"""What a `raise` hands to the handlers around it: the exception as the trace knows it.

In a run, a handler gets the exception itself. One that the program raises is a reference as a rule, and the
handler gets that. Of what an operation raises by itself (an index that is out of range) only a run knows the
class: that is a staged object of type `exception`.

Of an operation in which no code of the user's may run, a handler knows that what it raises has a class of
Python's or NumPy's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.control_flow.choices import certain, dispatch, only
from runtime.control_flow.iterators import refuse_end
from runtime.graph import Operation, Value
from runtime.objects.compared_by_runs import is_of_containers, may_call_methods
from runtime.ops.instances import HEAP_TYPE, attributes, parts, rebuild, remake_exception
from runtime.ops.template import Make
from runtime.staged.exceptions import RaisedByOperation, StagedException
from runtime.tracer.builder import Staged, emit
from runtime.tracer.spec import Choice
from runtime.types import CLASS, STR, ContainerType, ObjectType, Type

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


#: operations that make texts of values
_SHOWING = ("print", "format", "str.percent")


def may_raise_anything(trace: Trace, operation: Operation) -> bool:
    """May it run code of the user's, which raises what it likes?"""
    if operation.name.startswith("call"):
        return True
    if operation.name.startswith(("store_", "delete_", "exception.", "class")):
        return False
    if is_of_containers(operation):
        return may_call_methods(operation)
    shows = operation.name in _SHOWING
    return any(
        may_run_code(v.type) and not (shows and _is_shown_by_python(trace, v)) for v in operation.inputs
    )


def may_run_code(type: Type) -> bool:
    """May it be the user's code that shows such a value?"""
    return isinstance(type, ContainerType | ObjectType) and type not in (STR, CLASS)


def may_be_python_s_own(types: Any) -> bool:
    """May what Python and NumPy raise by themselves be an instance of these classes?"""
    if isinstance(types, tuple):
        return any(map(may_be_python_s_own, types))
    return type(types) is not type or types.__module__.partition(".")[0] in ("builtins", "numpy")


def _is_shown_by_python(trace: Trace, exception: Value) -> bool:
    """Is it what an operation raised? Python and NumPy put texts and numbers into their exceptions."""
    known = trace.outside.handled.get(exception, ())
    return bool(known) and all(one is RaisedByOperation for one in known)


class Caught(NamedTuple):
    """An exception that is being handled: the run's object, and the exception as the trace knows it."""

    value: Value
    error: Any


@contextmanager
def handling(trace: Trace, caught: Caught) -> Iterator[None]:
    """The ``with`` traces code that runs while this exception is handled."""
    trace.handling.append(caught)
    try:
        yield
    finally:
        trace.handling.pop()


def append_raise(trace: Trace, error: Any, *cause: Any) -> None:
    """Append a ``raise`` of an exception of the trace, or of one that only a run knows."""
    if isinstance(error, StopIteration) and trace.running:
        if len(trace.regions) <= trace.running[-1].regions:  # no handler in the generator sees it
            raise refuse_end(trace)
    if not isinstance(error, Staged):
        error = _as_reference(trace, error)
        if not cause and isinstance(error.__cause__, BaseException):  # raised by Python's own code
            cause = (error.__cause__,)
    structure = tuple([_object_to_raise(trace, one) for one in (error, *cause)])
    with raising(trace, error):
        trace.emit_effect("raise", [], structure, exception=None)


def _object_to_raise(trace: Trace, error: Any) -> Any:
    """What a run raises for an exception of the trace: the object that it has for it, or a new one."""
    if not isinstance(error, BaseException) or trace.references.is_reference(error):
        return error
    return Make(rebuild, parts(error))


def _as_reference(trace: Trace, error: BaseException) -> BaseException:
    """What Python's own code raised, as an exception of the run; as it is where its class can be none."""
    references = trace.references
    is_known = trace.outside.is_outside(error) or references.is_reference(error)
    if is_known or not references.can_be_reference(type(error)):
        return error
    made = remake_exception(type(error), attributes(error))
    made.__cause__, made.__context__ = error.__cause__, error.__context__
    return trace.references.born(made)


@contextmanager
def raising(trace: Trace, error: Any) -> Iterator[None]:
    """The operations in the ``with`` raise ``error``: the handlers around will know it."""
    before, trace.raised = trace.raised, error
    try:
        yield
    finally:
        trace.raised = before


def view_of(trace: Trace, error: Any) -> Any:
    """An exception that is about to be raised, as what a handler will know of it.

    True where that is nothing but that its class is one of Python's own, False where it is nothing at all.
    """
    if isinstance(error, Choice):
        return Choice(error.tag, tuple([view_of(trace, one) for one in error.values]))
    if trace.references.is_reference(error):
        return error
    is_instance = isinstance(error, BaseException) and not isinstance(error, Staged)
    return isinstance(error, RaisedByOperation) or (is_instance and not type(error).__flags__ & HEAP_TYPE)


def handled(trace: Trace, view: Any, exception: Value) -> Any:
    """The exception as a handler sees it: `view` is what `view_of` gave, rebuilt in the handler's block."""
    known = view.values if isinstance(view, Choice) else (view,)
    errors = tuple([_handled(trace, one, exception) for one in known])
    # By identity: that somebody holds an exception means that it is used on.
    trace.outside.handled[exception] = tuple(
        [type(one) if isinstance(one, Staged) else id(one) for one in errors]
    )
    return certain(Choice(view.tag, errors)) if isinstance(view, Choice) else errors[0]


def _handled(trace: Trace, view: Any, exception: Value) -> Any:
    if isinstance(view, Choice):
        return handled(trace, view, exception)
    if isinstance(view, bool):
        return (RaisedByOperation if view else StagedException)(exception, trace)
    return view


def narrowed(error: Any, types: Any) -> tuple[Any, Any]:
    """What `error` is where it is an instance of `types`, and where not: thunks, None where it cannot be."""
    values = error.values if isinstance(error, Choice) else (error,)
    yes, no = [], []
    for position, value in enumerate(values):
        if isinstance(value, Staged):
            no.append(position)
            if not isinstance(value, RaisedByOperation) or may_be_python_s_own(types):
                yes.append(position)
        else:
            (yes if isinstance(value, types) else no).append(position)
    if not isinstance(error, Choice) or not yes or not no:
        same = lambda: error
        return same if yes else None, same if no else None
    return (lambda: only(error, yes)), (lambda: only(error, no))


LINKS = frozenset({"__cause__", "__context__", "__suppress_context__", "__traceback__"})


def exception_link(trace: Trace, error: Any, name: str) -> Any:
    """``error.__cause__`` and its like, which a run sets where it raises."""
    if isinstance(error, Choice):
        return dispatch(error, lambda one: exception_link(trace, one, name))
    known = _of_run(trace, error)
    if known is None:
        return NotImplemented
    if name == "__traceback__":
        raise trace.refuse(
            "the traceback of an exception is read, which exists only at run time",
            "let the exception leave the decorated function, and look at it there",
        )
    if name == "__suppress_context__":
        return emit("exception.suppresses", [known])
    return emit("exception.related", [known], name=name)


def _of_run(trace: Trace, error: Any) -> Any:
    """The run's object for an exception of the trace; None where it has none."""
    if isinstance(error, StagedException):
        return error
    return trace.references.staged(error) if trace.references.is_reference(error) else None
