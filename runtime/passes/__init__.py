"""Graph rewrites, one per file: each takes a graph and returns a new one that computes the same.

>>> from runtime.formats.parse import parse
>>> print(optimize(parse('''
... graph f(x: int) -> int:
...     two: int = py.add(1, 1)
...     unused: int = py.add(x, 5)
...     y: int = py.mul(x, two)
...     return y
... ''')), end="")
graph f(x: int) -> int:
    y: int = py.mul(x, 2)
    return y
"""

from __future__ import annotations

import time
from collections.abc import Callable

from autograph.loading import later
from runtime import debug
from runtime.graph import Graph
from runtime.graph.rewrite import map_functions
from runtime.graph.verify import verify
from runtime.passes.common_subexpressions import merge_common_subexpressions, merge_outside_of_branches
from runtime.passes.constants import fold_constants
from runtime.passes.dead_code import remove_constant_state, remove_dead_code
from runtime.passes.loop_invariants import hoist_loop_invariants
from runtime.passes.simplify import simplify

later(__name__, "in_place", "raise_as_written", "replace_aggregates", "sink_stores", "split_pairs")
later(__name__, "use_buffers", "write_out")
from runtime.passes import (
    in_place,
    raise_as_written,
    replace_aggregates,
    sink_stores,
    split_pairs,
    use_buffers,
)

#: gives back the graph itself where there is nothing to do
Pass = Callable[[Graph], Graph]


def put_lists_into_buffers(graph: Graph) -> Graph:
    """Lists that nobody else sees become memory; most graphs make none, and load no pass for them."""
    has_lists = any(op.makes_container for op in graph.operations())
    return use_buffers.use_buffers(graph) if has_lists else graph


def split_lists_of_pairs(graph: Graph) -> Graph:
    """Pairs that are only taken apart; most graphs have none, and load no pass."""
    has_pairs = any(op.makes_pairs for op in graph.operations())
    return split_pairs.split_pairs(graph) if has_pairs else graph


def remove_aggregates(graph: Graph) -> Graph:
    """Objects that nobody else sees, and lists that nobody reads; most graphs make none, and load no pass."""
    operations = list(graph.operations())
    if any(op.makes_object or op.makes_container for op in operations):
        graph = remove_dead_code(graph)
    has_objects = any(op.makes_object for op in operations)
    return replace_aggregates.replace_aggregates(graph) if has_objects else graph


def make_where_raised(graph: Graph) -> Graph:
    """Exceptions that nobody but their `raise` sees; most graphs raise none, and load no pass for them."""
    raises = any(op.is_raise for op in graph.operations())
    return raise_as_written.make_where_raised(graph) if raises else graph


def sink_stores_of_loops(graph: Graph) -> Graph:
    """Stores to attributes and variables leave the loops; most graphs have none, and load no pass."""
    stores = any(op.stores_outside or op.is_attribute_store for op in graph.operations())
    return sink_stores.sink_stores(graph) if stores else graph


def replace_in_place(graph: Graph) -> Graph:
    """Writes into arrays become new arrays, which have derivatives."""
    return in_place.replace_in_place(graph)


PIPELINE: list[Pass] = [
    remove_aggregates,
    # before those that ask about memory: a list is seen by unknown code, a buffer by nobody
    put_lists_into_buffers,
    split_lists_of_pairs,
    fold_constants,  # also takes the branch of an `if` that is known, so it comes first
    simplify,
    remove_constant_state,  # what a loop never changes becomes an outer value: more to fold and to hoist
    remove_dead_code,  # before those that ask about memory, which takes longest
    make_where_raised,  # the handlers that want no such object are given none by now
    merge_common_subexpressions,
    hoist_loop_invariants,
    sink_stores_of_loops,
]

#: JAX has lists and stores of its own
FOR_JAX = [run for run in PIPELINE if run not in (put_lists_into_buffers, sink_stores_of_loops)]

#: what is computed once, or before a loop, is undone once
BEFORE_GRADIENTS: list[Pass] = [
    remove_aggregates,
    fold_constants,
    simplify,
    remove_constant_state,
    remove_dead_code,
    make_where_raised,
    merge_outside_of_branches,
    hoist_loop_invariants,
    replace_in_place,
]

#: a pass may open the way for an earlier one; more rounds than this were never useful
MAX_ROUNDS = 3


def optimize(graph: Graph, passes: list[Pass] | None = None) -> Graph:
    """An equivalent graph that does less, its functions too, by `PIPELINE` or other passes.

    The argument is left as it is.
    """
    result = map_functions(graph, lambda part: _optimized(part, PIPELINE if passes is None else passes))
    if debug.verifies():
        verify(result)
    return result


def prepare_for_gradient(graph: Graph) -> Graph:
    """One graph before it is differentiated; the graph itself where there is nothing to do."""
    return _optimized(graph, BEFORE_GRADIENTS)


def _optimized(graph: Graph, passes: list[Pass]) -> Graph:
    result = graph
    for _ in range(MAX_ROUNDS):
        before = result
        for run in passes:
            result = apply(run, result)
        if result is before:
            break
    result.found.clear()
    return result


def apply(run: Pass, graph: Graph) -> Graph:
    """One pass, timed and shown as AUTOGRAPH_DEBUG says."""
    start = time.perf_counter()
    result = run(graph)
    debug.after(run.__name__, graph, result, time.perf_counter() - start)
    return result
