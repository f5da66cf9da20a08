"""Derivatives in a trace: the function is traced where it is called, and operations ask for its derivative.

Outside of a trace a derivative is a decorated function like any other, whose trace does just that.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.operators import call
from runtime.arguments import wrong_argument
from runtime.control_flow.choices import dispatch
from runtime.differentiation.leaves import change_leaves, found_as, is_float, leaves_of, with_leaves
from runtime.functions.functions import Function
from runtime.guards.paths import Constant
from runtime.staged.operands import ArrayHolder, is_trainable, storage_of
from runtime.state.hooks import Collection, variables_in
from runtime.tracer.builder import Staged, active_builders, emit
from runtime.tracer.spec import Choice
from runtime.tracer.trace import Trace, current_trace
from runtime.types import ArrayType, ObjectType


class OfFunction:
    """A function made of another, of which a trace has its own meaning: ``compiled_call``."""

    #: how messages call it
    kind = "the derivative"
    __name__: str

    def __init__(self, function: Callable[..., Any]) -> None:
        check_callable(self.kind, function)
        self.function = function
        functools.update_wrapper(self, _plain(function), updated=())

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def compiled_call(self, /, *args: Any, **kwargs: Any) -> Any:
        """What the compiled form traces."""
        raise NotImplementedError

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


class Derivative(OfFunction):
    """A function made of another by differentiation. Subclasses say in ``traced`` what a call of
    it does in a trace."""

    def __init__(self, function: Callable[..., Any], engine: str | None = None) -> None:
        super().__init__(function)
        own = function.engine if isinstance(function, Function) else "auto"
        self.compiled = Function(
            Compiled(self), engine=engine or own, name=f"{self.kind} of {_name(function)}"
        )

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if active_builders and current_trace() is not None:
            return self.traced(*args, **kwargs)
        return self.compiled(*args, **kwargs)

    def __runtime_traced__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.traced(*args, **kwargs)

    def traced(self, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def compiled_call(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.traced(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<{self.kind} of {_name(self.function)}>"


class Compiled:
    """What the compiled form of a derivative, or of a function with a gradient of its own, traces."""

    def __init__(self, made: OfFunction) -> None:
        self.made = made
        self.__name__ = made.kind

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.made.compiled_call(*args, **kwargs)

    def __runtime_traced__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self(*args, **kwargs)

    @staticmethod
    def __runtime_import__(value: Compiled, outside: Any, path: Any) -> Any:
        """Nothing about it ever changes, so that each call need not look, but at the function."""
        function = value.made.function
        found = outside.import_value(function, Constant(function, _name(function)))
        return value if found is function else Compiled(_of_function(value.made, found))


def _of_function(old: OfFunction, function: Callable[..., Any]) -> OfFunction:
    """The same of another function; the trace under way may watch the class."""
    made = object.__new__(type(old))
    held = object.__getattribute__(old, "__dict__")
    object.__getattribute__(made, "__dict__").update(held, function=function)
    return made


def _plain(function: Any) -> Any:
    return getattr(function, "python_function", function)


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)


def check_callable(kind: str, function: Any) -> None:
    if not callable(function) or isinstance(function, Staged):
        raise wrong_argument(
            f"rt.{kind}: the first argument is {function!r}, not a function",
            f"write rt.{kind}(f), and call the result: rt.{kind}(f)(x)",
        )


# -- arguments -----------------------------------------------------------------------------------------


def argument_names(function: Callable[..., Any], count: int) -> list[str]:
    """What the positional arguments of a call are called."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [f"argument {k}" for k in range(count)]
    names = []
    for k in range(count):
        if k < len(parameters) and parameters[k].kind in (
            inspect.Parameter.POSITIONAL_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
        ):
            names.append(parameters[k].name)
        else:
            names.append(f"argument {k}")
    return names


def places(
    kind: str, argnums: int | Sequence[int], count: int, function: Callable[..., Any]
) -> tuple[int, ...]:
    """The numbers of the arguments, counted from the front."""
    numbers = tuple(argnums) if isinstance(argnums, tuple | list) else (argnums,)
    for k in numbers:
        if not isinstance(k, int) or isinstance(k, bool) or not -count <= k < count:
            raise wrong_argument(
                f"rt.{kind}: argnums is {argnums!r}, and {_name(function)} is called with {count} arguments "
                "by position",
                f"argnums counts them from 0 to {count - 1}; pass by position what the derivative is for",
                "argnums",
            )
    found = tuple([k % count for k in numbers])
    if len(set(found)) != len(found) or not found:
        raise wrong_argument(
            f"rt.{kind}: argnums is {argnums!r}, which names {'no argument' if not found else 'one twice'}",
            "name each argument once",
            "argnums",
        )
    return found


def of_own(kind: str, value: Any, name: str) -> tuple[Callable[[], Any], list[Any]]:
    """The floats of an argument as values of their own, and what makes the argument of these.

    Nothing may stand among the inputs of a derivative, so that containers of them are made behind all of
    them. Raises ArgumentError where there are no floats.
    """
    inputs: list[Any] = []

    def change(leaf: Any, name: str) -> Any:
        if isinstance(leaf, ArrayHolder | Collection):
            raise wrong_argument(
                f"rt.{kind}: `{name}` is a {type(leaf).__name__}, of which only rt.grad takes derivatives",
                "take rt.grad or a tape; or pass the array, v.value",
                name,
            )
        return own_float(leaf, inputs)

    leaves = [change(*leaf) for leaf in leaves_of(value, name)]
    if not inputs:
        raise _no_floats(kind, value, name)
    return lambda: with_leaves(value, leaves, name), inputs


def own_float(leaf: Any, inputs: list[Any]) -> Any:
    """A float as a value of its own, one more of the ``inputs``; anything else as it is."""
    if not is_float(leaf):
        return leaf
    own = emit("identity", [leaf])
    own = own.boxed_as_tensor() if getattr(leaf, "boxed", False) else own
    inputs.append(own)
    return own


def of_own_or_held(kind: str, value: Any, name: str) -> tuple[Callable[[], Any], list[Any]]:
    """As `of_own`, of arguments that may hold variables. These stay what they are: with respect to them means
    with respect to what they hold when the call begins."""
    found: list[Any] = []

    def change(leaf: Any) -> Any:
        variables = trainable_in(leaf)
        if variables is not None:
            found.extend([storage_of(variable) for variable in variables.values()])
            return leaf
        return own_float(leaf, found)

    leaves = [change(leaf) for leaf, _ in leaves_of(value, name)]
    if not found:
        raise _no_floats(kind, value, name)
    return lambda: with_leaves(value, leaves, name), found


def trainable_in(leaf: Any) -> dict[str, Any] | None:
    """The trainable variables of floats of a module by name, or a variable itself; None for anything else."""
    if isinstance(leaf, ArrayHolder):
        return {"": leaf} if is_float(storage_of(leaf)) else {}
    if not isinstance(leaf, Collection):
        return None
    found = {name: variable for name, variable in call(variables_in, leaf) if is_trainable(variable)}
    return {name: variable for name, variable in found.items() if is_float(storage_of(variable))}


def holds_variables(value: Any) -> bool:
    return any(isinstance(leaf, ArrayHolder | Collection) for leaf, _ in leaves_of(value, ""))


def gradients_like(
    value: Any, found: Iterator[Any], name: str, leaves: Sequence[tuple[Any, str]] | None = None
) -> Any:
    """The structure of an argument with gradients: of a module a dict of those of its variables.

    ``leaves``: what stands for its leaves in the trace, where it is not the trace's own.
    """
    leaves = list(leaves_of(value, name)) if leaves is None else leaves
    gradients = [_gradient_of(leaf, leaf_name, found) for leaf, leaf_name in leaves]
    return with_leaves(value, gradients, f"gradient of {name}")


def _gradient_of(leaf: Any, name: str, found: Iterator[Any]) -> Any:
    variables = trainable_in(leaf)
    if variables is None:
        return next(found) if is_float(leaf) else None
    if isinstance(leaf, ArrayHolder):
        return next(found) if variables else None
    made = {variable: next(found) for variable in variables}
    trace = current_trace()
    return made if trace is None else trace.containers.born(made, (trace.containers.here(), name))


def held_arrays(trace: Trace, kind: str, leaves: Sequence[tuple[Any, str]]) -> list[list[Any]]:
    """The arrays of floats among the leaves of ``wrt``, which the function reads from elsewhere: each as what
    stands for it in the trace, at one place or at several. Asked for when the function has run."""
    found: list[list[Any]] = []
    for leaf, name in leaves:
        variables = trainable_in(leaf)
        if variables is not None:
            found.extend([[storage_of(variable)] for variable in variables.values()])
        elif isinstance(leaf, np.ndarray) and is_float(leaf):
            found.append(found_as(trace, leaf, kind, name))
        elif isinstance(leaf, Staged) and is_float(leaf) and isinstance(leaf.type, ArrayType):
            found.append([leaf])
        else:
            what = str(leaf.type) if isinstance(leaf, Staged) else f"of type {type(leaf).__name__}"
            raise wrong_argument(
                f"rt.{kind}: `{name}` is {what}, and no array of floats",
                "give arrays of floats, variables or modules; pass a number as an argument, and use argnums",
                "wrt",
            )
    if not found:
        raise wrong_argument(
            f"rt.{kind}: there is no array of floats in `wrt`", "give arrays, variables or modules", "wrt"
        )
    return found


def _no_floats(kind: str, value: Any, name: str) -> Exception:
    if isinstance(value, Choice) and any(map(is_float, value.values)):
        what = "is of another type on each path"
        hint = f"write float({name}) in the call, or begin with a np.float64"
        return wrong_argument(
            f"rt.{kind}: `{name}` {what}; a derivative is of values of one type", hint, name
        )
    if isinstance(value, Staged) or isinstance(value, int):
        what = f"is {value.type}" if isinstance(value, Staged) else f"is {type(value).__name__}"
        hint = f"pass float({name}), or an array of floats: {name}.astype(float)"
    else:
        what, hint = "has no float in it", "pass floats, or arrays of floats"
        if hasattr(value, "__dict__"):
            what = f"is a {type(value).__name__}"
            hint = (
                f"say which of its arrays are meant: wrt=[{name}.w]; or make it a dataclass or an rt.Module"
            )
    return wrong_argument(f"rt.{kind}: `{name}` {what}; derivatives are of floats", hint, name)


# -- results -------------------------------------------------------------------------------------------


def scalar_result(kind: str, result: Any, function: Callable[..., Any]) -> Any:
    """What a function returned, where it is one real number."""
    name = _name(function)
    if result is None:
        raise _wrong_result(kind, f"{name} returns nothing", "return the value to differentiate")
    if isinstance(result, tuple | list | dict):
        hint = "return the number alone, or (number, other results) with has_aux=True"
        raise _wrong_result(kind, f"{name} returns a {type(result).__name__}", hint)
    result = settled(kind, result, function)
    if isinstance(result, Staged) and not isinstance(result.type, ObjectType):
        return _checked_number(kind, result, name)
    if type(result) in (float, int, bool) or isinstance(result, np.generic):
        hint = f"compute the result of {name} from its arguments"
        raise _wrong_result(kind, f"{name} returns the constant {result!r}", hint)
    what = str(result.type) if isinstance(result, Staged) else type(result).__name__
    raise _wrong_result(kind, f"{name} returns a value of type {what}", "return a float")


def settled(kind: str, result: Any, function: Callable[..., Any]) -> Any:
    """A result in which what is one of several kinds of numbers is a float."""

    def change(leaf: Any, _: str) -> Any:
        if not isinstance(leaf, Choice) or not any(map(is_float, leaf.values)):
            return leaf
        if not all(map(_is_number, leaf.values)):
            hint = "let all of its paths return a float"
            raise _wrong_result(kind, f"{_name(function)} returns one of several kinds of values", hint)
        return dispatch(leaf, lambda value: emit("py.float", [value]))

    return change_leaves(result, change, "result")


def _is_number(value: Any) -> bool:
    if not isinstance(value, Staged):
        return type(value) in (int, float, bool) or isinstance(value, np.generic)
    return not isinstance(value.type, ObjectType) and not value.type.shape and value.type.dtype.kind in "biuf"


def _checked_number(kind: str, result: Any, name: str) -> Any:
    type_ = result.type
    if type_.shape:
        hint = "sum it to one number, or use rt.jacobian"
        raise _wrong_result(kind, f"{name} returns an array, {type_}", hint)
    if type_.dtype.kind != "f":
        hint = "return a float" if type_.dtype.kind != "c" else "return its real part, or its absolute value"
        raise _wrong_result(kind, f"{name} returns {type_}, and gradients are of real floats", hint)
    return result


def _wrong_result(kind: str, message: str, hint: str) -> Exception:
    return wrong_argument(f"rt.{kind}: {message}", hint)


def like_boxed(values: Sequence[Any], like: Sequence[Any]) -> list[Any]:
    """Results for Tensors are Tensors."""
    return [
        value.boxed_as_tensor() if getattr(x, "boxed", False) else value
        for value, x in zip(values, like, strict=True)
    ]


def emitted(name: str, inputs: Sequence[Any], results: int, **attributes: Any) -> list[Any]:
    found = emit(name, inputs, results=results, **attributes)
    return list(found) if isinstance(found, tuple) else [found]


def marked() -> object:
    """A mark in the graph, from which a derivative begins."""
    mark = object()
    emit("watch", [], mark=mark)
    return mark


class Gradient(Derivative):
    """``rt.grad`` and ``rt.value_and_grad``."""

    kind = "grad"

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: int | Sequence[int],
        has_aux: bool,
        with_value: bool,
        wrt: Any = None,
    ) -> None:
        self.argnums = argnums
        self.has_aux = has_aux
        self.with_value = with_value
        self.has_wrt = wrt is not None
        self._wrt = lambda: wrt  # no attribute, which a trace would read as the program's
        if with_value:
            self.kind = "value_and_grad"
        super().__init__(function)

    def compiled_call(self, /, *args: Any, **kwargs: Any) -> Any:
        if not self.has_wrt:
            return self.traced(*args, **kwargs)
        trace = current_trace()
        assert trace is not None
        enter = lambda leaf, name: (
            leaf if trainable_in(leaf) is None else trace.outside.import_value(leaf, Constant(leaf, name))
        )
        leaves = [(enter(leaf, name), name) for leaf, name in leaves_of(self._wrt(), "wrt")]
        return self._with_respect_to(leaves, args, kwargs)

    def traced(self, /, *args: Any, **kwargs: Any) -> Any:
        if self.has_wrt:
            return self._with_respect_to(list(leaves_of(self._wrt(), "wrt")), args, kwargs)
        numbers = places(self.kind, self.argnums, len(args), self.function)
        names = argument_names(self.function, len(args))
        given, flat, makers = list(args), [], {}
        for k in numbers:
            makers[k], inputs = of_own_or_held(self.kind, args[k], names[k])
            flat += inputs
        mark = marked()
        for k, make in makers.items():
            given[k] = make()
        outcome = call(self.function, *given, **kwargs)
        about = " or ".join([f"`{names[k]}`" for k in numbers])
        found = iter(self._gradients(outcome, flat, mark, about))
        gradients = tuple([gradients_like(args[k], found, names[k]) for k in numbers])
        return self._returned(outcome, gradients[0] if isinstance(self.argnums, int) else gradients)

    def _with_respect_to(
        self, leaves: Sequence[tuple[Any, str]], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        """``leaves``: those of `wrt`, as the trace has them."""
        mark = marked()
        outcome = call(self.function, *args, **kwargs)
        trace = current_trace()
        assert trace is not None
        arrays = held_arrays(trace, self.kind, leaves)
        inputs = [x for places in arrays for x in places]
        found = iter(self._gradients(outcome, inputs, mark, "what `wrt` names"))
        of_each = [functools.reduce(operator.add, [next(found) for _ in places]) for places in arrays]
        return self._returned(outcome, gradients_like(self._wrt(), iter(of_each), "wrt", leaves))

    def _gradients(self, outcome: Any, inputs: Sequence[Any], mark: object, about: str) -> list[Any]:
        """The gradients with respect to ``inputs`` of what the function returned; ``about``: their names."""
        result = self._with_aux(outcome)[0] if self.has_aux else outcome
        value = scalar_result(self.kind, result, self.function)
        several = {x.value: x for x in inputs}
        given = [value, value.type.dtype.type(1), *several.values()]
        found = dict(zip(several, emitted("gradient", given, 1, since=mark, about=about), strict=True))
        return like_boxed([found[x.value] for x in inputs], inputs)

    def _returned(self, outcome: Any, gradient: Any) -> Any:
        if self.with_value:
            return outcome, gradient
        return (gradient, outcome[1]) if self.has_aux else gradient

    def _with_aux(self, result: Any) -> tuple[Any, Any]:
        if not isinstance(result, tuple) or len(result) != 2:
            raise _wrong_result(
                self.kind,
                f"has_aux=True, and {_name(self.function)} returns no pair",
                "return (number, other results)",
            )
        return result[0], result[1]


class Plain(Derivative):
    """The function itself, compiled."""

    kind = "vjp"

    def traced(self, /, *args: Any, **kwargs: Any) -> Any:
        return call(self.function, *args, **kwargs)
