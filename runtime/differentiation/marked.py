"""Functions with a gradient of their own, and functions that are computed again:
``custom_gradient``, ``remat``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autograph.operators import call
from runtime.arguments import count, wrong_argument
from runtime.control_flow.blocks import trace_block
from runtime.differentiation.derivatives import (
    Compiled,
    OfFunction,
    _name,
    argument_names,
    own_float,
    settled,
)
from runtime.differentiation.leaves import change_leaves, floats_of, is_float, leaves_of, with_leaves
from runtime.functions.functions import Function
from runtime.gradients.scope import adjoint_type
from runtime.graph import Block, Operation, Value
from runtime.recording import records
from runtime.tracer.builder import Staged, emit
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace, current_trace


class Marked(OfFunction):
    """A function that is itself outside of a trace, and marked inside."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        trace = current_trace()
        if trace is not None:
            return self.traced(trace, *args, **kwargs)
        return self.plain(*args, **kwargs)

    def __runtime_traced__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self(*args, **kwargs)

    def plain(self, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def traced(self, trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def own_inputs(args: Sequence[Any], names: Sequence[str]) -> tuple[list[Any], list[list[Any]]]:
    """The arguments with floats that are values of their own, and those of each argument."""
    each: list[list[Any]] = [[] for _ in args]
    leaves = [
        [own_float(leaf, inputs) for leaf, _ in leaves_of(arg, name)]
        for arg, name, inputs in zip(args, names, each, strict=True)
    ]
    given = [with_leaves(arg, one, name) for arg, one, name in zip(args, leaves, names, strict=True)]
    return given, each


def marked_results(result: Any, outputs: Sequence[Value], trace: Trace) -> Any:
    """The result with the outputs of an operation in the place of its staged floats."""
    values = iter(outputs)

    def change(leaf: Any, _: str) -> Any:
        if not (is_float(leaf) and isinstance(leaf, Staged)):
            return leaf
        value = trace.wrap(next(values))
        return value.boxed_as_tensor() if getattr(leaf, "boxed", False) else value

    return change_leaves(result, change, "result")


class CustomGradient(Marked):
    """See `custom_gradient`."""

    kind = "custom_gradient"

    def compiled_call(self, /, *args: Any, **kwargs: Any) -> Any:
        return self(*args, **kwargs)

    def plain(self, /, *args: Any, **kwargs: Any) -> Any:
        if records():  # a tape has to know of the gradient
            return self._decorated(*args, **kwargs)
        return self._pair(self.function(*args, **kwargs))[0]

    @functools.cached_property
    def _decorated(self) -> Function[Any, Any]:
        return Function(Compiled(self), engine="numpy", name=_name(self.function))

    def _pair(self, result: Any) -> tuple[Any, Any]:
        if not isinstance(result, tuple) or len(result) != 2 or not callable(result[1]):
            raise wrong_argument(
                f"rt.custom_gradient: {self.__name__} returns no pair of a result and a function",
                "return (result, gradient), where gradient(g) gives the adjoints of the arguments",
            )
        return result

    def traced(self, trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
        names = argument_names(self.function, len(args))
        given, each = own_inputs(args, names)
        result, gradient = self._pair(call(self.function, *given, **kwargs))
        if any(isinstance(leaf, Choice) for leaf, _ in leaves_of(result, "result")):
            raise wrong_argument(
                f"rt.custom_gradient: {self.__name__} returns one of several kinds of values",
                "let all of its paths return a value of one type: 0.0 in place of 0",
            )
        results = [y.value for y in floats_of(result, "result") if isinstance(y, Staged)]
        if not results or not any(each):
            return result
        params = [Value(adjoint_type(y.type), "g") for y in results]
        block = Block(list(params))
        reached: list[Any] = []

        def run() -> None:
            floats = iter([trace.wrap(param) for param in params])
            adjoint = change_leaves(
                result,
                lambda leaf, _: (
                    (next(floats) if isinstance(leaf, Staged) else 0.0) if is_float(leaf) else None
                ),
                "result",
            )
            found = call(gradient, *adjoint) if isinstance(adjoint, tuple) else call(gradient, adjoint)
            pairs = self._adjoints(found, each, names)
            reached.extend(x.value for x, _ in pairs)
            block.results = tuple([trace.value_of(adjoint) for _, adjoint in pairs])

        trace.heap.begin_function(block)  # it runs when all else is over
        before = trace.heap.moment()
        outcome = trace_block(trace, block, run, before)
        if outcome.ended or any(trace.heap.stored_on_paths(before, before.references, [block])):
            raise trace.refuse(
                "the gradient of a function with rt.custom_gradient stores something, or raises",
                "let it compute the adjoints from its arguments, and return them",
            )
        types = tuple([y.type for y in results])
        inputs = (*results, *reached)
        op = trace.append(Operation("custom_gradient", inputs, types, {"results": len(results)}, (block,)))
        return marked_results(result, op.outputs, trace)

    def _adjoints(self, found: Any, each: Sequence[list[Any]], names: Sequence[str]) -> list[tuple[Any, Any]]:
        """Pairs of an input and its adjoint."""
        of_arguments = found if isinstance(found, tuple) else (found,)
        if len(of_arguments) != len(each):
            raise wrong_argument(
                f"rt.custom_gradient: the gradient returns {count(len(of_arguments), 'value')} for "
                f"{count(len(each), 'argument')}",
                "return one adjoint for each argument, None where it has none",
            )
        pairs = []
        for adjoint, inputs, name in zip(of_arguments, each, names, strict=True):
            if adjoint is None:
                continue
            floats = floats_of(settled("custom_gradient", adjoint, self.function), name)
            if len(floats) != len(inputs):
                raise wrong_argument(
                    f"rt.custom_gradient: the adjoint of `{name}` has {len(floats)} floats or arrays, and "
                    f"the argument {len(inputs)}",
                    "give it the structure of the argument",
                    name,
                )
            pairs += list(zip(inputs, floats, strict=True))
        return pairs


class Remat(Marked):
    """See `remat`."""

    kind = "remat"

    def __init__(self, function: Callable[..., Any], every: int | None) -> None:
        self.every = every
        super().__init__(function)

    def plain(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def traced(self, trace: Trace, /, *args: Any, **kwargs: Any) -> Any:
        given, each = own_inputs(args, argument_names(self.function, len(args)))
        result = call(self.function, *given, **kwargs)
        results = [y for y in floats_of(result, "result") if isinstance(y, Staged)]
        inputs = [x for floats in each for x in floats]
        if not results or not inputs:
            return result
        found = emit("remat", [*results, *inputs], results=len(results), every=self.every)
        outputs = found if isinstance(found, tuple) else (found,)
        return marked_results(result, [y.value for y in outputs], trace)
