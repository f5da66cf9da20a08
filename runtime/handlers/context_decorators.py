"""Context managers as decorators of functions that a trace calls: `contextlib.ContextDecorator`.

    @track("fit")               # or what a function of `contextlib.contextmanager` gives
    def fit(x): ...

The wrapper, ``with self._recreate_cm(): return func(*args, **kwds)``, is a function of contextlib's that runs
converted (`autograph/config.py`); here is what `_recreate_cm` gives.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from runtime.guards.paths import Attribute, Path, is_identical
from runtime.handlers.generator_contexts import GeneratorContext
from runtime.staged.unreadable import Unreadable

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace

_ITSELF = contextlib.ContextDecorator._recreate_cm


class OutsideManager(Unreadable):
    """Stands for what a function of `contextlib.contextmanager` gave outside the trace.

    Its generator cannot be entered: it would be advanced once, while tracing. As a decorator it says only how
    a manager is made for each call.
    """

    def __init__(self, trace: Trace, original: Any, path: Path) -> None:
        def refusal() -> Exception:
            return trace.refuse(
                f"`{path}` was made outside the decorated function, and can be entered only once",
                "call the function that makes it inside the decorated function",
                str(path),
            )

        super().__init__(original, refusal)
        read = lambda name: trace.outside.import_value(getattr(original, name), Attribute(path, name))
        made_of = read("func"), tuple(read("args")), dict(read("kwds"))
        object.__setattr__(self, "made_of", made_of)

    def _recreate_cm(self) -> GeneratorContext:
        return GeneratorContext(*self.made_of)


def import_manager(trace: Trace, value: Any, path: Path) -> Any:
    """What stands for a manager of contextlib's that was made outside; None for anything else."""
    if type(value) is not contextlib._GeneratorContextManager:
        return None
    trace.outside.add_guard(path, is_identical(value), "this context manager", routine=True)
    return OutsideManager(trace, value, path)


def manager_of_call(function: Any) -> Any:
    """The manager that a call of a function so decorated enters, or NotImplemented."""
    plain, owner = getattr(function, "__func__", None), getattr(function, "__self__", None)
    if type(owner) is OutsideManager:
        return function()
    if plain is not _ITSELF:
        return NotImplemented
    if type(owner) is GeneratorContext:
        return GeneratorContext(owner.function, owner.args, owner.kwargs)
    return owner
