"""One trace of a function: its graph, the guards under which it is right, and how to run it."""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.errors import StagingError
from autograph.loading import is_loaded, without_collections
from autograph.locks import new_lock
from autograph.records import record
from runtime import recording, tensor
from runtime.arguments import as_typed, is_of_type, wrong_argument
from runtime.engines import Compiled, compile_for_jax, compile_graph, numerics
from runtime.engines.tracebacks import located
from runtime.formats.shown import ShownGraph
from runtime.functions import modes, programs
from runtime.functions.plans import Plan
from runtime.functions.recorded_lines import Lines
from runtime.functions.signature import Open, constants_in, is_data_argument, key_of
from runtime.functions.slow_notice import costly_part, telling
from runtime.functions.tensor_specs import OnDevice, TensorSpec
from runtime.graph import Graph, Location
from runtime.graph.rewrite import clone
from runtime.guards import keys as key_texts
from runtime.guards.paths import Attribute, Guard, Path, compile_fetch, compile_guards
from runtime.passes import FOR_JAX, optimize, remove_aggregates
from runtime.state import hooks
from runtime.state import variables as state_variables
from runtime.tracer.builder import Staged
from runtime.tracer.decisions import Site
from runtime.tracer.faults import no_fault_of_the_program
from runtime.types import OBJECT, ArrayType, type_of

if TYPE_CHECKING:
    from runtime.tracer.decisions import Decisions


class CreatedVariables:
    """The variables that a trace makes: on the call that first needs them, not on each.

        @rt.function                          @rt.function
        def f(x):                             def f(x):
            total = rt.Variable(0.0)              global total
            total.assign_add(x)                   if total is None:
            return total.value                        total = rt.Variable(0.0)
                                                  ...
        f(1.0); f(2.0)      # refused         f(1.0); f(2.0)      # made by the first call

    A call that makes some has to leave the world such that the next one makes no more: the guards
    of its trace hold no longer. Where they still do, what the variables held is lost with the
    call, and the next is refused.
    """

    def __init__(self, places: Sequence[Location]) -> None:
        self.places = places
        self.again = False

    def run(self, run: Callable[[Any], Any], check: Callable[[Any], Any], leaves: Any) -> Any:
        """A call of the trace. Raises StagingError for one after a call that left nothing behind."""
        if self.again:
            raise self.refusal()
        result = run(leaves)
        self.again = bool(check(leaves))
        return result

    def refusal(self) -> StagingError:
        """The error (not raised) for a later call that makes variables once more."""
        error = StagingError(
            "a variable is made here by each call, so that what it held is lost with the call before",
            hint="create it outside and pass it in; or keep it in an object or a global, and make it under "
            "`if self.v is None:`; or make it an attribute of an rt.Module, in its `__init__`",
        )
        return located(error, self.places[0])


#: what the entry of a trace returns when the call is not for it
MISS: Any = object()

_uses = itertools.count()


@record(slots=False, frozen=False, eq=False)
class ConcreteFunction:
    """One trace of a function: for one signature, under guards.

    ``graph`` is as traced, ``expanded`` with derivatives written out, ``optimized`` after the passes. Called
    with arguments that the trace is not for, it raises ArgumentError.
    """

    name: str
    graph: ShownGraph
    signature: str
    reason: str
    positions: list[int]
    guards: list[Guard]
    paths: list[Path]
    plan: Plan
    engine: str
    notes: list[tuple[str, int, str]]
    decisions: Decisions
    arguments: dict[str, str] = field(default_factory=dict)
    constants: dict[str, Hashable] = field(default_factory=dict)  # of the arguments: `signature.constants_in`
    opened: Callable[[tuple[Any, ...]], tuple[Any, ...]] = tuple  # see `open_arguments`
    kinds: Any = None  # of the arguments: see `retracing.kind_of`
    kept: Any = None  # the arguments, as `recording.example_of` keeps them
    again: Callable[..., Any] | None = None  # traces once more, for explain()
    created: CreatedVariables | None = None
    unrolled: Mapping[Site, int] = field(default_factory=dict)  # the loops that the trace copied
    slow_notice: bool = True
    cache: bool | None = None
    function: Callable[..., Any] | None = None  # that was traced
    expand: Callable[[Graph], None] | None = None  # writes out derivatives, which JAX has itself

    def __post_init__(self) -> None:
        self.check = compile_guards(self.guards)
        self.fetch = compile_fetch(self.paths)
        self.has_entry = self.created is not None  # in the dispatch of its function, ...
        self.entry: Callable[..., Any] | None = None  # ... which this was, or is still
        self.used = next(_uses)  # grows from use to use, but for those by the entry
        self.lines: Lines | None = None  # that ran while it was traced, once somebody asked
        self._compiled: Compiled | None = None
        self._lock = new_lock()

    def note_use(self) -> None:
        self.used = next(_uses)

    @functools.cached_property
    def expanded(self) -> ShownGraph:
        """The graph with its derivatives written out."""
        if self.expand is None:
            return self.graph
        found = ShownGraph.of(clone(self.graph))
        self.expand(found)
        return found

    @functools.cached_property
    def optimized(self) -> ShownGraph:
        """The graph after the passes."""
        with no_fault_of_the_program():
            return ShownGraph.of(optimize(self.expanded))

    @functools.cached_property
    def for_jax(self) -> Graph:
        """The graph that JAX runs, and differentiates itself."""
        return optimize(self.graph, FOR_JAX) if self.expand is None else remove_aggregates(self.graph)

    @property
    def is_compiled(self) -> bool:
        return self._compiled is not None

    def compile(self) -> None:
        """Compile the graph, unless that is done."""
        assert self.compiled is not None

    @property
    def compiled(self) -> Compiled:
        if self._compiled is None:
            with self._lock:
                if self._compiled is None:
                    with self._telling(), no_fault_of_the_program(), without_collections():
                        if self.engine == "jax":
                            self._compiled = compile_for_jax(self.for_jax, lambda: self.optimized)
                        else:
                            self._compiled = compile_graph(self.optimized, self.engine, self.cache)
        return self._compiled

    def variables(self, leaves: Sequence[Any]) -> dict[int, state_variables.Variable]:
        """The variables that a call uses, each by the position in ``graph.params`` of its array.

        ``leaves`` are the flat arguments of the call, as ``signature.key_of`` lists them.
        """
        found = {}
        for position, path in enumerate(self.paths, len(self.positions)):
            if isinstance(path, Attribute) and path.name == "_storage":
                owner = path.base.fetch(leaves)
                if isinstance(owner, state_variables.Variable):
                    found[position] = owner
        return found

    @functools.cached_property
    def checked_run(self) -> Callable[[Sequence[Any]], Sequence[Any]]:
        """The graph as traced, on the numpy engine, with a look at what each operation makes."""
        with no_fault_of_the_program():
            return numerics.checked_run(self.expanded)

    @functools.cached_property
    def program(self) -> programs.Program:
        """What a tape from outside differentiates."""
        return programs.Program(self.name, self.marked, self.engine)

    @property
    def marked(self) -> Any:
        """The graph with its custom gradients, which are gone where derivatives are expanded."""
        return self.expanded.info.get("marked", self.expanded)

    def _telling(self) -> AbstractContextManager[None]:
        at = lambda: costly_part(self.graph, self.unrolled)
        return telling(self.slow_notice, f"compiling `{self.name}`", at)

    def run(self, leaves: Sequence[Any]) -> Any:
        """Run on the flat arguments of a call."""
        if self.created is not None:
            return self.created.run(self._run, self.check, leaves)
        return self._run(leaves)

    def _run(self, leaves: Sequence[Any]) -> Any:
        arguments = [unboxed(leaves[i]) for i in self.positions]
        if self.paths:
            arguments += map(unboxed, self.fetch(leaves))
        run = self.checked_run if modes.check_numerics.is_on else self.compiled.run
        if is_loaded(recording) and recording.records():
            for variable in self.variables(leaves).values():
                hooks.read(variable)
            given = [leaves[i] for i in self.positions]
            return self.plan(programs.recorded_run(self.program, run, given, arguments), leaves)
        return self.plan(run(arguments), leaves)

    def __call__(self, *args: Any) -> Any:
        leaves: list[Any] = []
        args = self.opened(args)
        given = itertools.zip_longest(args, [*self.constants.values()][: len(args)])
        keys = [_key_like(constant, arg, leaves) for arg, constant in given]
        self._check_arguments(args, keys, leaves)
        return self.run(leaves)

    def _check_arguments(self, args: Sequence[Any], keys: list[Hashable], leaves: list[Any]) -> None:
        """Machine code believes the types of its arguments, and constants are in it."""
        hint = f"call {self.name}() itself, which makes a trace for other arguments"
        if len(args) < len(self.constants):
            missing = [*self.constants][len(args)]
            raise wrong_argument(f"{self.signature} is called with too few arguments", hint, missing)
        for (name, constant), arg, key in zip(self.constants.items(), args, keys, strict=False):
            if constants_in(key) != constant:
                message = f"{self.signature} is called with {describe_value(arg)} for `{name}`"
                raise wrong_argument(message, hint, name)
        params = self.graph.params[: len(self.positions)]
        for position, param in zip(self.positions, params, strict=True):
            if position >= len(leaves):
                raise wrong_argument(f"{self.signature} is called with too few arguments", hint, param.hint)
            leaf, type_ = leaves[position], param.type
            if is_loaded(tensor) and isinstance(leaf, tensor.Tensor) and type_ == ArrayType(leaf.dtype, ()):
                leaf = np.asarray(leaf)  # it holds a scalar
            leaves[position] = as_typed(leaf, type_)
            value = unboxed(leaves[position])
            if not is_of_type(value, param.type):
                message = f"{self.signature} is called with {describe_value(value)} for `{param.hint}`"
                raise wrong_argument(message, hint, param.hint)
        if not self.check(leaves):
            failed = [str(guard) for guard in self.guards if not guard.holds(leaves)]
            raise wrong_argument(f"{self.signature} was traced where {'; '.join(failed)}", hint)

    def __repr__(self) -> str:
        return f"<trace {self.signature}>"

    def __str__(self) -> str:
        return str(self.graph)


def _key_like(constant: Hashable, arg: Any, leaves: list[Any]) -> Hashable:
    """The key of an argument; a long list in it is data, or known item by item, as it was for the trace."""
    for data in (True, False):
        own: list[Any] = []
        given = arg.value if type(arg) is Open and not data else arg
        key = key_of(given, own, data)
        if constants_in(key) == constant:
            break
    leaves += own
    return key


def unboxed(value: Any) -> Any:
    """The array in a Tensor, or of JAX's; anything else as it is."""
    if isinstance(value, OnDevice):
        return value.array
    return value.numpy() if is_loaded(tensor) and isinstance(value, tensor.Tensor) else value


def describe_value(value: Any) -> str:
    """A value as a signature shows it.

    >>> from runtime.functions.tensor_specs import TensorSpec
    >>> describe_value([1, 2.0]), describe_value({"a": None}), describe_value(TensorSpec([None], "i4"))
    ('[int, float]', "{'a': None}", 'i32[None]')
    """
    if isinstance(value, Open):
        return type(value.value).__name__
    if isinstance(value, Staged | TensorSpec):
        return str(value.type)
    inner = unboxed(value)
    if is_data_argument(inner):
        return type(inner).__name__
    if type(inner) in (bool, str) or inner is None:
        return repr(inner)
    if type(inner) in (list, tuple):
        text = ", ".join(map(describe_value, inner))
        return f"[{text}]" if isinstance(inner, list) else f"({text})"
    if type(inner) is dict:  # what a class of the user's reads, it may do in a way of its own
        return (
            "{"
            + ", ".join(f"{key_texts.text_of_key(k)}: {describe_value(v)}" for k, v in inner.items())
            + "}"
        )
    try:
        kind = type_of(inner)
    except TypeError:
        return type(inner).__name__
    if kind == OBJECT:
        return (
            str(inner)
            if type(inner).__module__ == "runtime.types"
            else inner.__name__
            if isinstance(inner, type | types.FunctionType | types.BuiltinFunctionType | types.ModuleType)
            else type(inner).__name__
        )
    return f"Tensor {kind}" if inner is not value else str(kind)
