"""Recursion on staged values: a function that calls itself becomes a function of the graph.

A call of a user's function is traced into the block where it stands: inlined. That ends only where the
recursion ends while tracing. Where the trace meets a function that is under way already, with staged control
flow in between and arguments of the same kind, it is begun again with the decision that this is a *graph
function*: its body is traced once for each kind of arguments, and a call is a `call_function` operation.

Its result is a fixpoint: the body is traced with the recursive calls taken to never return, then with the
result that this gave, until nothing changes. What the body uses of the blocks around it becomes
parameters (`graph/functions.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from autograph.converted_code import is_converted_code
from runtime.choices import certain
from runtime.graph import Block, Graph, Operation, Value
from runtime.graph.functions import lift_free_values, note_effects, reachable
from runtime.iterators import traced
from runtime.joins import hint_of, settle
from runtime.ops.calling import CALL, UNKNOWN_EFFECTS
from runtime.spec import (
    Choice,
    Const,
    Dict,
    Identity,
    Leaf,
    Spec,
    Tuple,
    Variant,
    adapt,
    describe,
    generalise,
    join,
    leaf_types,
    rebuild,
    spec_of,
)
from runtime.trace import Outcome, Restart
from runtime.types import ArrayType

if TYPE_CHECKING:
    from runtime.trace import Trace

#: so many calls of one function, each inside the one before, with other constants: they count or grow
MAX_UNROLLED_CALLS = 12
#: the same for a graph function that is traced anew for other constants
MAX_VERSIONS = 4
#: how often a body is traced before its result is given up as unstable
MAX_BODY_TRACES = 8


@dataclass(eq=False)
class Activation:
    """A call that is being traced: inlined, or the body of a graph function."""

    code: CodeType
    frames: int  # how deep in staged control flow
    arguments: Any  # (args, kwargs)


@dataclass(eq=False)
class GraphFunction:
    """One function of the graph under construction: a user's function for one kind of arguments."""

    name: str
    code: CodeType
    arguments: Spec
    cells: list[tuple[CellType, Any]]  # what it closes over, with the contents it was traced with
    version: int  # of the trace's slots
    frames: int = 0
    result: Spec | None = None  # None: it never returns, as far as known
    used: bool = False  # called while in work
    in_work: bool = True
    body: Block = field(default_factory=Block)

    def describe(self) -> str:
        return "nothing" if self.result is None else describe(self.result)


class Calls:
    """The user's functions under way in a trace, and its graph functions."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.stack: list[Activation] = []
        self.functions: list[GraphFunction] = []
        self.known_results: dict[Any, Spec | None] = {}
        self.unfinished = 0  # calls so far that were taken to never return, for want of a result

    def entering(self, function: Any, entered: Callable[..., Any]) -> Callable[..., Any]:
        """What to call in place of a user's function."""
        code: CodeType = function.__code__
        decisions = self.trace.decisions

        def run(*args: Any, **kwargs: Any) -> Any:
            if code in decisions.graph_functions and has_staged((args, kwargs), function):
                return certain(self.call(function, entered, args, kwargs))
            if any(a.code is code for a in self.stack):
                self.check(code, args, kwargs)
            self.stack.append(Activation(code, len(self.trace.frames), (args, kwargs)))
            try:
                return traced(self.trace, certain(entered(*args, **kwargs)))
            finally:
                self.stack.pop()

        return run

    # -- when to make a graph function ----------------------------------------------------------------

    def check(self, code: CodeType, args: Any, kwargs: Any) -> None:
        """Begin again with ``code`` as a graph function, where unrolling its calls would not end."""
        decisions = self.trace.decisions
        if code in decisions.unrolled_functions:
            return
        spec = self.spec_of_arguments(args, kwargs)
        kind = any_number(spec)
        alike = same = 0
        for activation in self.stack:
            if activation.code is not code:
                continue
            before = self.spec_of_arguments(*activation.arguments)
            between = activation.frames != len(self.trace.frames)
            same += before == spec
            if before == spec and (between or same > MAX_UNROLLED_CALLS):
                raise Restart(decisions.with_function(code, False), f"{code.co_name} calls itself")
            alike += between and any_number(before) == kind
        if alike >= MAX_UNROLLED_CALLS:
            raise Restart(
                decisions.with_function(code, True), f"{code.co_name} calls itself with ever other numbers"
            )

    def spec_of_arguments(self, args: Any, kwargs: Any) -> Spec:
        return Tuple((spec_of(by_identity(self.trace, args)), spec_of(by_identity(self.trace, kwargs))))

    # -- calls of graph functions -----------------------------------------------------------------------

    def call(self, function: Any, entered: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """A call operation; the function is traced where it is new."""
        arguments = by_identity(self.trace, args), by_identity(self.trace, kwargs)
        spec: Spec = Tuple((spec_of(arguments[0]), spec_of(arguments[1])))
        code = function.__code__
        if code in self.trace.decisions.generalised_functions:
            spec = any_number(spec)
        self.trace.poll()
        cells = [(cell, contents_of(cell)) for cell in cells_of(function)]
        found = self._find(code, spec, cells)
        if found is None:
            found = self._trace_function(function, entered, spec, cells)
        return self._emit(found, arguments)

    def _find(self, code: CodeType, spec: Spec, cells: list[tuple[CellType, Any]]) -> GraphFunction | None:
        alike = 0
        for known in self.functions:
            if known.code is not code or not same_cells(known.cells, cells):
                continue
            if known.in_work:
                alike += 1
                if known.arguments == spec:
                    self._refuse_changes(known)
                    return known
            elif known.arguments == spec and known.version == self.trace.version:
                return known
        if alike >= MAX_VERSIONS:
            decisions = self.trace.decisions
            if code in decisions.generalised_functions:
                raise self.trace.refuse(
                    f"`{code.co_name}` calls itself with arguments of ever other kinds: {describe(spec)}",
                    "pass arrays and numbers of the same types in each call",
                    code.co_name,
                )
            raise Restart(decisions.with_function(code, True), f"{code.co_name} is called with other numbers")
        return None

    def _refuse_changes(self, function: GraphFunction) -> None:
        """A recursive call reads attributes, globals and lists as they were when the function was entered."""
        written = [s for frame in self.trace.frames[function.frames :] for s, _ in frame.written.values()]
        changed = [slot.name for slot in written]
        changed += [
            name
            for name, (cell, known) in zip(function.code.co_freevars, function.cells, strict=False)
            if contents_of(cell) is not known
        ]
        if changed:
            raise self.trace.refuse(
                f"the recursive function `{function.code.co_name}` changes `{changed[0]}`",
                "pass the value as an argument and return the new one",
                changed[0],
            )

    def _emit(self, function: GraphFunction, arguments: tuple[Any, Any]) -> Any:
        trace = self.trace
        function.used = True
        inputs = tuple(adapt(arguments, function.arguments, trace))
        attributes = {"function": function.name, "effects": UNKNOWN_EFFECTS}
        operation = Operation(CALL, inputs, (), attributes)
        result = function.result
        if result is None:
            trace.append(operation)
            self.unfinished += 1
            return trace.end_path()
        operation.outputs = tuple(Value(t, "", operation) for t in leaf_types(result))
        trace.append(operation)
        if not self.stack:  # the call of the decorated function itself, which has no line
            operation.location = None
        return rebuild(result, iter(operation.outputs), trace)

    # -- the body ---------------------------------------------------------------------------------------

    def _trace_function(
        self, function: Any, entered: Callable[..., Any], spec: Spec, cells: list[tuple[CellType, Any]]
    ) -> GraphFunction:
        trace = self.trace
        key = (function.__code__, spec)
        made = GraphFunction(self._name(function), function.__code__, spec, cells, trace.version)
        made.result = self.known_results.get(key)
        made.frames = len(trace.frames)
        before = len(self.functions)
        self.functions.append(made)
        for _ in range(MAX_BODY_TRACES):
            del self.functions[before + 1 :]  # they were traced with a result that is outdated
            made.used = False
            known = made.result
            outcome = self._trace_body(made, function, entered)
            if not outcome.ended:
                result = generalised_result(spec_of(outcome.result))
                made.result = result if known is None else join(known, result)
            self.known_results[key] = made.result
            if made.result == known or not made.used:
                break
        else:
            raise trace.refuse(
                f"the result of the recursive function `{made.code.co_name}` never settles on a type: "
                f"{made.describe()}",
                "return values of the same type and shape on all paths",
                made.code.co_name,
            )
        if not outcome.ended:
            assert made.result is not None
            with trace.into(made.body):
                made.body.results = tuple(adapt(outcome.result, made.result, trace))
        made.in_work = False
        return made

    def _trace_body(self, made: GraphFunction, function: Any, entered: Callable[..., Any]) -> Outcome:
        trace = self.trace
        names = function.__code__.co_varnames
        made.body = Block([Value(t, hint) for t, hint in _params(made.arguments, names)])
        version = trace.version
        with self._alone():
            args, kwargs = rebuild(made.arguments, iter(made.body.params), trace)
            self.stack.append(Activation(made.code, len(trace.frames), (args, kwargs)))
            try:
                outcome = trace.trace_block(made.body, lambda: certain(entered(*args, **kwargs)))
            finally:
                self.stack.pop()
        if outcome.slots:
            changed = next(slot.name for slot, _, _ in outcome.slots.values())
            raise trace.refuse(
                f"the recursive function `{made.code.co_name}` changes `{changed}`",
                "pass the value as an argument and return the new one",
                changed,
            )
        trace.version = version
        if not outcome.ended:
            (outcome.result,) = settle(trace, (outcome.result,), made.body)
            self._check_result(made, outcome.result)
        return outcome

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """The `try` statements around a call are no business of the function's body."""
        trace = self.trace
        kept = trace.regions, trace.handling
        trace.regions, trace.handling = [], []
        try:
            yield
        finally:
            trace.regions, trace.handling = kept

    def _check_result(self, made: GraphFunction, value: Any) -> None:
        if isinstance(value, Identity):
            if self.trace.origin_of(value.value) is None:
                raise self.trace.refuse(
                    f"the recursive function `{made.code.co_name}` returns a {type(value.value).__name__} "
                    "that others hold",
                    "return numbers, arrays or tuples of them",
                    made.code.co_name,
                )
        elif isinstance(value, tuple):
            for item in value:
                self._check_result(made, item)
        elif isinstance(value, Choice):
            for item in value.values:
                self._check_result(made, item)

    def _name(self, function: Any) -> str:
        base = "".join(c if c.isalnum() else "_" for c in function.__name__).strip("_") or "function"
        taken = {known.name for known in self.functions}
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}.{number}"
        return name

    # -- the end of the trace ---------------------------------------------------------------------------

    def finish(self, graph: Graph) -> None:
        """Give the graph the functions that it calls."""
        bodies = {f.name: Graph(f.name, f.body) for f in self.functions}
        functions = reachable(graph.body, bodies)
        for part in (graph, *functions.values()):
            part.functions = functions
        if functions:
            lift_free_values(graph)
            note_effects(graph)


def _params(spec: Spec, names: tuple[str, ...]) -> list[tuple[Any, str]]:
    """Types and names of a function's parameters."""
    assert isinstance(spec, Tuple)
    args, kwargs = spec.items
    assert isinstance(args, Tuple) and isinstance(kwargs, Dict)
    named = [
        *zip((*names, *[""] * len(args.items)), args.items, strict=False),
        *zip(kwargs.keys, kwargs.items, strict=True),
    ]
    return [(t, hint_of(name, part)) for name, part in named for t in leaf_types(part)]


def by_identity(trace: Trace, value: Any) -> Any:
    """A value in which lists, dicts and objects are known by identity."""
    if isinstance(value, tuple):
        items = [by_identity(trace, item) for item in value]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    if type(value) is dict:
        return {key: by_identity_item(trace, item) for key, item in value.items()}
    return by_identity_item(trace, value)


def by_identity_item(trace: Trace, value: Any) -> Any:
    if type(value) in (list, dict) or trace.outside.is_local(value):
        return Identity(value)
    if isinstance(value, Choice):
        return Choice(value.tag, tuple([by_identity_item(trace, v) for v in value.values]))
    return by_identity(trace, value) if isinstance(value, tuple) else value


def has_staged(arguments: Any, function: Any) -> bool:
    """Does a call depend on anything that is known only at run time?"""
    return any(_is_staged(item) for item in (*arguments[0], *arguments[1].values())) or any(
        _is_staged(contents_of(cell)) for cell in cells_of(function)
    )


def _is_staged(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_is_staged, value))
    if isinstance(value, dict):
        return any(map(_is_staged, value.values()))
    return isinstance(value, Choice) or bool(leaf_types(spec_of(value)))


def any_number(spec: Spec) -> Spec:
    """The spec with any number in place of each one, and arrays of any lengths."""
    if isinstance(spec, Const):
        return generalise(spec) if not isinstance(spec.value, bool) else spec
    if isinstance(spec, Leaf) and isinstance(spec.type, ArrayType):
        return replace(spec, type=ArrayType(spec.type.dtype, (None,) * spec.type.ndim))
    return _mapped(spec, any_number)


def generalised_result(spec: Spec) -> Spec:
    """Numbers that are known in one path are staged: other paths return others."""
    if isinstance(spec, Const):
        return generalise(spec)
    return _mapped(spec, generalised_result)


def _mapped(spec: Spec, change: Callable[[Spec], Spec]) -> Spec:
    if isinstance(spec, Leaf | Const):
        return spec
    if isinstance(spec, Variant):
        found: Spec | None = None
        for alternative in map(change, spec.alternatives):
            found = alternative if found is None else join(found, alternative)
        assert found is not None
        return found
    return replace(spec, items=tuple(map(change, spec.items)))


# -- closures ----------------------------------------------------------------------------------------


def cells_of(function: Any) -> list[CellType]:
    """The cells of a function made during the trace, and of such functions in them."""
    found: list[CellType] = []

    def visit(item: Any) -> None:
        if not isinstance(item, FunctionType) or not is_converted_code(item.__code__):
            return
        for cell in item.__closure__ or ():
            if not any(cell is other for other in found):
                found.append(cell)
                visit(contents_of(cell))

    visit(function)
    return found


_EMPTY = object()


def contents_of(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY


def same_cells(a: list[tuple[CellType, Any]], b: list[tuple[CellType, Any]]) -> bool:
    return len(a) == len(b) and all(c is d and v is w for (c, v), (d, w) in zip(a, b, strict=True))


__all__ = ["Calls", "GraphFunction"]
