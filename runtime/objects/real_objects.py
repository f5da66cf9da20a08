"""Instances that a run makes: those that the world outside comes to hold.

An instance that a trace makes is its attributes, each a value of the graph. Where it is stored in something
from outside, a run needs an object: an operation makes it, in the block in which the instance was made, and
from there on each store to the instance is done on the object too. What holds it, a result say, is given that
very object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runtime.containers.sites import boxed_again
from runtime.graph import Operation, Value
from runtime.objects.anew import SAME_BY_VALUE, MayNotLeave, Parts, is_immutable, parts_of
from runtime.ops import objects
from runtime.ops.instances import VALUES, attributes, holds_attributes_only, plain_value
from runtime.ops.template import Make, tuple_of
from runtime.tracer.builder import Staged
from runtime.tracer.chosen_parts import as_attribute, taken_by_run
from runtime.tracer.spec import Choice, make_template
from runtime.tracer.trace_globals import made_in_trace

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def with_objects(trace: Trace, structure: Any, stored: bool) -> Any:
    """A structure for a run, in which instances stand as objects of the run.

    ``stored``: who gets the structure keeps it, so that identity matters; else copies will do.
    """
    if isinstance(structure, tuple):
        parts = [with_objects(trace, part, stored) for part in structure]
        if all(map(lambda a, b: a is b, parts, structure)):
            return structure
        return tuple_of(structure, parts)
    if isinstance(structure, Make):
        args = _with_objects_in(trace, structure.args, stored)
        return Make(structure.function, args, with_objects(trace, structure.kwargs, stored))
    if type(structure) is list:  # of ours: those of the program are references
        return [with_objects(trace, part, stored) for part in structure]
    if type(structure) is dict:
        return {key: with_objects(trace, part, stored) for key, part in structure.items()}
    if isinstance(structure, Choice):
        ways = [with_objects(trace, way, stored) for way in structure.values]
        if all(map(lambda a, b: a is b, ways, structure.values)):
            return structure
        return Choice(structure.tag, tuple(ways))
    if isinstance(structure, Staged):
        trace.containers.check_leaves(structure)
        return boxed_again(structure)
    known = trace.outside.reference(structure)
    if known is not None:
        if isinstance(known, Staged):
            trace.containers.check_leaves(known)
        return known
    if trace.outside.is_local(structure):
        return trace.wrap(real_object(trace, structure)) if stored else _copy(trace, structure)
    made = leaving(trace, structure, "stored outside")
    if made is None:
        return structure
    if stored and not isinstance(structure, SAME_BY_VALUE):
        raise trace.refuse(
            f"a {type(structure).__name__} that is made inside is stored outside",
            "return it, or make it outside",
        )
    return Make(made[0], tuple([with_objects(trace, part, stored) for part in made[1]]))


def _with_objects_in(trace: Trace, args: tuple[Any, ...], stored: bool) -> tuple[Any, ...]:
    """The arguments of what is made in each run; a dict among them holds attributes, and is nobody's."""

    def part(arg: Any) -> Any:
        if type(arg) is dict:
            return {name: with_objects(trace, value, stored) for name, value in arg.items()}
        return arg if _is_class_of_errors(arg) else with_objects(trace, arg, stored)

    return tuple(map(part, args))


def _is_class_of_errors(value: Any) -> bool:
    """A class of exceptions, perhaps made inside: each run makes one of its parts, without `__init__`."""
    if not isinstance(value, type) or not issubclass(value, BaseException):
        return False
    return not any(made_in_trace(held) for name, held in vars(value).items() if name != "__init__")


def leaving(trace: Trace, value: Any, how: str) -> Parts | None:
    """How each run makes an object that leaves the trace; None where it can be the object itself."""
    try:
        parts = parts_of(value)
        made = id(value) in trace.outside.made_by_libraries and not is_immutable(value)
        if parts is None and made:
            raise MayNotLeave(f"a {type(value).__name__}")
        return parts
    except MayNotLeave as problem:
        raise trace.refuse(
            f"{problem} is {how}, which belongs to the trace that made it",
            "return values, and make the object outside of them",
        ) from None


def _copy(trace: Trace, instance: Any) -> Any:
    known = trace.outside.real.get(id(instance))
    if known is not None:
        return trace.wrap(known)
    held = {
        name: with_objects(trace, as_attribute(value), False) for name, value in attributes(instance).items()
    }
    cls = type(instance)
    if isinstance(instance, VALUES):
        return Make(objects.make_value, (cls, plain_value(instance), held))
    if not holds_attributes_only(cls):
        raise trace.refuse(
            f"a {cls.__name__} that is made inside is needed in a run, and holds more than attributes",
            "use its parts, or make it outside",
        )
    return Make(objects.make_object, (cls, held))


def real_object(trace: Trace, instance: Any) -> Value:
    """The object that a run has for ``instance``, made where the trace made that, of what it holds now."""
    known = trace.outside.real.get(id(instance))
    if known is None:
        frame, block = trace.outside.births[id(instance)]
        is_new = block in trace.blocks and not written_since(trace, frame, instance)
        if not is_new or id(instance) in trace.outside.being_made:
            trace.references.require_class(instance)
            raise trace.refuse(
                f"a {type(instance).__name__} is stored outside that other conditions made and changed, "
                "or that refers to itself",
                "store it where it is made, or make it outside",
            )
        trace.outside.being_made.add(id(instance))
        with trace.into(block):
            held = {name: _part(trace, value) for name, value in attributes(instance).items()}
            known = _append(trace, type(instance), held)
        trace.outside.being_made.discard(id(instance))
        trace.outside.real[id(instance)] = known
    return known


def exception_of_run(trace: Trace, error: BaseException) -> Any:
    """The run's object for an exception that the trace made; another one, and a reference, as they are."""
    if trace.references.is_reference(error) or not trace.outside.is_local(error):
        return error
    return trace.wrap(real_object(trace, error))


def written_since(trace: Trace, frame: Any, instance: Any) -> bool:
    """Did a block that is still open write to the instance after it was made in an outer one? Or another path
    of the branches that are traced now, whose stores knew of no object of the run?"""
    keys = _keys_since(trace, frame)
    return any(isinstance(key, tuple) and key[:2] == ("attribute", id(instance)) for key in keys)


def _keys_since(trace: Trace, frame: Any) -> list[Any]:
    inner = trace.frames[trace.frames.index(frame) + 1 :] if frame in trace.frames else trace.frames
    keys = [key for one in inner for key in (*one.written, *one.heads)]
    return keys + [key for paths in trace.beside for path in paths if not path.ended for key in path.slots]


def _part(trace: Trace, value: Any) -> Any:
    """An attribute of an object of a run: what is in it is real, too."""
    if trace.outside.is_local(value):
        return trace.wrap(real_object(trace, value))
    return with_objects(trace, value, True)


def _append(trace: Trace, cls: type, held: dict[str, Any]) -> Value:
    if not holds_attributes_only(cls):
        raise trace.refuse(
            f"a {cls.__name__} that is made inside is stored, and holds more than attributes",
            "store its attributes, or make it outside",
        )
    held = {name: taken_by_run(as_attribute(value)) for name, value in held.items()}
    template, leaves = make_template(held)
    values = tuple([trace.value_of(leaf) for leaf in leaves])
    attributes_ = {"cls": cls, "template": template}
    return trace.append(Operation("object.new", values, (objects.type_of_new(cls),), attributes_)).output


__all__ = ["exception_of_run", "leaving", "real_object", "with_objects"]
