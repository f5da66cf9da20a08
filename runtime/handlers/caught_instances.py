"""Exceptions of the user's classes that only a run knows, in a handler that asks for what they hold.

    try:
        tree = parse(tokens)            # a recursion, which raises somewhere
    except ParseError as error:
        return error.position

The exceptions that a trace makes are references (`runtime/objects/references.py`), each attribute of which
has a known kind. So a run says which of these classes it is that was caught.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.control_flow.branches import branch
from runtime.objects.known_kinds import HoldsKnown
from runtime.ops.instances import HEAP_TYPE, holds_only_arguments
from runtime.staged.exceptions import StagedException
from runtime.tracer.builder import emit
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.types import InstanceType


def known_class(trace: Trace, error: Any, types: Any, chosen: Any = None) -> Any:
    """An exception of which a handler knows that it is an instance of `types`.

    ``chosen``: a staged bool, whether it is this one of several that the run has; None: it is the only one.
    """
    if isinstance(error, Choice):
        values = [
            known_class(trace, one, types, emit("py.eq", [error.tag, position])) if is_unknown(one) else one
            for position, one in enumerate(error.values)
        ]
        return Choice(error.tag, tuple(values))
    if not is_unknown(error):
        return error
    instance = _instance(trace, error, types, chosen)
    return error if instance is None else instance


def is_unknown(error: Any) -> bool:
    return type(error) is StagedException


def _instance(trace: Trace, error: StagedException, types: Any, chosen: Any) -> Any:
    """The exception as an instance of its class, or of one of several; None: the trace has made none."""
    classes = [cls for cls in trace.references.exceptions() if issubclass(cls, types)]
    if not classes:
        return None
    closed = all(one.__flags__ & HEAP_TYPE and holds_only_arguments(one) for one in _flat(types))
    accepts = HoldsKnown(trace.references.specs_of(classes))

    def ask() -> Any:
        return emit("exception.which", [error], classes=tuple(classes), accepts=accepts, closed=closed)

    which = ask() if chosen is None else branch(chosen, ask, lambda: 0)
    instances = [emit("exception.instance", [error], type=InstanceType(c.__name__, c)) for c in classes]
    if not closed:
        instances.append(error)
    return Choice(which, tuple(instances)) if len(instances) > 1 else instances[0]


def _flat(types: Any) -> Iterator[type]:
    if isinstance(types, tuple):
        for one in types:
            yield from _flat(one)
    else:
        yield types
