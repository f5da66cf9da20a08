"""Arrays of two dtypes that meet in a variable: the promoted one is a copy, as long as nobody can tell.

    p = ints if c else floats
    p[0] = 7                        # must write into the one that was chosen

Where such a copy is written, or its original afterwards, the trace begins again with arrays of different
dtypes kept apart: the variable is one or the other, and what is done with it is done with that one.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import replace

from autograph.errors import StagingError
from runtime.graph import Graph, Operation, walk
from runtime.graph.effects import OUTSIDE, Memory
from runtime.tracer.decisions import Restart
from runtime.tracer.spec import Leaf, Spec, Variant, join, join_kinds
from runtime.tracer.trace import Trace
from runtime.types import ArrayType


def joiner(trace: Trace) -> Callable[[Spec, Spec], Spec]:
    """How specs are joined in this attempt."""
    return join_apart if trace.decisions.arrays_apart else join


def join_apart(a: Spec, b: Spec) -> Spec:
    """As ``join``, but arrays of different dtypes are not promoted.

    >>> from runtime.types import parse_type
    >>> print(join_apart(Leaf(parse_type("i64[3]")), Leaf(parse_type("f64[3]"))))
    i64[3] | f64[3]
    """
    return join_kinds(a, b) if _holds_array(a) and _holds_array(b) else join(a, b)


def _holds_array(spec: Spec) -> bool:
    if isinstance(spec, Leaf):
        return isinstance(spec.type, ArrayType)
    parts = spec.alternatives if isinstance(spec, Variant) else getattr(spec, "items", ())
    return any(map(_holds_array, parts))


def keep_apart(trace: Trace, graph: Graph) -> None:
    """Begin the trace again where a promoted copy would show. Raises StagingError where it still does."""
    operations = list(graph.operations())
    copies = [op for op in operations if _is_promotion(op)]
    if not copies:
        return
    memory = Memory(graph)
    in_loops = {
        op for loop in operations if loop.name in ("while", "for") for b in loop.blocks for op in walk(b)
    }
    for copy in copies:
        later = operations if copy in in_loops else operations[operations.index(copy) + 1 :]
        if not _shows(copy, [op for op in later if op is not copy and not op.blocks], memory):
            continue
        if not trace.decisions.arrays_apart:
            decisions = replace(trace.decisions, arrays_apart=True)
            raise Restart(decisions, "arrays of different dtypes meet in a variable, and one is written")
        raise _refused(copy)


def _is_promotion(op: Operation) -> bool:
    return op.name == "cast" and all(isinstance(v.type, ArrayType) for v in (*op.inputs, *op.outputs))


def _shows(copy: Operation, later: list[Operation], memory: Memory) -> bool:
    """Is the copy written while others have the original, or the original while the copy is used?"""
    original, made = memory.roots(copy.inputs[0]), memory.roots(copy.output)
    written = frozenset().union(*[memory.writes(op) for op in later])
    if not written.isdisjoint(original):
        return True
    if written.isdisjoint(made):
        return False
    used = frozenset().union(*[memory.roots(value) for op in later for value in op.inputs])
    return OUTSIDE in original or not used.isdisjoint(original)


def _refused(copy: Operation) -> StagingError:
    file, line = (copy.location.file, copy.location.line) if copy.location else (None, None)
    return StagingError(
        f"an array is {copy.inputs[0].type} on one path and {copy.output.type} on another, and is written",
        file=file,
        line=line,
        source_line=linecache.getline(file, line).rstrip("\n") if file and line else None,
        hint="give it one dtype on all paths",
    )
