"""Recursion on staged values: a function that calls itself becomes a function of the graph.

Its body is traced once for each kind of arguments, and a call is a `call_function` operation. When that is,
and what becomes of its result and its state, `control_flow/__init__.py` says.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType
from typing import TYPE_CHECKING, Any

from runtime.control_flow import choices
from runtime.control_flow.blocks import Outcome, trace_block
from runtime.control_flow.graph_functions import (
    Activation,
    FunctionState,
    GraphFunction,
    any_number,
    has_staged,
    origin_of,
    staged_numbers,
)
from runtime.control_flow.iterators import traced
from runtime.control_flow.joins import parts_of
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph import functions as graph_functions
from runtime.heap.places import StaticPlace
from runtime.ops.control_flow import CALL, UNKNOWN_EFFECTS
from runtime.specs.spec import Spec, describe
from runtime.tracer.cells import cells_of
from runtime.tracer.decisions import Restart
from runtime.tracer.flattening import adapt, rebuild
from runtime.tracer.spec import Choice, join, spec_of

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


#: so many calls of one function, each inside the one before, with other constants: they count or grow
MAX_UNROLLED_CALLS = 12
#: the same for a graph function that is traced anew for other numbers, and for other types or constants
MAX_VERSIONS, MAX_KINDS = 4, 24
#: how often a body is traced before its result is given up as unstable
MAX_BODY_TRACES = 12


class Calls:
    """The user's functions under way in a trace, and its graph functions."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.stack: list[Activation] = []
        self.functions: list[GraphFunction] = []
        #: the results that earlier traces of bodies found
        self.hints: dict[Any, Spec | None] = {}
        self.unfinished = 0  # calls so far that were taken to never return, for want of a result

    def entering(self, function: Any, entered: Callable[..., Any]) -> Callable[..., Any]:
        """What to call in place of a user's function."""
        code: CodeType = function.__code__
        origin = origin_of(function)
        decisions = self.trace.decisions

        def run(*args: Any, **kwargs: Any) -> Any:
            under_way = any(a.code is code and a.origin is origin for a in self.stack)
            if (
                code in decisions.graph_functions
                and has_staged(args, kwargs, function)
                or under_way
                and self.calls_itself(function, args, kwargs)
            ):
                return choices.certain(self.call(function, entered, args, kwargs))
            trace = self.trace
            self.stack.append(Activation(code, origin, len(trace.frames), (args, kwargs)))
            try:
                made = entered(*args, **kwargs)
                return traced(trace, choices.certain(made) if isinstance(made, Choice) else made)
            finally:
                self.stack.pop()

        run.__module__, run.__qualname__ = function.__module__, function.__qualname__  # for Python's messages
        return run

    @property
    def inside(self) -> bool:
        """Is the body of a graph function being traced?"""
        return any(function.in_work for function in self.functions)

    def with_called(self, operations: Iterable[Operation]) -> Iterator[Operation]:
        """These, and those of their blocks and of the functions of the graph that they call, as far as these
        are traced."""
        bodies = {function.name: function.body for function in self.functions}
        waiting = list(operations)
        while waiting:
            operation = waiting.pop()
            yield operation
            blocks = list(operation.blocks)
            if operation.is_call:
                blocks += filter(None, [bodies.pop(operation.attributes["function"], None)])
            waiting += [inner for block in blocks for inner in block.operations]

    # -- when to make a graph function ----------------------------------------------------------------

    def calls_itself(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Must it be a graph function, for unrolling its calls would not end? Begins again where that
        is news: it is one already where nothing that it is given seemed to be staged."""
        code, origin = function.__code__, origin_of(function)
        decisions = self.trace.decisions
        if code in decisions.unrolled_functions:
            return False
        spec, names = self.spec_of_arguments(args, kwargs), [*kwargs]
        kind = any_number(spec)
        alike = same = 0
        for activation in self.stack:
            if activation.code is not code or activation.origin is not origin:
                continue
            if [*activation.arguments[1]] != names:
                continue
            before = self.spec_of_arguments(*activation.arguments)
            between = activation.frames != len(self.trace.frames)
            same += before == spec
            if before == spec and (between or same > MAX_UNROLLED_CALLS):
                if code in decisions.graph_functions:
                    return True
                raise Restart(decisions.with_function(code, False), f"{code.co_name} calls itself")
            alike += between and any_number(before) == kind
        if alike >= MAX_UNROLLED_CALLS and code in decisions.generalised_functions:
            return True
        if alike >= MAX_UNROLLED_CALLS:
            raise Restart(
                decisions.with_function(code, True), f"{code.co_name} calls itself with ever other numbers"
            )
        return False

    def spec_of_arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Spec:
        return spec_of((args, tuple(kwargs.values())))

    # -- calls of graph functions -----------------------------------------------------------------------

    def call(
        self, function: Any, entered: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A call operation; the function is traced where it is new."""
        arguments = args, tuple(kwargs.values())
        spec = spec_of(arguments)
        if function.__code__ in self.trace.decisions.generalised_functions:
            spec = any_number(spec)
        names = tuple(kwargs)
        found = self._find(function, arguments, names, spec)
        if found is None:
            found = self._trace_function(function, entered, arguments, names, spec)
        return self._emit(found, arguments)

    def _find(
        self, function: Any, arguments: tuple[Any, Any], names: tuple[str, ...], spec: Spec
    ) -> GraphFunction | None:
        code, origin = function.__code__, origin_of(function)
        cells = {id(cell) for _, cell in cells_of((function, *arguments))}
        versions = kinds = 0
        for known in self.functions:
            if known.code is not code or known.origin is not origin or known.keywords != names:
                continue
            if known.arguments == spec and known.state.cells.keys() == cells:
                if known.in_work or known.state.holds_now():
                    return known
            kinds += known.in_work
            versions += known.in_work and any_number(known.arguments) == any_number(spec)
        decisions = self.trace.decisions
        if versions >= MAX_VERSIONS and code not in decisions.generalised_functions:
            raise Restart(decisions.with_function(code, True), f"{code.co_name} is called with other numbers")
        if kinds >= MAX_KINDS:
            raise self.trace.refuse(
                f"`{code.co_name}` calls itself with arguments of ever other kinds: {describe(spec)}",
                "pass arrays and numbers of the same types in each call",
                code.co_name,
            )
        return None

    def _emit(self, function: GraphFunction, arguments: tuple[Any, Any]) -> Any:
        trace, state = self.trace, function.state
        function.used = True
        if function.in_work:
            for change in state.stored(trace.block):
                state.learn(change.place, change.before, *change.values)
        if function.written and trace.regions:
            name, changed = function.code.co_name, function.written[0].place.name
            raise trace.refuse(
                f"the recursive function `{name}` changes `{changed}` and is called in a `try` or `with`, "
                "whose handler would not see how far it came",
                f"keep `{changed}` in a list, or in an attribute of an object",
                name,
            )
        inputs = adapt(arguments, function.arguments, trace)
        for place, parameter in state.parameters.items():
            inputs += adapt(trace.heap.held(place), parameter.spec, trace)
        attributes = {"function": function.name, "effects": UNKNOWN_EFFECTS}
        operation = Operation(CALL, tuple(inputs), (), attributes)
        result = function.result
        if result is None:
            trace.append(operation)
            self.unfinished += 1
            return trace.end_path()
        operation.outputs = tuple([Value(t, hint, operation) for t, hint in function.outputs(result)])
        trace.append(operation)
        if not self.stack:  # the call of the decorated function itself, which has no line
            operation.location = None
        values = iter(operation.outputs)
        returned = rebuild(result, values, trace)
        for parameter in function.written:
            trace.heap.hold(parameter.place, rebuild(parameter.spec, values, trace))
        return returned

    # -- the body ---------------------------------------------------------------------------------------

    def _trace_function(
        self,
        function: Any,
        entered: Callable[..., Any],
        arguments: tuple[Any, Any],
        names: tuple[str, ...],
        spec: Spec,
    ) -> GraphFunction:
        trace, code = self.trace, function.__code__
        state = FunctionState(trace, cells_of((function, *arguments)))
        origin = origin_of(function)
        made = GraphFunction(self._name(function), code, origin, spec, names, state, len(trace.frames))
        key = (code, origin, names, spec)
        made.result = self.hints.get(key)
        before = len(self.functions)
        self.functions.append(made)
        for _ in range(MAX_BODY_TRACES):
            del self.functions[before + 1 :]  # they were traced with a result that is outdated
            made.used = False
            known = made.result
            outcome, left = self._trace_body(made, entered)
            if not outcome.ended:
                result = staged_numbers(spec_of(outcome.result))
                made.result = result if known is None else join(known, result)
            self.hints[key] = made.result
            if not state.changed and (made.result == known or not made.used):
                break
        else:
            raise trace.refuse(
                f"the result of the recursive function `{code.co_name}` never settles on a type: "
                f"{'nothing' if made.result is None else describe(made.result)}",
                "return values of the same type and shape on all paths",
                code.co_name,
            )
        if not outcome.ended:
            assert made.result is not None
            with trace.into(made.body):
                results = adapt(outcome.result, made.result, trace)
                for parameter in made.written:
                    results += adapt(left[parameter.place], parameter.spec, trace)
                made.body.results = tuple(results)
        made.in_work = False
        return made

    def _trace_body(
        self, made: GraphFunction, entered: Callable[..., Any]
    ) -> tuple[Outcome, Mapping[StaticPlace, Any]]:
        """What came of it, and what it has left in the places of its state."""
        trace, state = self.trace, made.state
        made.body = Block([Value(t, hint) for t, hint in made.params()])
        values: Iterator[Value] = iter(made.body.params)
        trace.heap.begin_function(made.body)
        with trace.into(made.body):
            args, named = rebuild(made.arguments, values, trace)
            kwargs = dict(zip(made.keywords, named, strict=True))
            state.enter(iter([rebuild(one.spec, values, trace) for one in state.parameters.values()]))

        def run() -> tuple[Any, ...]:
            return (choices.certain(entered(*args, **kwargs)),)

        self.stack.append(Activation(made.code, made.origin, len(trace.frames), (args, kwargs)))
        try:
            with self._alone():
                outcome = trace_block(trace, made.body, run, state.head)
        finally:
            self.stack.pop()
        for change in state.stored(made.body):
            state.learn(change.place, change.before, *change.values, written=True)
        if not outcome.ended:
            (outcome.result,) = outcome.result
            self._check_result(made, outcome.result)
        return outcome, trace.heap.static_facts(made.body)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """What stands around a call is no business of the body: `try` statements, loops, who called."""
        trace = self.trace
        kept = trace.regions, trace.handling, trace.base, trace.consuming
        trace.regions, trace.handling, trace.base, trace.consuming = [], [], sys._getframe(2), ()
        try:
            with trace.implied.nothing():
                yield
        finally:
            trace.regions, trace.handling, trace.base, trace.consuming = kept

    def _check_result(self, made: GraphFunction, value: Any) -> None:
        for part in parts_of(value):
            self.trace.references.finish_parts(part)

    def _name(self, function: Any) -> str:
        base = "".join(c if c.isalnum() else "_" for c in function.__name__).strip("_") or "function"
        number = 1 + sum(known.name.partition(".")[0] == base for known in self.functions)
        return base if number == 1 else f"{base}.{number}"

    # -- the end of the trace ---------------------------------------------------------------------------

    def finish(self, graph: Graph) -> None:
        """Give the graph the functions that it calls."""
        if not self.functions:
            return
        bodies = {f.name: Graph(f.name, f.body) for f in self.functions}
        functions = graph_functions.reachable(graph.body, bodies)
        for part in (graph, *functions.values()):
            part.functions = functions
        if functions:
            graph_functions.lift_free_values(graph)
            graph_functions.note_effects(graph)
