"""What a handler knows of the attributes of the exception that it is handed.

    raise ParseError("no number", position)     # a new object: the trace knows all that it holds
    ...
    except ParseError as error:
        return error.position                   # the value that was there, no load from the object

A landing notes the facts about the exception that its operation raises. The handler's facts are the join of
these, by class and attribute; where they differ in kind, a run is asked for the attribute.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.graph import Value
from runtime.handlers.raised import handled
from runtime.specs.spec import Const, Leaf, Spec, Tuple, leaf_types
from runtime.tracer.flattening import adapt, rebuild, undefined
from runtime.tracer.spec import Choice, join, spec_of
from runtime.types import Type

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

#: by class, and name of the attribute
ErrorFacts = dict[type, dict[str, Any]]


class Field(NamedTuple):
    """An attribute of the exceptions of a class, and what it holds wherever the body raises one."""

    cls: type
    name: str
    spec: Spec


class ErrorSpec(NamedTuple):
    """The exception of a handler: what it is, and what it holds."""

    spec: Spec
    fields: tuple[Field, ...]

    def types(self) -> list[Type]:
        """Of the flat values that stand for all of it."""
        specs = [self.spec, *(field.spec for field in self.fields)]
        return [kind for spec in specs for kind in leaf_types(spec)]

    def handled(self, trace: Trace, about: Iterator[Value], exception: Value) -> Any:
        """The exception as a handler sees it, in whose block this is."""
        error = handled(trace, rebuild(self.spec, about, trace), exception)
        held = [(field, rebuild(field.spec, about, trace)) for field in self.fields]
        for one in error.values if isinstance(error, Choice) else (error,):
            reference = trace.references.value(one)
            for field, value in held:
                if reference is not None and type(one) is field.cls:
                    trace.heap.learn(reference, field.name, value)
        return error


def facts_of(trace: Trace, error: Any) -> ErrorFacts:
    """What the trace knows here of an exception that is about to be raised."""
    found: ErrorFacts = {}
    errors = error.values if isinstance(error, Choice) else (error,)
    for one in errors:
        reference = trace.references.value(one)
        if reference is not None:
            cls = type(one)
            found[cls] = {} if cls in found else trace.heap.facts_about(reference)
    return found


def joined(landings: Sequence[ErrorFacts]) -> tuple[Field, ...]:
    """The attributes that are of one kind wherever an exception of their class is raised."""
    found = []
    for cls in dict.fromkeys(cls for one in landings for cls in one):
        known = [one[cls] for one in landings if cls in one]
        for name in known[0]:
            if all(name in one for one in known):
                spec = reduce(join, [spec_of(one[name]) for one in known])
                if _is_one(spec):
                    found.append(Field(cls, name, spec))
    return tuple(found)


def _is_one(spec: Spec) -> bool:
    """Is it no choice of several kinds?"""
    if isinstance(spec, Tuple):
        return all(map(_is_one, spec.items))
    return isinstance(spec, Const | Leaf)


def flat_facts(trace: Trace, facts: ErrorFacts, fields: Sequence[Field]) -> list[Value]:
    """What one landing hands over for these fields."""
    flat: list[Value] = []
    for cls, name, spec in fields:
        if cls in facts:
            flat += adapt(facts[cls][name], spec, trace)
        else:
            flat += [undefined(kind, trace) for kind in leaf_types(spec)]
    return flat
