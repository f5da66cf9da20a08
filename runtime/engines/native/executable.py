"""A compiled graph: the callable, and what ``explain()`` shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from runtime import debug
from runtime.engines import tracebacks
from runtime.engines.native import codegen, disk, jit, lower
from runtime.engines.native.loops import Single
from runtime.engines.native.objects.callables import Callables
from runtime.graph import Graph, Location, Operation
from runtime.ops.definition import REGISTRY
from runtime.passes import write_out
from runtime.types import INT

if TYPE_CHECKING:
    from runtime.engines.native.jit import Library


class _State(Callables):
    """What machine code needs to live: kept by the built-in function that runs it."""

    def __init__(self, library: Library, kept: list[object], sites: list[Location | None]) -> None:
        super().__init__(library, kept)
        self.sites = sites


def note_failure(state: _State, site: int, error: BaseException) -> None:
    """Called by machine code when an exception leaves it: the exception gets the user's line."""
    tracebacks.located(error, state.sites[site])


class Executable:
    """Call it with the arguments, which are not checked here.

    ``run`` is machine code itself and takes a list, exactly.
    """

    def __init__(self, graph: Graph, exact: bool = False, cache: bool | None = None) -> None:
        self.graph = graph
        if not exact and lower.calls_in_loops(graph):
            graph = write_out.write_out_in_loops(graph, lower.is_called)
        self._program = lower.lower(graph, exact)
        with disk.using(cache) as self.cache:
            self._compile()

    def _compile(self) -> None:
        code = codegen.ProgramCode(self._program)
        code.write()
        entries, often = ["entry_body"], self._program.calls_often()
        if code.is_long:
            straight, loops, names = code.in_parts(entries)
            self.llvm = straight + loops
            library = jit.jit(note_failure).compile_in_parts(
                straight, loops, code.symbols, entries, names, often, code.has_short_loops
            )
        else:
            self.llvm = code.text()
            library = jit.jit(note_failure).compile(
                self.llvm, code.symbols, entries, often, code.has_short_loops
            )
        self._state = _State(library, [*code.kept, *code.slow_ways], code.sites)
        self.slow_ways = code.slow_ways
        self.in_one_thread = code.in_one_thread
        body = self._program.body
        count = len(body.results) if body.ends == "yield" else 0
        self.run = self._state.entry(jit.jit().entry(), self.graph.name, "entry_body", count)

    def __call__(self, arguments: Sequence[Any]) -> list[Any]:
        return self.run(list(arguments))

    def body(self) -> tuple[int, object]:
        """The address of the function that takes addresses, and its first argument, which keeps it alive."""
        return self._state.library.address("entry_body"), self._state

    @property
    def loops(self) -> str:
        """The loop-nest form."""
        return str(self._program)

    @property
    def optimised(self) -> str:
        """LLVM's text form after its passes."""
        return self._state.library.optimised()

    @property
    def assembly(self) -> str:
        return self._state.library.assembly()

    @cached_property
    def fallbacks(self) -> list[tuple[str, Location | None]]:
        """The operations that call their NumPy kernel, with their places."""
        singles = [s for s in self._program.statements() if isinstance(s, Single) and s.how == "call"]
        return [(s.operation.name, s.location) for s in singles]


def compile(graph: Graph, exact: bool = False, cache: bool | None = None) -> Executable:
    """Machine code for a graph; ``exact``: NumPy's kernels do what loops would round otherwise;
    ``cache``: see `disk.using`.

    AUTOGRAPH_DEBUG=1 names what calls NumPy, 3 shows loop nests and LLVM.
    """
    executable = Executable(graph, exact, cache)
    if debug.level() >= 1:
        calls = [f"{name} at {location}" for name, location in executable.fallbacks]
        debug.show(
            1, f"native {graph.name}: {len(calls)} operations call their NumPy kernel", "\n".join(calls)
        )
        debug.show(3, f"native {graph.name}: loop nests", executable.loops)
        debug.show(3, f"native {graph.name}: LLVM", executable.llvm)
    return executable


def supports(graph: Graph) -> str | None:
    """Why the engine cannot take a graph; None when it can."""
    found = unsupported(graph)
    return found and found[0]


def unsupported(graph: Graph) -> tuple[str, Location | None] | None:
    """Why the engine cannot take a graph, and which place of the user's is to blame; None when it can."""
    for op in [op for part in graph.whole() for op in part.operations()]:
        reason = _unsupported(op)
        if reason is not None:
            return reason, op.location
    return None


def _unsupported(op: Operation) -> str | None:
    if op.is_control or op.is_call or op.is_landing:
        return None
    if op.blocks:
        return f"`{op.name}` at {op.location} has no machine code yet"
    if op.name not in REGISTRY or REGISTRY[op.name].kernel is None:
        return f"operation {op.name} is not known"
    if op.is_constant and op.output.type == INT and not -(2**63) <= op.attributes["value"] < 2**63:
        return f"the constant {op.attributes['value']} does not fit in 64 bits"
    return None
