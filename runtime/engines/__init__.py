"""The engines: each compiles a graph to something that runs it.

``compile_graph(graph, "auto")`` takes the native engine where it can and says why where it cannot.

* **numpy** (`engines/numpy_engine.py`) is the reference: a list of steps over one list of
  registers, which nested blocks share. A value's register is emptied where it dies.
* Exceptions leave either engine with traceback entries at the user's line and at those of the
  calls that led there (`engines/tracebacks.py`); a `Location` knows its `caller`
  (`callers.py`), and a handler sees the traceback from its own function on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import StagingError
from autograph.loading import later
from autograph.records import record
from runtime.arguments import check_engine
from runtime.graph import Graph, Operation
from runtime.graph.rewrite import constant_of
from runtime.graph.user_locations import user_location
from runtime.types import ArrayType

later(__name__, "constant_arrays", "jax_engine", "native", "numerics", "numpy_engine", "tracebacks")
from runtime.engines import constant_arrays, jax_engine, native, numpy_engine, tracebacks


@record(slots=False)
class Compiled:
    """A graph ready to run. ``reason`` says why ``engine`` is not the native one, where that was wanted."""

    run: Callable[[Sequence[Any]], Sequence[Any]]
    engine: str
    reason: str | None
    executable: Any


def compile_for_jax(graph: Graph, expanded: Callable[[], Graph]) -> Compiled:
    """Compile for JAX. ``expanded`` gives the graph with its derivatives written out, for the calls that the
    reference engine makes: few functions have any."""

    def reference(arguments: Sequence[Any]) -> Sequence[Any]:
        return compile_graph(expanded(), "numpy").run(arguments)

    on_jax = jax_engine.Executable(graph, reference)
    return Compiled(on_jax.run, "jax", None, on_jax)


def compile_graph(graph: Graph, engine: str, cache: bool | None = None) -> Compiled:
    """Compile with the engine of that name. ``cache``: is machine code kept on disk? Raises ArgumentError for
    a name that is no engine's, StagingError where the native engine was demanded and cannot run the graph."""
    check_engine(engine)
    if any(map(_is_array_of_constants, graph.body.operations)):
        graph = constant_arrays.fold_constant_arrays(graph)
    reason = None
    if engine != "numpy":
        found = native.unsupported(graph)
        if found is None:
            executable = native.compile(graph, engine == "exact", cache)
            return Compiled(_quiet(graph, executable.run), "native", None, executable)
        reason, location = found
        if engine == "native":
            error = StagingError(
                f"the native engine cannot run {graph.name}: {reason}",
                hint='take engine="auto" or engine="numpy"',
            )
            raise tracebacks.located(
                error, location if location is not None and location.line else user_location()
            )
    interpreted = numpy_engine.compile(graph)
    return Compiled(_quiet(graph, interpreted.__call__), "numpy", reason, interpreted)


def _is_array_of_constants(op: Operation) -> bool:
    is_array = len(op.outputs) == 1 and isinstance(op.output.type, ArrayType) and not op.is_constant
    return is_array and None not in map(constant_of, op.inputs)


def _quiet(
    graph: Graph, run: Callable[[Sequence[Any]], Sequence[Any]]
) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """``run`` without NumPy's floating-point warnings, where the program asks for that somewhere."""
    if not any(operation.name == "errstate" for part in graph.whole() for operation in part.operations()):
        return run

    def quiet(arguments: Sequence[Any]) -> Sequence[Any]:
        with np.errstate(all="ignore"):
            return run(arguments)

    return quiet
