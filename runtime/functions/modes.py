"""What a program turns on for all calls: plain Python in place of graphs, a look at every number.

And NumPy's state, which it turns on for NumPy: what to do about floating-point errors. A graph warns at most,
so that it is refused to do more.

np.seterr(divide="raise")
f(x)                          # refused, where `f` computes with NumPy's numbers

That state belongs to a context (a thread, a task) and is read for each call by a guard.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from autograph.errors import StagingError
from runtime.engines import tracebacks
from runtime.graph import Graph, Operation
from runtime.guards.paths import Constant, Guard
from runtime.guards.questions import HasState
from runtime.ops import REGISTRY
from runtime.tracer.builder import active_builders
from runtime.types import ArrayType, ScalarType


class Mode:
    """While it is on, its mark stands among the active builders: calls look here before they take the short
    way."""

    def __init__(self) -> None:
        self.is_on = False
        self.mark: Any = object()

    def turn(self, on: bool) -> None:
        if on != self.is_on:
            self.is_on = on
            (active_builders.append if on else active_builders.remove)(self.mark)


#: do calls look at what each operation makes (`debugging.check_numerics`)?
check_numerics = Mode()
_eager = Mode()
_here = threading.local()


def run_functions_eagerly(eager: bool) -> None:
    """From now on, decorated functions run as the plain Python they are (True), or as graphs (False)."""
    _eager.turn(bool(eager))


@contextmanager
def eagerly() -> Iterator[None]:
    """Decorated functions that this thread calls inside run as plain Python; those of others go on."""
    before = is_eager_here()
    _here.eager = True
    active_builders.append(_eager.mark)
    try:
        yield
    finally:
        active_builders.remove(_eager.mark)
        _here.eager = before


def is_eager_here() -> bool:
    return getattr(_here, "eager", False)


def is_eager() -> bool:
    return _eager.is_on or is_eager_here()


#: NumPy's state, a new object for each change; the default is None
_STATE: ContextVar[Any] = np._core.umath._extobj_contextvar  # type: ignore[attr-defined]
#: what a program does about an error; "warn" and "print" only tell about it
_ACTING = ("raise", "call", "log")
_COMPUTING = {"elementwise", "scalar", "reduction", "scan", "linear algebra", "conversion"}


def asked_for() -> dict[str, str]:
    """The errors that do more than warn in this context, and what they do.

    >>> with np.errstate(all="warn", under="raise"):
    ...     asked_for()
    {'under': 'raise'}
    """
    return {error: mode for error, mode in np.geterr().items() if mode in _ACTING}


def guard_float_errors(graph: Graph) -> Guard | None:
    """That floating-point errors warn at most, as a guard; None where the graph makes none.

    Raises StagingError where they do more now.
    """
    operation = next((op for part in graph.whole() for op in part.operations() if may_err(op)), None)
    if operation is None:
        return None
    asked = asked_for()
    if asked:
        raise _refused(operation, asked)
    quiet = HasState(_STATE, _STATE.get(None), asked_for)
    return Guard(Constant(np, "np.geterr()"), quiet, "without 'raise', 'call' or 'log'", routine=True)


def may_err(op: Operation) -> bool:
    """Does the operation compute with NumPy's numbers? Comparisons raise no floating-point errors.

    >>> from runtime.graph import Value
    >>> from runtime.types import parse_type
    >>> x, truths = Value(parse_type("f64[3]")), parse_type("bool[3]")
    >>> may_err(Operation("add", (x, x), (x.type,))), may_err(Operation("less", (x, x), (truths,)))
    (True, False)
    """
    family = REGISTRY[op.name].family if op.name in REGISTRY else ""
    writes = family == "memory" and "ufunc" in op.attributes
    if not writes and family not in _COMPUTING:
        return False
    numbers = [value.type for value in op.inputs if isinstance(value.type, ArrayType | ScalarType)]
    if not any(one.dtype.kind in "iufc" for one in numbers):
        return False
    results = [v.type for v in op.outputs if isinstance(v.type, ArrayType | ScalarType)]
    return writes or any(one.dtype.kind != "b" for one in results)


def _refused(op: Operation, asked: dict[str, str]) -> StagingError:
    error, mode = next(iter(asked.items()))
    refusal = StagingError(
        f"np.seterr or np.errstate asks NumPy to {mode} for {error!r} errors, which a graph does not do",
        hint=f'call it under `with np.errstate({error}="warn")`, or decorate it with fallback="python"',
    )
    return tracebacks.located(refusal, op.location)
