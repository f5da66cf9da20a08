"""The builtins that converted code sees while it is traced: some of them are ours.

They are named in places where no call passes the tracer: `import`, and functions whose calls stay as they
are because they may look at the frame.
"""

from __future__ import annotations

import builtins
import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from runtime.guards.paths import Constant, Item
from runtime.iterables.iteration import Indexed
from runtime.iterables.iterators import OutsideIterator, TracedIterator
from runtime.tracer.builder import Staged

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


def builtins_for(trace: Trace, module: dict[str, Any]) -> dict[str, Any]:
    """A copy of the builtins of `module`, some of them replaced."""
    from runtime.control_flow.choices import dispatch
    from runtime.objects.traced_super import TracedSuper
    from runtime.objects.value_classes import class_of

    held = module.get("__builtins__", builtins)
    found = dict(vars(held) if isinstance(held, ModuleType) else held)

    def load(
        name: str, variables: Any = None, local: Any = None, wanted: Any = (), level: int = 0
    ) -> ModuleType:
        made: ModuleType = builtins.__import__(name, module, local, wanted, level)
        path = Item(Constant(sys.modules, "sys.modules"), made.__name__)
        if sys.modules.get(made.__name__) is made:
            trace.outside.import_value(made, path)
        return made

    def held_by(value: Any) -> Any:
        trace.outside.attributes.check_namespace(value)
        if isinstance(value, FunctionType):
            trace.outside.definitions.descriptions.mentioned.add("__dict__")
        return vars(0 if _stands_in(value) else value)  # neither an array, a number nor an iterator has any

    def names_in(value: Any) -> Any:
        trace.outside.attributes.check_namespace(value)
        return dir(class_of(value) if _stands_in(value) else value)

    def variables_of(*args: Any) -> Any:
        if not args:
            return sys._getframe(1).f_locals
        return dispatch(args[0], held_by)

    def names_of(*args: Any) -> Any:
        if not args:
            return sorted(sys._getframe(1).f_locals)
        return dispatch(args[0], names_in)

    def global_names() -> Any:
        names: Any = sys._getframe(1).f_globals
        return getattr(names, "shown", names)

    def refused(*args: Any, **kwargs: Any) -> Any:
        raise trace.refuse(
            "text that is run as Python has effects that the graph would not have",
            "write the code itself, or run the text outside the decorated function",
        )

    def build_class(*args: Any, **kwargs: Any) -> Any:
        made = builtins.__build_class__(*args, **kwargs)
        if isinstance(made, type):
            trace.outside.classes.made(made)
        return made

    found |= {"__build_class__": build_class, "super": TracedSuper}
    found |= {
        "globals": global_names,
        "__import__": load,
        "vars": variables_of,
        "dir": names_of,
        "eval": refused,
        "exec": refused,
    }
    return found


def _stands_in(value: Any) -> bool:
    """Is it something of ours, in the place of a value of the program?"""
    return isinstance(value, Staged | Indexed | TracedIterator | OutsideIterator)
