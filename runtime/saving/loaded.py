"""A function that came out of a file: its signatures, each with a graph; what a call of it does.

In a trace its operations become operations of that trace.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograph.errors import ArgumentError
from runtime.arguments import wrong_argument
from runtime.binding import generate_binder
from runtime.engines.tracebacks import visible
from runtime.functions import native_entries
from runtime.functions.concrete import MISS, ConcreteFunction, describe_value
from runtime.functions.dispatch import MAX_ENTRIES, Entry, Made, entry_of
from runtime.functions.plans import (
    Anew,
    Boxed,
    Building,
    Built,
    Chosen,
    Given,
    Leaf,
    Plan,
    Shared,
    TupleOf,
)
from runtime.functions.signature import key_of
from runtime.graph import Block, Operation, Value
from runtime.graph.rewrite import Rebuild
from runtime.guards.paths import Argument
from runtime.objects import entered
from runtime.saving.signatures import Spec
from runtime.state.variables import Variable
from runtime.tensor import rebox
from runtime.tracer.builder import active_builders
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace, current_trace, require_trace


def inline(trace: Trace, concrete: ConcreteFunction, leaves: Sequence[Any]) -> Any:
    """Append the graph to a trace, and give what the function returns."""

    inputs = [_value(trace, leaves[i]) for i in concrete.positions]
    for path in concrete.paths:
        if isinstance(path, Argument):
            inputs.append(_value(trace, leaves[path.index]))
        else:
            inputs.append(trace.value_of(trace.outside.import_value(path.fetch(leaves), path)))
    graph = concrete.optimized
    if graph.functions:
        raise trace.refuse(
            f"{graph.name}() calls itself, and is called inside another function",
            "call it outside, and pass what it returns",
        )
    rebuild = _Inserted(trace)
    rebuild.values.update(zip(graph.params, inputs, strict=True))
    for op in graph.body.operations:
        rebuild.operation(op, trace.block)
    if graph.body.ends == "never":
        trace.end_path()
    results = [trace.wrap(rebuild.values[value]) for value in graph.results]
    return _built(concrete.plan, Built(results), leaves)


def _value(trace: Trace, leaf: Any) -> Value:
    return trace.value_of(leaf._array if getattr(leaf, "boxed", False) else leaf)


class _Inserted(Rebuild):
    """Copies operations into the block of a trace, which hears of each."""

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self.trace = trace

    def operation(self, op: Operation, block: Block) -> None:
        if block is self.trace.block:
            self.trace.append(self.copy(op))
        else:
            block.append(self.copy(op))


def _built(plan: Plan, results: Built, leaves: Sequence[Any]) -> Any:
    """What the plan builds of staged results: one of several becomes a `Choice`."""
    match plan:
        case Building():
            return _built(plan.plan, results, leaves)
        case Boxed():
            return rebox(results[plan.index])
        case TupleOf():
            items = [_built(item, results, leaves) for item in plan.items]
            return tuple(items) if plan.kind is tuple else plan.kind._make(items)
        case Shared():
            return _container(plan, results, leaves)
        case Anew():
            if plan.number not in results.built:
                parts = [_built(part, results, leaves) for part in plan.parts]
                results.built[plan.number] = plan.function(*parts)
            return results.built[plan.number]
        case Chosen():
            options = tuple([_built(option, results, leaves) for option in plan.options])
            return Choice(_built(plan.tag, results, leaves), options)
        case Leaf() | Given():
            return plan(results, leaves)
    return plan(results, leaves)


def _container(plan: Shared, results: Built, leaves: Sequence[Any]) -> Any:
    if plan.number not in results.built:
        items = [_built(item, results, leaves) for item in plan.items]
        made = items if plan.keys is None else dict(zip(plan.keys, items, strict=True))
        containers = require_trace().containers
        results.built[plan.number] = containers.born(made, (containers.here(), "returned", plan.number))
    return results.built[plan.number]


@dataclass(frozen=True)
class Signature:
    """What the arguments of one trace are, and the trace."""

    args: tuple[Spec, ...]
    kwargs: Mapping[str, Spec]
    concrete: ConcreteFunction

    def take(self, args: Sequence[Any], kwargs: Mapping[str, Any], leaves: list[Any]) -> bool:
        """Are these the arguments? Collects their leaves."""
        if len(args) != len(self.args) or kwargs.keys() != self.kwargs.keys():
            return False
        fits = all(spec.take(arg, leaves) for spec, arg in zip(self.args, args, strict=True))
        return all(spec.take(kwargs[name], leaves) for name, spec in self.kwargs.items()) and fits

    def __str__(self) -> str:
        words = [*map(str, self.args), *(f"{name}={spec}" for name, spec in self.kwargs.items())]
        return f"({', '.join(words)})"


class LoadedFunction(entered.Entered):
    """A function that ``rt.load`` has read. Calls run the graph for their arguments, and no Python."""

    def __init__(
        self,
        name: str,
        parameters: Sequence[inspect.Parameter],
        signatures: Sequence[Signature],
        variables: Mapping[str, Variable],
    ) -> None:
        self.__name__ = self.__qualname__ = name
        stub = function_like(name, parameters)
        self._bind = generate_binder(stub)
        self.__signature__ = inspect.signature(stub)
        # An array of no dimensions takes numbers, too: only those that no other signature is for.
        self.signatures = tuple(sorted(signatures, key=lambda one: str(one).count("[]")))
        #: the variables that it reads or assigns, by name
        self.variables = dict(variables)
        self._entries: tuple[Entry, ...] = ()
        self._made: tuple[Made, ...] = ()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        try:
            if not active_builders and not kwargs:
                for enter in self._entries:
                    result = enter(args)
                    if result is not MISS:
                        return result
            return self._call(args, kwargs)
        except Exception as error:
            if current_trace() is not None:
                raise
            raise error.with_traceback(visible(error.__traceback__))  # noqa: B904

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        args, kwargs = self._bind(*args, **kwargs)
        signature, leaves = self._find(args, kwargs)
        if not kwargs and not signature.concrete.has_entry and _are_leaves(leaves, args):
            signature.concrete.has_entry = True
            often = self._enter_natively if entered.can_be_entered(self) else None
            made = entry_of(signature.concrete, args, data=False, often=often)
            if made is not None:
                self._made = (made, *self._made[: MAX_ENTRIES - 1])
                self._entries = tuple([one.enter for one in self._made])
                if hasattr(self, "_chain"):
                    self._enter_natively()
        return signature.concrete.run(leaves)

    def _enter_natively(self) -> None:
        """There were many calls: machine code asks first what the entries ask."""
        native_entries.enter(self, self._made, _CALL)

    def _find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Signature, list[Any]]:
        """The signature for these arguments, and their leaves. Raises ArgumentError."""
        for signature in self.signatures:
            leaves: list[Any] = []
            if signature.take(args, kwargs, leaves) and signature.concrete.check(leaves):
                return signature, leaves
        raise self._unknown(args, kwargs)

    def _unknown(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ArgumentError:
        words = [*map(describe_value, args), *(f"{name}={describe_value(v)}" for name, v in kwargs.items())]
        known = " or ".join(map(str, self.signatures))
        return wrong_argument(
            f"{self.__name__}() was saved for {known}, and is called with ({', '.join(words)})",
            "pass such arguments, or save it for these, too",
        )

    def __reduce__(self) -> Any:
        """For copies."""
        parameters = [*self.__signature__.parameters.values()]
        return LoadedFunction, (self.__name__, parameters, self.signatures, self.variables)

    def __runtime_call__(self, trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
        """A call in a trace: the operations become part of it."""
        args, kwargs = self._bind(*args, **kwargs)
        signature, leaves = self._find(args, kwargs)
        return inline(trace, signature.concrete, leaves)

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """One for each signature."""
        return [signature.concrete for signature in self.signatures]

    def __repr__(self) -> str:
        return f"<loaded function {self.__name__}{' or '.join(map(str, self.signatures))}>"


_CALL = LoadedFunction.__call__
LoadedFunction = entered.with_entries(LoadedFunction, are_methods=False)  # type: ignore[misc]


def _are_leaves(leaves: Sequence[Any], args: Sequence[Any]) -> bool:
    """Does the run get what the call has? Not where a number stands for an array."""
    given: list[Any] = []
    for arg in args:
        key_of(arg, given, data=False)
    return [*map(id, given)] == [*map(id, leaves)]


def function_like(name: str, parameters: Sequence[inspect.Parameter]) -> types.FunctionType:
    """A function with these parameters and defaults, which does nothing.

    >>> both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    >>> made = function_like("f", [inspect.Parameter("x", both), inspect.Parameter("n", both, default=2)])
    >>> print(inspect.signature(made))
    (x, n=2)
    """
    empty = inspect.Parameter.empty
    named = [one if one.default is empty else one.replace(default=None) for one in parameters]
    namespace: dict[str, Any] = {}
    exec(f"def stub{inspect.Signature(named)}: pass", namespace)  # inspect takes nothing but identifiers
    made: types.FunctionType = namespace["stub"]
    given = [one for one in parameters if one.default is not empty]
    made.__defaults__ = tuple([one.default for one in given if one.kind is not one.KEYWORD_ONLY])
    made.__kwdefaults__ = {one.name: one.default for one in given if one.kind is one.KEYWORD_ONLY}
    made.__name__ = made.__qualname__ = name
    return made
