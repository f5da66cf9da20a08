"""Exceptions of the user's classes that only a run knows, in a handler that asks for what they hold.

    try:
        tree = parse(tokens)            # a recursion, which raises somewhere
    except ParseError as error:
        return error.position

The first time that the trace reads an attribute of such an exception, it begins again with the classes as
references (`runtime/objects/references.py`): what is raised are real objects of the run then, each attribute
of which has a known kind.
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
    made = CaughtInstance(error.value, trace)
    object.__setattr__(made, "types", types)
    instance = made.instance(chosen)
    return made if instance is None else instance


def is_unknown(error: Any) -> bool:
    return type(error) is StagedException


class CaughtInstance(StagedException):
    """An exception that may be of a user's class, as long as none of these is one of references."""

    __slots__ = ("types",)

    @property
    def args(self) -> Any:
        self._require()
        return super().args

    def unknown(self, what: str) -> Exception:
        self._require()
        return super().unknown(what)

    def __getattr__(self, name: str) -> Any:
        self._require()
        return super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ("builder", "value", "types"):
            self._require()
        super().__setattr__(name, value)

    def _require(self) -> None:
        trace: Any = self.builder
        trace.references.require_exceptions(self.types)

    def instance(self, chosen: Any) -> Any:
        """The exception as an instance of its class, or of one of several; None: none is of references."""
        trace: Any = self.builder
        classes = [cls for cls in trace.references.exceptions() if issubclass(cls, self.types)]
        if not classes:
            return None
        closed = all(one.__flags__ & HEAP_TYPE and holds_only_arguments(one) for one in _flat(self.types))
        accepts = HoldsKnown(trace.references.specs_of(classes))

        def ask() -> Any:
            return emit("exception.which", [self], classes=tuple(classes), accepts=accepts, closed=closed)

        which = ask() if chosen is None else branch(chosen, ask, lambda: 0)
        instances = [emit("exception.instance", [self], type=InstanceType(c.__name__, c)) for c in classes]
        if not closed:
            instances.append(OtherException(self.value, trace))
        return Choice(which, tuple(instances)) if len(instances) > 1 else instances[0]


class OtherException(StagedException):
    """One that may be of any class but those that the trace has seen made: Python's own, as a rule."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        emit("exception.lacks", [self], name=name)
        kind = emit("class.name", [emit("class_of", [self])], name="__name__")
        raise AttributeError("'" + kind + f"' object has no attribute {name!r}", name=name)


def _flat(types: Any) -> Iterator[type]:
    if isinstance(types, tuple):
        for one in types:
            yield from _flat(one)
    else:
        yield types
