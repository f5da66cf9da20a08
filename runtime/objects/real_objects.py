"""What a trace gives to a run: structures whose objects are those of the run, or that it makes anew."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from runtime.containers.sites import boxed_again
from runtime.objects.anew import SAME_BY_VALUE, MayNotLeave, Parts, is_immutable, parts_of
from runtime.ops.template import Make, mapped, tuple_of
from runtime.tracer.builder import Staged
from runtime.tracer.spec import Choice

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def with_objects(trace: Trace, structure: Any, stored: bool) -> Any:
    """A structure for a run, in which instances stand as objects of the run.

    ``stored``: who gets the structure keeps it, so that identity matters; else copies will do.
    """
    if isinstance(structure, tuple | Choice):
        held = structure.values if isinstance(structure, Choice) else structure
        parts = tuple([with_objects(trace, part, stored) for part in held])
        if all(map(operator.is_, parts, held)):
            return structure
        return Choice(structure.tag, parts) if isinstance(structure, Choice) else tuple_of(structure, parts)
    if isinstance(structure, Make) or type(structure) in (
        list,
        dict,
    ):  # of ours
        return mapped(structure, lambda part: with_objects(trace, part, stored))
    if isinstance(structure, Staged):
        trace.containers.check_leaves(structure)
        return boxed_again(structure)
    known = trace.outside.reference(structure)
    if known is not None:
        if isinstance(known, Staged):
            trace.containers.check_leaves(known)
        return known
    made = leaving(trace, structure, "stored outside")
    if made is None:
        return structure
    if stored and not isinstance(structure, SAME_BY_VALUE):
        raise trace.refuse(
            f"a {type(structure).__name__} that is made inside is stored outside",
            "return it, or make it outside",
        )
    return Make(made[0], tuple([with_objects(trace, part, stored) for part in made[1]]))


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
