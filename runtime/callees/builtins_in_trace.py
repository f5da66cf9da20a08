"""The builtins that converted code sees while it is traced: some of them are ours.

They are named in places where no call passes the tracer: `import`, and functions whose calls stay as they
are because they may look at the frame.
"""

from __future__ import annotations

import builtins
import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from runtime.control_flow import choices
from runtime.guards.paths import Constant, Item
from runtime.iteration.indexed import Indexed
from runtime.iteration.iterators import OutsideIterator, TracedIterator
from runtime.objects import introspection, making_classes, traced_super
from runtime.ops.instances import has_dict
from runtime.staged import exceptions, value_classes
from runtime.tracer.builder import Staged
from runtime.tracer.trace_globals import TraceGlobals

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def builtins_for(trace: Trace, module: dict[str, Any]) -> dict[str, Any]:
    """A copy of the builtins of `module`, some of them replaced."""
    held = module.get("__builtins__", builtins)
    found = _Names(vars(held) if isinstance(held, ModuleType) else held)
    for name, ours in replaced_builtins(trace).items():
        if found.get(name) is getattr(builtins, name):
            found[name] = ours
    if found.get("super") is super:
        found.trace = trace
        del found["super"]
    return found


class _Names(dict[str, Any]):
    """Builtins: their `super`, which few programs need, is loaded when it is asked for."""

    trace: Trace

    def __missing__(self, name: str) -> Any:
        if name != "super" or not hasattr(self, "trace"):
            raise KeyError(name)
        if self.trace.outside.stand_in_of(super) is None:
            self.trace.outside.stands_for(traced_super.TracedSuper, super, Constant(super, "super"))
        found = self["super"] = self.trace.outside.stand_in_of(super)
        return found


def replaced_builtins(trace: Trace) -> dict[str, Any]:
    """The builtins that a trace has others for; where they leave it, Python's own do."""
    known = trace.outside.stand_in_of(builtins.eval)
    ours = _Builtins(trace) if known is None else known.__self__
    found = {name: getattr(ours, method) for name, method in _METHODS.items()}
    if known is None:
        for name, stand_in in found.items():
            original = getattr(builtins, name)
            trace.outside.stands_for(stand_in, original, Constant(original, name))
    return {name: trace.outside.stand_in_of(getattr(builtins, name)) for name in found}


_METHODS = {
    "__build_class__": "build_class",
    "__import__": "load",
    "globals": "global_names",
    "vars": "variables_of",
    "dir": "names_of",
    "eval": "refuse",
    "exec": "refuse",
}


class _Builtins:
    """Those that look at the frame of their caller, or do what the trace is to know of."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def load(
        self, name: str, variables: Any = None, local: Any = None, wanted: Any = (), level: int = 0
    ) -> ModuleType:
        made: ModuleType = builtins.__import__(
            name, getattr(variables, "module", variables), local, wanted, level
        )
        path = Item(Constant(sys.modules, "sys.modules"), made.__name__)
        if sys.modules.get(made.__name__) is made:
            self.trace.outside.import_value(made, path)
        return self.trace.seen(made) if wanted else made  # `from made import wanted` reads attributes

    def variables_of(self, *args: Any) -> Any:
        return choices.dispatch(args[0], self._held_by) if args else sys._getframe(1).f_locals

    def names_of(self, *args: Any) -> Any:
        return choices.dispatch(args[0], self._names_in) if args else sorted(sys._getframe(1).f_locals)

    def global_names(self) -> Any:
        names = sys._getframe(1).f_globals
        if isinstance(names, TraceGlobals):
            raise self.trace.refuse(
                "`globals()` gives all names at once, so that no change of one is seen",
                "write the name itself, and declare it with `global` to assign to it",
            )
        return names

    def refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise self.trace.refuse(
            "text that is run as Python has effects that the graph would not have",
            "write the code itself, or run the text outside the decorated function",
        )

    def build_class(self, *args: Any, **kwargs: Any) -> Any:
        made = making_classes.build_class(self.trace, *args, **kwargs)
        if isinstance(made, type):
            self.trace.outside.classes.made(made)
        return made

    def _held_by(self, value: Any) -> Any:
        if isinstance(value, type):
            return introspection.program_namespace(self.trace, value)
        attributes = self.trace.outside.attributes
        is_known = isinstance(value, Staged | FunctionType) or attributes.knows(value)
        if is_known and (isinstance(value, Staged) or has_dict(value)):
            raise attributes.refuse_namespace(value)
        return vars(0 if _stands_in(value) else value)  # neither a number nor an iterator has any

    def _names_in(self, value: Any) -> Any:
        if isinstance(value, exceptions.StagedException):
            return value.__dir__()  # which is refused
        attributes = self.trace.outside.attributes
        if not attributes.knows(value):
            return dir(value_classes.class_of(value) if _stands_in(value) else value)
        raise attributes.refuse_namespace(value)


def _stands_in(value: Any) -> bool:
    """Is it something of ours, in the place of a value of the program?"""
    return isinstance(value, Staged | Indexed | TracedIterator | OutsideIterator)
