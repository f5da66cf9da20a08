"""``@function``: a Python function that traces, compiles and runs itself.

>>> @function
... def clip(x, low):
...     if x < low:
...         return low
...     return x
>>> clip(-3.0, 0.0), clip(5.0, 0.0), clip.trace_count
(0.0, 5.0, 1)
"""

from __future__ import annotations

import functools
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograph import register_stage
from autograph.config import exclude
from autograph.errors import StagingError
from autograph.operators import call
from runtime import eager
from runtime.arguments import check_engine, check_function, checked_specs, count, wrong_argument
from runtime.builder import Staged, activate
from runtime.engines import Compiled, compile_graph
from runtime.engines.tracebacks import visible
from runtime.graph import Graph
from runtime.paths import Constant, Guard, Path, compile_fetch, compile_guards
from runtime.results import Built, Plan, Results
from runtime.signature import Binder, Entry, TensorSpec, key_of
from runtime.stage import RuntimeStage
from runtime.trace import Decisions, PathEnded, Restart, Trace, current_trace

register_stage(RuntimeStage())
exclude("runtime")

#: how often one trace may be begun again with other decisions
MAX_RESTARTS = 30
#: a captured number is an input from its third value on
MAX_CONSTANT_VALUES = 2
#: so many traces of one function look like a mistake
MANY_TRACES = 8


@dataclass(eq=False)
class ConcreteFunction:
    """One trace of a function: for one signature, under guards.

    ``graph`` is as traced, ``optimized`` after the passes. Calling it checks nothing.
    """

    name: str
    graph: Graph
    signature: str
    reason: str
    positions: list[int]
    guards: list[Guard]
    paths: list[Path]
    plan: Plan
    engine: str
    notes: list[tuple[str, int, str]]
    decisions: Decisions

    def __post_init__(self) -> None:
        self.check = compile_guards(self.guards)
        self.fetch = compile_fetch(self.paths)
        self._compiled: Compiled | None = None
        self._lock = threading.Lock()

    @functools.cached_property
    def optimized(self) -> Graph:
        """The graph after the passes."""
        from runtime.passes import optimize

        return optimize(self.graph)

    @property
    def compiled(self) -> Compiled:
        if self._compiled is None:
            with self._lock:
                if self._compiled is None:
                    self._compiled = compile_graph(self.optimized, self.engine)
        return self._compiled

    def run(self, leaves: Sequence[Any]) -> Any:
        """Run on the flat arguments of a call."""
        arguments = [unboxed(leaves[i]) for i in self.positions]
        if self.paths:
            arguments += map(unboxed, self.fetch(leaves))
        return self.plan(self.compiled.run(arguments), leaves)

    def __call__(self, *args: Any) -> Any:
        leaves: list[Any] = []
        for arg in args:
            key_of(arg, leaves)
        return self.run(leaves)

    def __str__(self) -> str:
        return str(self.graph)


def unboxed(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") and type(value).__name__ == "Tensor" else value


class Function:
    """A polymorphic function: one ConcreteFunction for each signature and each state of what it captured."""

    def __init__(
        self,
        python_function: Callable[..., Any],
        *,
        engine: str = "auto",
        input_signature: Sequence[TensorSpec] | None = None,
        name: str | None = None,
    ) -> None:
        check_function(python_function)
        check_engine(engine)
        self.python_function = python_function
        self.engine = engine
        self.input_signature = None if input_signature is None else checked_specs(input_signature)
        own_name: str = getattr(python_function, "__name__", type(python_function).__name__)
        self.name = name or own_name
        self._binder = Binder(python_function)
        self._traces: dict[Hashable, list[ConcreteFunction]] = {}
        self._order: list[ConcreteFunction] = []
        self._decisions: dict[Hashable, Decisions] = {}
        self._changes: Counter[Path] = Counter()
        self._lock = threading.RLock()
        functools.update_wrapper(self, python_function, updated=())
        check_source(python_function)

    # -- calling ------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if eager.enabled() or current_trace() is not None:
            return (
                call(self.python_function, *args, **kwargs)
                if current_trace()
                else self.python_function(*args, **kwargs)
            )
        try:
            args, kwargs = self._binder.bind(args, kwargs)
            leaves: list[Any] = []
            key = self._key(args, kwargs, leaves)
            for concrete in self._traces.get(key, ()):
                if concrete.check(leaves):
                    return concrete.run(leaves)
            return self._trace_for(key, args, kwargs, leaves).run(leaves)
        except Exception as error:  # noqa: BLE001  only the user's lines in its traceback, and this one
            raise error.with_traceback(visible(error.__traceback__))  # noqa: B904

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]) -> Hashable:
        if self.input_signature is not None:
            self._check_signature(args)
            for arg in args:
                key_of(arg, leaves)
            key: Hashable = "input_signature"
        else:
            key = tuple([key_of(arg, leaves) for arg in args])
        if kwargs:
            key = (key, tuple(kwargs), tuple([key_of(arg, leaves) for arg in kwargs.values()]))
        return key

    def _check_signature(self, args: tuple[Any, ...]) -> None:
        assert self.input_signature is not None
        names = self._binder.names(args)
        if len(args) != len(self.input_signature):
            raise wrong_argument(
                f"{self.name}() has an input_signature of {count(len(self.input_signature), 'argument')}, "
                f"{len(args)} given",
                "write one TensorSpec for each argument, in their order",
            )
        for name, spec, arg in zip(names, self.input_signature, args, strict=True):
            if not spec.admits(arg):
                raise wrong_argument(
                    f"argument `{name}` of {self.name}() is {describe_value(arg)}, "
                    f"which does not fit its input_signature {spec.type}",
                    spec.way_out(arg, name),
                    name,
                )

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    @property
    def __runtime_inline__(self) -> Callable[..., Any]:
        return self.python_function

    # -- tracing ------------------------------------------------------------------------------------

    def _trace_for(
        self, key: Hashable, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]
    ) -> ConcreteFunction:
        with self._lock:
            for concrete in self._traces.get(key, ()):  # another thread was first
                if concrete.check(leaves):
                    return concrete
            reason = self._why(key, leaves)
            traced_args = self.input_signature if self.input_signature is not None else args
            concrete = self._trace(traced_args, kwargs, self._decisions.get(key, Decisions()), reason)
            self._decisions[key] = concrete.decisions
            self._traces.setdefault(key, []).insert(0, concrete)
            self._order.append(concrete)
            return concrete

    def _why(self, key: Hashable, leaves: list[Any]) -> str:
        known = self._traces.get(key, ())
        if not known:
            return "a new signature" if self._order else "the first call"
        failed = [guard for guard in known[0].guards if not guard.holds(leaves)]
        decisions = self._decisions[key]
        for guard in failed:
            self._changes[guard.path] += 1
            if self._changes[guard.path] >= MAX_CONSTANT_VALUES:
                decisions = replace(decisions, staged_paths=decisions.staged_paths | {guard.path})
        self._decisions[key] = decisions
        return "changed: " + "; ".join(f"{guard} no more" for guard in failed)

    def _trace(
        self, args: Sequence[Any], kwargs: dict[str, Any], decisions: Decisions, reason: str
    ) -> ConcreteFunction:
        refused: StagingError | None = None
        for _ in range(MAX_RESTARTS):
            trace = Trace(decisions)
            entry = Entry(trace)
            try:
                return self._trace_once(trace, entry, args, kwargs, reason)
            except Restart as restart:
                decisions = restart.decisions
            except StagingError as error:
                if decisions.graph_functions:  # what stands in the way of the recursion tells most
                    refused = refused or error
                others = decisions.after_refusal(entry.has_numbers)
                if others is None:
                    raise (refused or error) from None
                decisions = others
        raise StagingError(f"{self.name}: no decision about its loops and numbers leads to a graph")

    def _trace_once(
        self, trace: Trace, entry: Entry, args: Sequence[Any], kwargs: dict[str, Any], reason: str
    ) -> ConcreteFunction:
        with activate(trace), trace.watching():
            names = self._binder.names(tuple(args))
            staged_args = [entry.enter(arg, name) for arg, name in zip(args, names, strict=True)]
            staged_kwargs = {name: entry.enter(arg, name) for name, arg in kwargs.items()}
            function = trace.outside.import_value(
                self.python_function, Constant(self.python_function, self.name)
            )
            outcome = trace.trace_top(lambda: call(function, *staged_args, **staged_kwargs))
            results = Results(trace)
            plan: Plan = results.plan(outcome) if trace.body.ends == "yield" else lambda results, args: None
            if results.builds_containers:
                build = plan
                plan = lambda values, args: build(Built(values), args)
            trace.body.results = tuple(results.flat)
            graph = Graph(self.name, trace.body)
            trace.calls.finish(graph)
        signature = ", ".join(
            f"{n}: {describe_value(a)}" for n, a in [*zip(names, args, strict=True), *kwargs.items()]
        )
        graph.info["signature"] = signature
        return ConcreteFunction(
            name=self.name,
            graph=graph,
            signature=f"{self.name}({signature})",
            reason=reason,
            positions=entry.positions,
            guards=trace.outside.guards,
            paths=[i.path for i in trace.outside.inputs],
            plan=plan,
            engine=self.engine,
            notes=trace.notes,
            decisions=trace.decisions,
        )

    # -- inspection ---------------------------------------------------------------------------------

    @property
    def trace_count(self) -> int:
        """How many traces were made so far."""
        return len(self._order)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments, or for ``TensorSpec`` and types that describe them."""
        args, kwargs = self._binder.bind(args, kwargs)
        leaves: list[Any] = []
        key = self._key(args, kwargs, leaves) if self.input_signature is None else "input_signature"
        for concrete in self._traces.get(key, ()):
            return concrete
        return self._trace_for(key, args, kwargs, leaves)

    def pretty_printed_concrete_signatures(self) -> str:
        """The signatures traced so far, one a line."""
        return "\n".join(concrete.signature for concrete in self._order)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What became of the function: its traces and why they were made, its statements, what runs where."""
        from runtime.explain import explain

        if args or kwargs:
            self.get_concrete_function(*args, **kwargs)
        return explain(self)

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        return list(self._order)

    def __repr__(self) -> str:
        return f"<function {self.name}, {self.trace_count} traces>"


def describe_value(value: Any) -> str:
    """A value as a signature shows it."""
    from runtime.types import OBJECT, type_of

    if isinstance(value, TensorSpec):
        return str(value.type)
    if isinstance(value, Staged):
        return str(value.type)
    inner = unboxed(value)
    if isinstance(inner, bool | str) or inner is None:
        return repr(inner)
    if isinstance(inner, list | tuple):
        text = ", ".join(map(describe_value, inner))
        return f"[{text}]" if isinstance(inner, list) else f"({text})"
    if isinstance(inner, dict):
        return "{" + ", ".join(f"{k!r}: {describe_value(v)}" for k, v in inner.items()) + "}"
    try:
        kind = type_of(inner)
    except TypeError:
        return type(inner).__name__
    if kind == OBJECT:
        return (
            str(inner)
            if type(inner).__module__ == "runtime.types"
            else getattr(inner, "__name__", type(inner).__name__)
        )
    return f"Tensor {kind}" if inner is not value else str(kind)


def check_source(function: Callable[..., Any]) -> None:
    """No source: refused when the function is decorated, not at its first call."""
    from autograph import conversion_of

    inner: Any = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    inner = getattr(inner, "__func__", inner)
    if hasattr(inner, "__code__") and not isinstance(inner, type):
        conversion_of(inner)


def function(
    python_function: Callable[..., Any] | None = None,
    *,
    engine: str = "auto",
    input_signature: Sequence[TensorSpec] | None = None,
    name: str | None = None,
) -> Any:
    """Make a function trace, compile and run itself. A decorator, with or without options.

    engine: "auto" (machine code where possible), "native", or "numpy" (the reference interpreter).
    input_signature: one TensorSpec per argument; then there is one trace, for all arguments that fit it.

    Raises SourceNotFoundError where the function's text cannot be found.
    """
    if python_function is None:
        return functools.partial(function, engine=engine, input_signature=input_signature, name=name)
    if isinstance(python_function, Function):
        return python_function
    made = functools.partial(function, engine=engine, input_signature=input_signature, name=name)
    if isinstance(python_function, staticmethod | classmethod):
        return type(python_function)(made(python_function.__func__))
    if isinstance(python_function, property):
        parts = (python_function.fget, python_function.fset, python_function.fdel)
        return type(python_function)(*[part and made(part) for part in parts], doc=python_function.__doc__)
    return Function(python_function, engine=engine, input_signature=input_signature, name=name)


__all__ = ["ConcreteFunction", "Function", "PathEnded", "function"]
