"""What a `raise` hands to the handlers around it: the exception as the trace knows it.

In a run, a handler gets the exception itself. One that the program raises is a reference as a rule, and the
handler gets that; of a class with fields in C (`OSError`) it sees an instance with these values, which stands
for the run's object. Of what an operation raises by itself (an index that is out of range) only a run knows
the class: that is a staged object of type `exception`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from autograph.operators import Undefined, call
from runtime.control_flow.branches import branch
from runtime.control_flow.choices import certain, dispatch, is_undefined
from runtime.graph import Value
from runtime.handlers.may_raise import may_be_python_s_own
from runtime.heap.shadow import UNKNOWN
from runtime.iteration.iterators import refuse_end
from runtime.objects.exception_parts import parts
from runtime.objects.real_objects import real_object
from runtime.ops.exceptions import rebuild
from runtime.ops.instances import HEAP_TYPE, attributes, can_be_remade, remake_exception
from runtime.ops.template import Make
from runtime.staged.exceptions import RaisedByOperation, StagedException
from runtime.tracer.builder import Staged, emit
from runtime.tracer.chosen_parts import as_attribute
from runtime.tracer.slots import LocalAttribute
from runtime.tracer.spec import Choice
from runtime.types import STR

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


class Knows(Protocol):
    """Who is handed an exception."""

    def knows(self, instance: Any) -> bool:
        """Does the instance mean the same there?"""


class Caught(NamedTuple):
    """An exception that is being handled: the run's object, and the exception as the trace knows it."""

    value: Value
    error: Any


def object_to_raise(trace: Trace, error: BaseException) -> Any:
    """What a run raises for an exception of the trace: the object that it has for it, or a new one."""
    real = trace.outside.real.get(id(error))
    if real is not None:
        return trace.wrap(real)
    known = trace.outside.reference(error)
    if known is not None:
        return known
    if trace.outside.is_local(error) and trace.regions and trace.regions[-1].knows(error):
        return trace.wrap(real_object(trace, error))
    return remade(error)


def remade(error: BaseException) -> Make:
    """An exception that each run makes anew."""
    cls, args, held = parts(error)
    return Make(rebuild, (cls, args, {name: as_attribute(value) for name, value in held.items()}))


def append_raise(trace: Trace, error: Any, *cause: Any) -> None:
    """Append a ``raise`` of an exception of the trace, or of one that only a run knows."""
    if isinstance(error, StopIteration) and trace.running:
        generator = trace.running[-1]
        if len(trace.regions) <= generator.regions:  # no handler in the generator sees it
            _leave_generator(trace, generator, error)
            return
    plain = not isinstance(error, Staged)
    if plain and trace.regions:
        error = _as_reference(trace, error)
    structure = (object_to_raise(trace, error) if plain else error, *map(_related, repeat(trace), cause))
    if plain and not cause and isinstance(error.__cause__, BaseException):  # raised by Python's own code
        structure = (*structure, _related(trace, error.__cause__))
    exception = None
    made = structure[0]
    if len(structure) == 1 and isinstance(made, Make) and _is_as_written(*made.args):  # as one would write it
        exception, structure = made.args[0], (made.args[1], {})
    elif plain and len(structure) == 1 and not trace.regions:
        args = _take_back(trace, error)
        exception, structure = (None, structure) if args is None else (type(error), (args, {}))
    with raising(trace, error):
        trace.emit_effect("raise", [], structure, exception=exception)


def _take_back(trace: Trace, error: BaseException) -> tuple[Any, ...] | None:
    """The arguments of an exception that was made just now, for this `raise` alone, which makes it then."""
    value, operations = trace.references.value(error), trace.block.operations
    if value is None or not operations or operations[-1].name != "object.make":
        return None
    args = trace.heap.fact(value, "args")
    is_last = operations[-1].output is value and operations[-1].attributes["template"].structure.keys() == {
        "args"
    }
    if not is_last or not isinstance(args, tuple) or not _is_as_written(type(error), args, {}):
        return None
    del operations[-1]
    return args


def _as_reference(trace: Trace, error: BaseException) -> BaseException:
    """What Python's own code raised, as an exception of the run; as it is where its class can be none."""
    outside = trace.outside
    is_known = outside.is_local(error) or outside.is_outside(error) or id(error) in outside.real
    if is_known or trace.references.is_reference(error) or not trace.references.can_be_reference(type(error)):
        return error
    made = remake_exception(type(error), attributes(error))
    made.__cause__, made.__context__ = error.__cause__, error.__context__
    trace.outside.add_local(made)
    return trace.references.born(made)


def _leave_generator(trace: Trace, generator: Any, error: StopIteration) -> None:
    """A StopIteration leaves the code of a generator: Python makes another exception of it (PEP 479)."""
    if not generator.is_users:
        raise refuse_end(trace)
    known = RuntimeError("generator raised StopIteration")
    known.__cause__ = error
    before, trace.location = trace.location, generator.place
    outer, trace.running = trace.running, trace.running[:-1]
    try:
        append_raise(trace, known)
    finally:
        trace.location, trace.running = before, outer


def _is_as_written(cls: type, args: tuple[Any, ...], attributes: dict[str, Any]) -> bool:
    return not attributes and cls.__module__ == "builtins"


def _related(trace: Trace, cause: Any) -> Any:
    return object_to_raise(trace, cause) if isinstance(cause, BaseException) else cause


@contextmanager
def raising(trace: Trace, error: Any) -> Iterator[None]:
    """The operations in the ``with`` raise ``error``: the handlers around will know it."""
    before, trace.raised = trace.raised, error
    try:
        yield
    finally:
        trace.raised = before


def view_of(trace: Trace, error: Any, region: Knows) -> Any:
    """An exception that is about to be raised, as what the handler of `region` will know of it.

    True where that is nothing but that its class is one of Python's own, False where it is nothing at all.
    """
    if isinstance(error, RaisedByOperation):
        return True
    if isinstance(error, Choice):
        return Choice(error.tag, tuple([view_of(trace, one, region) for one in error.values]))
    if not isinstance(error, BaseException) or not can_be_remade(type(error)):
        return False
    if trace.references.is_reference(error):
        return error
    if trace.outside.is_outside(error) or (trace.outside.is_local(error) and region.knows(error)):
        return error
    return not type(error).__flags__ & HEAP_TYPE


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
    if isinstance(view, BaseException) and not trace.references.is_reference(view):
        trace.outside.real.setdefault(id(view), exception)
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
    return tuple([(lambda k=k: _only(error, k)) if k else None for k in (yes, no)])  # type: ignore[return-value]


def _only(error: Any, positions: list[int]) -> Any:
    """A choice that is known to be one of some of its alternatives."""
    if not isinstance(error, Choice):
        return error
    if len(positions) == len(error.values):
        return error
    values = [error.values[k] for k in positions]
    if len(values) == 1:
        return values[0]
    tag: Any = len(values) - 1
    for new in range(len(values) - 2, -1, -1):
        tag = emit("py.select", [emit("py.eq", [error.tag, positions[new]]), new, tag])
    return Choice(tag, tuple(values))


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
    """The run's object for an exception of the trace; None where it has none yet."""
    if isinstance(error, StagedException):
        return error
    if trace.references.is_reference(error):
        return trace.references.staged(error)
    real = trace.outside.real.get(id(error)) if isinstance(error, BaseException) else None
    return None if real is None else trace.wrap(real)


def exception_method(trace: Trace, error: BaseException, name: str, args: tuple[Any, ...]) -> Any:
    """``error.add_note(text)``, ``error.with_traceback(None)``."""
    if name == "with_traceback":
        if args != (None,):
            raise trace.refuse("an exception is given a traceback", "raise it without, or with None")
        return error
    if trace.references.is_reference(error):
        _note(trace, error, *args)
        return None
    slot = LocalAttribute(trace, ("attribute", id(error), "__notes__"), "__notes__", "__notes__")
    if not trace.outside.is_local(error):
        raise trace.refuse(
            "a note is added to an exception that code of a library raised", "raise another one, `from` this"
        )
    before = slot.get()
    if isinstance(before, Choice):
        values = tuple([None if isinstance(held, Undefined) else held for held in before.values])
        trace.write(slot, dispatch(Choice(before.tag, values), lambda held: _with_notes(trace, held, args)))
    else:
        trace.write(slot, _with_notes(trace, before, args))
    return None


def _note(trace: Trace, error: BaseException, note: Any) -> None:
    """Notes are an attribute like any other, a list that the first note makes."""
    if isinstance(note, Choice):
        dispatch(note, lambda one: _note(trace, error, one))
        return
    if not isinstance(note, str) and not (isinstance(note, Staged) and note.type == STR):
        raise TypeError(f"note must be a str, not '{type(note).__name__}'")
    value = trace.references.value(error)
    assert value is not None
    held = trace.references.held(value, "__notes__")
    absent = held is UNKNOWN or isinstance(held, Undefined) or is_undefined(held)

    def first() -> None:
        trace.references.store(error, "__notes__", trace.containers.born([note]))

    if isinstance(absent, bool):
        first() if absent else call(held.append, note)
    else:
        notes = certain(held)
        branch(absent, first, lambda: call(notes.append, note))


def _with_notes(trace: Trace, held: Any, notes: tuple[Any, ...]) -> Any:
    if isinstance(held, Staged):
        held.extend(list(notes))  # type: ignore[attr-defined]
        return held
    made = [*([] if held is None or isinstance(held, Undefined) else held), *notes]
    return trace.containers.born(made)
