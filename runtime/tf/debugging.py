"""`tf.print`, `tf.Assert` and `tf.debugging`: what happens at every call, in order."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.template import Hole, Template
from runtime.tf.arguments import only
from runtime.tf.dtypes import DType, TensorShape
from runtime.tf.errors import InvalidArgumentError
from runtime.tf.names import named_in_files, refusing
from runtime.tf.tensors import Tensor, apply, convert, pair, value_in
from runtime.tf.traces import current


def _effect(function: Callable[..., None], /, *args: Any, **kwargs: Any) -> Any:
    """Call this now, or whenever the graph runs at this point. Tensors arrive as arrays."""
    trace = current()
    tensors: list[Any] = []

    def prepared(value: Any) -> Any:
        if hasattr(value, "_as_tensor"):
            value = value._as_tensor()
        if isinstance(value, Tensor):
            tensors.append(value)
            return Hole(len(tensors) - 1)
        if isinstance(value, list | tuple):
            return type(value)([prepared(v) for v in value])
        return {k: prepared(v) for k, v in value.items()} if isinstance(value, dict) else value

    template = Template((tuple(map(prepared, args)), kwargs))
    if trace is None:
        filled, named = template.fill([x._held for x in tensors])
        function(*filled, **named)
        return None
    inputs = [value_in(trace, x) for x in tensors]
    trace.append("call", inputs, (), {"function": function, "template": template, "outputs": ()})
    return trace.block.operations[-1]


# -- printing ----------------------------------------------------------------------------------------------


def _text(value: Any, summarize: int) -> str:
    if isinstance(value, np.ndarray):
        if not value.ndim:
            return _number(value[()])
        return _array(value, summarize, 0)
    if isinstance(value, np.generic):
        return _number(value)
    if isinstance(value, str):
        return value
    if isinstance(value, TensorShape | DType):
        return repr(value)
    if isinstance(value, list | tuple):
        inside = ", ".join(repr(v) if isinstance(v, str) else _text(v, summarize) for v in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_text(v, summarize)}" for k, v in value.items()) + "}"
    return str(value)


def _number(value: Any) -> str:
    if isinstance(value, np.bool_):
        return str(int(value))
    if isinstance(value, np.floating) and np.isfinite(value):
        digits = (
            15 if value.dtype.itemsize == 8 else 6
        )  # three more where these do not say which number it is
        short = f"{value:.{digits}g}"
        return short if type(value)(short) == value else f"{value:.{digits + (2 if digits == 15 else 3)}g}"
    return str(value)


def _array(value: Any, summarize: int, depth: int) -> str:
    if value.ndim == 0:
        return _number(value)
    parts = [_array(part, summarize, depth + 1) for part in value]
    if summarize != -1 and len(parts) > 2 * summarize:
        parts = [*parts[:summarize], "...", *parts[-summarize:]]
    return "[" + (" " if value.ndim == 1 else "\n" * (value.ndim - 1) + " " * (depth + 1)).join(parts) + "]"


@named_in_files("tf.print")
def _print(*values: Any, output_stream: Any, end: str, sep: str, summarize: int) -> None:
    stream = sys.stderr if output_stream is None else output_stream
    stream.write(sep.join(_text(v, summarize) for v in values) + end)
    stream.flush()


def print(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> Any:
    """`tf.print`: to stderr, at every call. output_stream: a file, such as sys.stdout."""
    if output_stream is not None and not hasattr(output_stream, "write"):
        only("tf.print", output_stream=(output_stream, None))
    return _effect(_print, *inputs, output_stream=output_stream, end=end, sep=sep, summarize=summarize)


def python_print(*values: Any, **kwargs: Any) -> Any:
    """Python's `print` as an operation: at each call, with the values as NumPy has them."""
    return _effect(_python_print, *values, **kwargs)


def _python_print(*values: Any, **kwargs: Any) -> None:
    builtins.print(*values, **kwargs)


# -- checks ------------------------------------------------------------------------------------------------


@named_in_files("tf.Assert")
def _check(holds: Any, message: str, values: list[Any], summarize: int | None = None) -> None:
    if not np.all(holds):
        shown = [_text(v, 3 if summarize is None else summarize) for v in values]
        raise InvalidArgumentError(message="\n".join([part for part in (message, *shown) if part]))


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> Any:
    """`tf.Assert`: InvalidArgumentError where the condition does not hold."""
    return _effect(_check, convert(condition), "assertion failed:", list(data), summarize=summarize)


def _comparison(operation: str, symbol: str) -> Callable[..., Any]:
    def check(
        x: Any, y: Any, message: str | None = None, summarize: Any = None, name: str | None = None
    ) -> Any:
        x, y = _shapes_as_arrays(x), _shapes_as_arrays(y)
        x, y = pair(x, y)
        text = f"{message or ''} Condition x {symbol} y did not hold.".strip()
        try:
            holds = apply(operation, x, y)
        except (InvalidArgumentError, ValueError):
            raise InvalidArgumentError(message=f"{text} shapes {x.shape} and {y.shape}") from None
        return _effect(_check, holds, text, [x, y], summarize=summarize)

    return check


def _shapes_as_arrays(x: Any) -> Any:
    """The lengths of a shape are plain numbers."""
    return np.asarray(x, np.int32) if isinstance(x, tuple) and all(isinstance(n, int) for n in x) else x


assert_equal = _comparison("equal", "==")
assert_less = _comparison("less", "<")
assert_less_equal = _comparison("less_equal", "<=")
assert_greater = _comparison("greater", ">")
assert_greater_equal = _comparison("greater_equal", ">=")
assert_none_equal = _comparison("not_equal", "!=")


def _against_zero(operation: Callable[..., Any]) -> Callable[..., Any]:
    def check(x: Any, message: str | None = None, summarize: Any = None, name: str | None = None) -> Any:
        x = convert(x)
        return operation(x, convert(0, x.dtype), message=message, summarize=summarize)

    return check


assert_positive = _against_zero(assert_greater)
assert_non_negative = _against_zero(assert_greater_equal)
assert_negative = _against_zero(assert_less)
assert_non_positive = _against_zero(assert_less_equal)


def assert_all_finite(x: Any, message: str, name: str | None = None) -> Any:
    x = convert(x)
    _effect(_check, apply("isfinite", x), message, [x])
    return x


check_numerics = assert_all_finite


def assert_near(x: Any, y: Any, rtol: Any = None, atol: Any = None, message: str | None = None) -> Any:
    x, y = pair(x, y)
    eps = 10 * np.finfo(x.dtype._numpy).eps
    limit = abs(y) * (rtol or eps) + (atol or eps)
    return assert_less_equal(abs(x - y), limit, message=message or "x and y not equal to tolerance")


def assert_shapes(shapes: Any, message: str | None = None) -> None:
    for x, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
        known = tuple([n if isinstance(n, int) else None for n in wanted])
        if not convert(x).shape.is_compatible_with(known):
            raise ValueError(f"{message or ''} shape {convert(x).shape} is not {wanted}".strip())


def assert_rank(x: Any, rank: int, message: str | None = None) -> None:
    if convert(x).ndim != rank:
        raise ValueError(
            f"{message or ''} Tensor must have rank {rank}, got shape {convert(x).shape}".strip()
        )


def assert_type(tensor: Any, tf_type: Any, message: str | None = None) -> None:
    if convert(tensor).dtype != tf_type:
        raise TypeError(
            f"{message or ''} Tensor must be of type {tf_type!r}, got {convert(tensor).dtype!r}".strip()
        )


__getattr__ = refusing(__name__, "tf.debugging")
