"""The guards of a new trace hold on the very call that it was made for.

A trace changes nothing in the world, so that before its first run the world is as it was traced. A guard that
does not hold then would hold at no later call either, and each of them would be traced again, unseen: that is
a fault of ours, and said at once. (Where other threads run, they may have changed the world meanwhile.)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from autograph.errors import InternalError, error_at_definition
from runtime.functions.concrete import ConcreteFunction
from runtime.functions.retracing import failed_guards


def require_guards(concrete: ConcreteFunction, function: Callable[..., Any], leaves: list[Any]) -> None:
    """Raises InternalError where a guard of a new trace does not hold before its first run."""
    if concrete.check(leaves) or threading.active_count() > 1:
        return
    failed = "; ".join(f"`{guard.path}` is {guard.expected}" for guard in failed_guards(concrete, leaves))
    message = f"internal error: a guard of {concrete.name}() does not hold on the call that made it: {failed}"
    hint = (
        "this is a fault of autograph-runtime, not of your program: please report it with this guard; "
        "until it is repaired, pass what it speaks of as an argument or leave the function undecorated"
    )
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        raise InternalError(message, hint=hint)
    raise error_at_definition(InternalError, message, code, hint=hint)
