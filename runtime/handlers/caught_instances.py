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

import functools
from typing import Any

from runtime.objects.known_kinds import holds_known
from runtime.staged.exceptions import StagedException
from runtime.tracer.builder import emit
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace
from runtime.types import InstanceType


def known_class(trace: Trace, error: Any, types: Any) -> Any:
    """An exception of which a handler knows that it is an instance of `types`."""
    if isinstance(error, Choice):
        return Choice(error.tag, tuple([known_class(trace, one, types) for one in error.values]))
    if type(error) is not StagedException:
        return error
    made = CaughtInstance(error.value, trace)
    object.__setattr__(made, "types", types)
    instance = made.instance()
    return made if instance is None else instance


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

    def instance(self) -> Any:
        """The exception as an instance of its class, or of one of several; None: none is of references."""
        trace: Any = self.builder
        classes = [cls for cls in trace.references.classes() if issubclass(cls, self.types)]
        if not classes:
            return None
        accepts = functools.partial(holds_known, trace.references.specs_of(classes))
        which = emit("exception.which", [self], classes=tuple(classes), accepts=accepts)
        instances = [emit("exception.instance", [self], type=InstanceType(c.__name__, c)) for c in classes]
        return Choice(which, tuple(instances)) if len(instances) > 1 else instances[0]
