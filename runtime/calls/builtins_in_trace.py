"""The builtins that converted code sees while it is traced: some of them are ours.

They are named in places where no call passes the tracer: `import`, and functions whose calls stay as they
are because they may look at the frame.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from types import MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from runtime.guards.paths import Constant, Item
from runtime.objects import making_classes, seen_attributes

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def builtins_for(trace: Trace, module: dict[str, Any]) -> dict[str, Any]:
    """A copy of the builtins of `module`, some of them replaced."""
    held = module.get("__builtins__", builtins)
    found = _Names(vars(held) if isinstance(held, ModuleType) else held)
    for name, ours in _OURS.items():
        if found.get(name) is getattr(builtins, name):
            found[name] = _stand_in(trace, getattr(builtins, name), MethodType(ours, trace))
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
        found = self["super"] = _stand_in(self.trace, super, seen_attributes.TracedSuper)
        return found


def _stand_in(trace: Trace, original: Any, ours: Any) -> Any:
    """What a trace has for a builtin: ``ours``, for all modules that of the first one."""
    if trace.outside.stand_in_of(original) is None:
        trace.outside.stands_for(ours, original, Constant(original, original.__name__))
    return trace.outside.stand_in_of(original)


def _load(
    trace: Trace, name: str, variables: Any = None, local: Any = None, wanted: Any = (), level: int = 0
) -> ModuleType:
    made: ModuleType = builtins.__import__(
        name, getattr(variables, "module", variables), local, wanted, level
    )
    path = Item(Constant(sys.modules, "sys.modules"), made.__name__)
    if sys.modules.get(made.__name__) is made:
        trace.outside.import_value(made, path)
    return trace.seen(made) if wanted else made  # `from made import wanted` reads attributes


def _build_class(trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    made = making_classes.build_class(trace, *args, **kwargs)
    if isinstance(made, type):
        trace.outside.classes.made(made)
    return made


def _refuse_names(trace: Trace, *args: Any) -> Any:
    raise trace.refuse(
        "`globals()`, `dir()` and `vars()` give all names at once, so that no change of one is seen",
        "write the name itself, and declare it with `global` to assign to it",
    )


def _refuse_variables(trace: Trace, *args: Any) -> Any:
    raise trace.outside.attributes.refuse_namespace(args[0]) if args else _refuse_names(trace)


def _refuse_text(trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
    raise trace.refuse(
        "text that is run as Python has effects that the graph would not have",
        "write the code itself, or run the text outside the decorated function",
    )


#: those that look at the frame of their caller, or do what the trace is to know of
_OURS: dict[str, Callable[..., Any]] = {
    "__build_class__": _build_class,
    "__import__": _load,
    "vars": _refuse_variables,
    "globals": _refuse_names,
    "dir": _refuse_names,
    "eval": _refuse_text,
    "exec": _refuse_text,
}
