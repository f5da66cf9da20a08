"""From a function and the arguments of a call to a `ConcreteFunction`: attempts, until one succeeds.

An attempt has no effect on the world, so it may be thrown away and made again with other decisions: numbers
that must be constants after all, loops that are to be unrolled, captured numbers that become inputs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import partial
from types import CoroutineType
from typing import Any

from autograph.errors import AutographError, StagingError, error_at_frame
from autograph.operators import call
from autograph.records import record
from autograph.registry import active_stage
from runtime.engines import tracebacks
from runtime.formats.shown import ShownGraph
from runtime.functions import written_out
from runtime.functions.concrete import ConcreteFunction, CreatedVariables, describe_value
from runtime.functions.modes import guard_float_errors
from runtime.functions.plans import Building, Plan
from runtime.functions.plans import Constant as ConstantPlan
from runtime.functions.recorded_lines import example_of
from runtime.functions.results import Results, at_return
from runtime.functions.signature import Entry, constants_in, key_of
from runtime.functions.slow_notice import place_of_trace, telling
from runtime.gradients import errors as gradient_errors
from runtime.gradients import expand
from runtime.gradients.marks import FOR_TAPES, has_derivatives
from runtime.graph import Graph, parallel_loops
from runtime.graph.rewrite import clone
from runtime.guards.paths import Argument, Constant, Guard, Path
from runtime.iterables import generators
from runtime.messages import OF_A_SIGNATURE, shortened
from runtime.passes import make_where_raised, optimize
from runtime.stage.attempt import Attempt
from runtime.tracer.builder import activate
from runtime.tracer.decisions import Decisions, Kept, Restart

#: how often one trace may be begun again with other decisions, ...
MAX_RESTARTS = 30
#: ... and how often to learn one more thing of what containers hold, or of loops that are dear
MAX_LESSONS = 300


@record(slots=False)
class Request:
    """What is to be traced, and why."""

    function: Callable[..., Any]
    name: str
    engine: str
    args: Sequence[Any]
    kwargs: dict[str, Any]
    names: Sequence[str]  # of the positional arguments
    reason: str
    slow_notice: bool = True
    cache: bool | None = None
    opened: Callable[[tuple[Any, ...]], tuple[Any, ...]] = tuple  # see `open_arguments`
    guards: list[Guard] = field(default_factory=list)  # of the attempts that came to nothing


def trace_function(
    request: Request, decisions: Decisions, on_trial: frozenset[Path] = frozenset()
) -> ConcreteFunction:
    """Trace until an attempt succeeds. Raises StagingError where none does.

    on_trial: numbers that ``decisions`` stage because they kept changing; they become constants again
    where they cannot be staged.
    """
    refuse_inside_another(request.name)
    current: list[Attempt] = [Attempt(decisions)]  # the attempt that is under way
    thread = threading.get_ident()
    doing = f"tracing `{request.name}`"
    with telling(request.slow_notice, doing, lambda: place_of_trace(current[0], thread)):
        return _attempts(request, decisions, on_trial, current)


def _attempts(
    request: Request, decisions: Decisions, on_trial: frozenset[Path], current: list[Attempt]
) -> ConcreteFunction:
    """``current`` is to hold the trace of the attempt that is under way."""
    refused: StagingError | None = None
    given = decisions
    restarts = lessons = 0
    while restarts < MAX_RESTARTS and lessons < MAX_LESSONS:
        trace = current[0] = Attempt(decisions)
        entry = Entry(trace)
        before = decisions.containers
        try:
            return _attempt(trace, entry, request)
        except Restart as restart:
            request.guards.extend(trace.outside.guards_of_refusal())
            decisions = trace.containers.learned() if trace.containers.widened else restart.decisions
            learned = decisions.containers != before or decisions.dear.keys() > trace.decisions.dear.keys()
            lessons, restarts = lessons + learned, restarts + (not learned)
        except AutographError as error:
            request.guards.extend(trace.outside.guards_of_refusal())
            if trace.containers.widened:
                decisions = trace.containers.learned()
                lessons += 1
                continue
            if not isinstance(error, StagingError):
                raise
            restarts += 1
            if on_trial:
                # what was learned meanwhile may have been learned for them
                held = {site: kind for site, kind in given.containers.items() if site not in on_trial}
                decisions = replace(
                    given,
                    staged_paths=given.staged_paths - on_trial,
                    fixed_paths=given.fixed_paths | on_trial,
                    containers=held,
                    data=given.data - on_trial,
                )
                on_trial = frozenset()
                continue
            if decisions.graph_functions:  # what stands in the way of the recursion tells most
                refused = refused or error
            decisions = decisions.with_collecting(trace.loops.collecting)
            others = decisions.after_refusal(entry.has_numbers, Kept(error.message, error.line))
            if others is None:
                others = given.with_items_known(trace.containers.data)
                if others is None:
                    raise (refused or error) from None
                given = others
            if others.static_numbers and not decisions.static_numbers:
                others = replace(others, static_reason=error.message)
            decisions = others
    undecided = StagingError(
        f"no decision about the loops and numbers of `{request.name}` leads to a graph",
        hint="decorate smaller functions, which hold fewer loops and lists",
    )
    raise at_return(undecided, request.function)


def _attempt(trace: Attempt, entry: Entry, request: Request) -> ConcreteFunction:
    args, kwargs, names = request.opened(tuple(request.args)), request.kwargs, request.names
    with activate(trace):
        trace.outside.stands_in_the_way = True  # what is wrong with an argument, no guard says
        staged_args = [entry.enter(arg, name) for arg, name in zip(args, names, strict=True)]
        staged_kwargs = {name: entry.enter(arg, name) for name, arg in kwargs.items()}
        trace.outside.stands_in_the_way = False
        trace.outside.put_inputs_last()
        function = trace.outside.import_value(request.function, Constant(request.function, request.name))

        def run() -> Any:
            made = call(function, *staged_args, **staged_kwargs)
            return generators.result_of(trace, made) if isinstance(made, CoroutineType) else made

        try:
            outcome = trace.trace_top(run)
        except StagingError as error:
            if trace.has_returned:  # the user's code is no longer on the stack, and has no line
                raise at_return(error, request.function) from error.__cause__
            raise
        trace.containers.check_valid()
        results = Results(trace)
        plan: Plan = ConstantPlan(None)
        if trace.body.ends == "yield":
            try:
                plan = results.plan(outcome)
            except StagingError as error:
                raise at_return(error, request.function) from error.__cause__
        trace.body.results = tuple(results.flat)
        trace.outside.drop_unused()
        trace.outside.aliases.guard(trace.body)
        graph = ShownGraph(request.name, trace.body)
        trace.calls.finish(graph)
        refuse_dependent(graph)
        later = request.engine == "jax" and has_derivatives(graph)
        expand_derivatives(graph, check_only=later)
        if results.builds_containers:
            plan = Building(plan)
    trace.outside.definitions.finish()
    trace.outside.stands_in_the_way = True  # what cached functions read, and how NumPy takes errors
    if trace.has_part("caches"):
        trace.caches.readings.check()
    given = [*zip(names, args, strict=True), *kwargs.items()]
    described = {name: describe_value(arg) for name, arg in given}
    shown = ", ".join(f"{name}: {shortened(text)}" for name, text in described.items())
    signature = shortened(shown, OF_A_SIGNATURE)
    for guard in trace.outside.guards:
        if isinstance(guard.path, Argument) and not guard.routine:
            described[guard.path.name] = guard.expected
    graph.info["signature"] = signature
    float_errors = guard_float_errors(graph)
    if float_errors is not None:
        trace.outside.guards.append(float_errors)
    return ConcreteFunction(
        name=request.name,
        graph=ShownGraph.of(make_where_raised(graph)),  # people see `raise ValueError(n)`
        signature=f"{request.name}({signature})",
        reason=request.reason,
        positions=entry.positions,
        guards=trace.outside.guards,
        paths=[i.path for i in trace.outside.inputs],
        plan=plan,
        engine=request.engine,
        unrolled=trace.loops.turns,
        slow_notice=request.slow_notice,
        cache=request.cache,
        notes=trace.notes,
        decisions=trace.decisions,
        arguments=described,
        constants={name: constants_in(key_of(arg, [])) for name, arg in given},
        opened=request.opened,
        kept=example_of((tuple(request.args), kwargs)),
        again=partial(_once_more, replace(request, args=(), kwargs={}), trace.decisions),
        created=CreatedVariables(trace.variables_made) if trace.variables_made else None,
        function=request.function,
        expand=expand_derivatives if later else None,
    )


def refuse_dependent(graph: Graph) -> None:
    """Raises StagingError where iterations of a `prange` may not run side by side, at the user's line."""
    if any(parallel_loops.loops_of(graph)):
        for loop in parallel_loops.loops_of(optimize(graph)):
            found = parallel_loops.plan_of(loop)
            if isinstance(found, parallel_loops.Refused):
                raise tracebacks.located(StagingError(found.message, hint=found.hint), found.location)


def expand_derivatives(graph: Graph, check_only: bool = False) -> None:
    """Replace what asks for derivatives. Raises GradientError, at the user's line, where there is none.

    ``check_only``: for JAX, which has its own.
    """
    try:
        if check_only:
            expand.check(graph)
        elif has_derivatives(graph):
            written_out.write_out(graph, _graph_of)
            if has_derivatives(graph, FOR_TAPES):
                graph.info["marked"] = clone(graph)  # for tapes around
            expand.expand(graph)
    except gradient_errors.GradientError as error:
        raise tracebacks.located(error, error.place)  # noqa: B904


def _graph_of(function: Callable[..., Any], types: Sequence[Any]) -> Graph | None:
    """The graph of a function for operands of these types; None where it is refused."""
    names = [f"operand {k}" for k in range(len(types))]
    request = Request(function, function.__name__, "numpy", types, {}, names, "a derivative", False)
    try:
        return trace_function(request, Decisions()).graph
    except AutographError:
        return None


def refuse_inside_another(name: str) -> None:
    """Another stage's values, such as JAX's tracers, mean nothing in a graph of ours."""
    stage = active_stage()
    if stage is not None and stage.name != "runtime":
        raise error_at_frame(
            StagingError,
            f"`{name}` is a function of the runtime, and is called inside a trace of stage {stage.name!r}",
            variable=name,
            hint=f"call it outside and pass its result, or let {stage.name!r} trace the plain function",
        )


def _once_more(request: Request, decisions: Decisions, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Trace with the same decisions, for those who watch which lines run."""
    trace = Attempt(decisions)
    _attempt(trace, Entry(trace), replace(request, args=args, kwargs=kwargs))
