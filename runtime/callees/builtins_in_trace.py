"""The builtins that converted code sees while it is traced: some of them are ours.

They are named in places where no call passes the tracer: `import`, and functions whose calls stay as they
are because they may look at the frame.
"""

from __future__ import annotations

import builtins
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from runtime.guards.paths import Constant, Item
from runtime.objects import making_classes, traced_super

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def builtins_for(trace: Trace, module: dict[str, Any]) -> dict[str, Any]:
    """A copy of the builtins of `module`, some of them replaced."""
    held = module.get("__builtins__", builtins)
    found = _Names(vars(held) if isinstance(held, ModuleType) else held)
    ours = _Builtins(trace)
    for name, method in _METHODS.items():
        if found.get(name) is getattr(builtins, name):
            found[name] = _stand_in(trace, getattr(builtins, name), getattr(ours, method))
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
        found = self["super"] = _stand_in(self.trace, super, traced_super.TracedSuper)
        return found


def _stand_in(trace: Trace, original: Any, ours: Any) -> Any:
    """What a trace has for a builtin: ``ours``, for all modules that of the first one."""
    if trace.outside.stand_in_of(original) is None:
        trace.outside.stands_for(ours, original, Constant(original, original.__name__))
    return trace.outside.stand_in_of(original)


_METHODS = {
    "__build_class__": "build_class",
    "__import__": "load",
    "vars": "refuse_variables",
    "globals": "refuse_names",
    "dir": "refuse_names",
    "eval": "refuse_text",
    "exec": "refuse_text",
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

    def build_class(self, *args: Any, **kwargs: Any) -> Any:
        made = making_classes.build_class(self.trace, *args, **kwargs)
        if isinstance(made, type):
            self.trace.outside.classes.made(made)
        return made

    def refuse_names(self, *args: Any) -> Any:
        raise self.trace.refuse(
            "`globals()`, `dir()` and `vars()` give all names at once, so that no change of one is seen",
            "write the name itself, and declare it with `global` to assign to it",
        )

    def refuse_variables(self, *args: Any) -> Any:
        raise self.trace.outside.attributes.refuse_namespace(args[0]) if args else self.refuse_names()

    def refuse_text(self, *args: Any, **kwargs: Any) -> Any:
        raise self.trace.refuse(
            "text that is run as Python has effects that the graph would not have",
            "write the code itself, or run the text outside the decorated function",
        )
