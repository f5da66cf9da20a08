"""Stage a function of arrays and numbers without converting it, and run its graph on the numpy engine.

>>> import numpy as np
>>> run(lambda x, n: x[n] + 1, np.arange(3.0), 2)
np.float64(3.0)
"""

from __future__ import annotations

import builtins
import math
import types
from typing import Any

import numpy as np

import runtime.tensor  # noqa: F401  # fills in the classes of staged values
from runtime.engines import numpy_engine
from runtime.graph import Block, Graph, Value
from runtime.numpy_calls.protocols import NumPyProtocols
from runtime.numpy_calls.staged_calls import staged_call
from runtime.tracer.builder import Builder, activate
from runtime.types import ArrayType, Type, type_of


class Calls:
    """A module whose functions are called through the table of staged calls, as the tracer calls them."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, types.ModuleType):
            return Calls(found)
        return Call(found) if callable(found) else found


class Call:
    def __init__(self, function: Any) -> None:
        self.function = function
        if isinstance(function, type) and issubclass(function, np.generic | bool | int | float | complex):
            self.dtype = np.dtype(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = tuple([tuple(map(_real, a)) if type(a) is tuple else _real(a) for a in args])
        result = staged_call(self.function, args, kwargs)
        return self.function(*args, **kwargs) if result is NotImplemented else result

    def __getattr__(self, name: str) -> Any:
        return Call(getattr(self.function, name))


def _real(item: Any) -> Any:
    return item.function if isinstance(item, Call) else item


BUILTINS = ("sum", "min", "max", "len", "round", "isinstance", "abs", "divmod", "pow", "type", "any", "all")
CONVERSIONS = ("int", "float", "bool", "complex")


def as_traced(function: Any) -> Any:
    """The function with ``np``, ``math`` and Python's builtins as converted code sees them."""
    scope = {name: Call(getattr(builtins, name)) for name in BUILTINS + CONVERSIONS}
    scope.update({"np": Calls(np), "math": Calls(math)})
    return types.FunctionType(
        function.__code__,
        {**function.__globals__, **scope},
        None,
        function.__defaults__,
        function.__closure__,
    )


def forget_lengths(t: Type) -> Type:
    return ArrayType(t.dtype, (None,) * t.ndim) if isinstance(t, ArrayType) else t


def trace(function: Any, types: list[Type]) -> tuple[Graph, Any]:
    """The graph of ``function`` for these types, and what the function returned while it was traced."""
    params = [Value(t) for t in types]
    builder = Builder(Block(params))
    builder.numpy = NumPyProtocols()
    with activate(builder):
        result = function(*[builder.wrap(p) for p in params])
        flat = list(result) if isinstance(result, tuple | list) else [] if result is None else [result]
        builder.block.results = tuple([builder.value_of(item) for item in flat])
    return Graph("f", builder.block), result


def run(function: Any, *args: Any, unknown_lengths: bool = False) -> Any:
    """``function(*args)`` through a graph. A tuple or list comes back as such."""
    given = [forget_lengths(type_of(a)) if unknown_lengths else type_of(a) for a in args]
    graph, shape = trace(function, given)
    results = numpy_engine.compile(graph)(list(args))
    for value, found in zip(graph.results, results, strict=True):
        assert fits(found, value.type), f"{found!r} is not of type {value.type}"
    if isinstance(shape, tuple | list):
        return shape._make(results) if hasattr(shape, "_make") else type(shape)(results)
    return results[0] if results else None


def fits(value: Any, t: Type) -> bool:
    """Has a value the type that was inferred for it? Unknown lengths fit every length."""
    from runtime.types import is_subtype

    return is_subtype(type_of(value), t)


def outcome(function: Any, *args: Any) -> Any:
    """What calling a function gives: its result, or the class and text of what it raises."""
    with np.errstate(all="ignore"):
        try:
            return function(*args)
        except (TypeError, ValueError, IndexError, ArithmeticError, AttributeError) as error:
            return type(error), str(error)
