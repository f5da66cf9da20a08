"""What our own functions are given, checked; the errors say what to write instead.

>>> check_engine("nativ")
Traceback (most recent call last):
autograph.errors.ArgumentError: <doctest runtime.arguments[0]>:1:1: there is no engine 'nativ'; \
did you mean 'native'?
    check_engine("nativ")
    ^^^^^^^^^^^^^^^^^^^^^
hint: engine is one of 'auto', 'native', 'exact', 'numpy', 'jax'

Words of JAX, PyTorch, numba and TensorFlow that there are none of here, too. Tests try each of these.

>>> instead_of("pmap")
'; write `rt.vmap(f)(xs)`'
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autograph.errors import ArgumentError, did_you_mean, error_at_definition, error_at_frame
from runtime.types import DTYPE_NAMES, ArrayType, NumberType, ScalarType, Type, is_supported_dtype

ENGINES = ("auto", "native", "exact", "numpy", "jax")
CHECKS = (None, "first", "always")


def wrong_argument(message: str, hint: str, variable: str | None = None) -> ArgumentError:
    """The error (not raised) for an argument that a function of ours does not take."""
    return error_at_frame(ArgumentError, message, variable=variable, hint=hint)


def as_path(path: Any, function: str) -> Path:
    """The first argument of a function that writes what the second one is; refuses the other order."""
    if isinstance(path, str | os.PathLike):
        return Path(path)
    raise wrong_argument(
        f"{function}: the first argument is a value of type {type(path).__name__}, not a path",
        f"write {function}(path, f): the path is first",
        "path",
    )


def count(number: int, noun: str) -> str:
    """How many there are.

    >>> count(1, "argument"), count(2, "argument")
    ('1 argument', '2 arguments')
    """
    return f"{number} {noun}" + ("" if number == 1 else "s")


def is_of_type(value: Any, type_: Type) -> bool:
    """May ``value`` stand where a graph has a value of that type?

    >>> is_of_type(np.zeros(3), ArrayType(np.dtype("float64"), (None,))), is_of_type(3, NumberType("float"))
    (True, False)
    """
    if isinstance(type_, ArrayType):
        if type(value) is not np.ndarray or value.dtype != type_.dtype or value.ndim != type_.ndim:
            return False
        return all(n is None or n == m for n, m in zip(type_.shape, value.shape, strict=True))
    if isinstance(type_, ScalarType):
        return isinstance(value, np.generic) and value.dtype == type_.dtype
    if isinstance(type_, NumberType):
        return type(value).__name__ == type_.kind
    return True


def as_typed(value: Any, type_: Type) -> Any:
    """A number as the array of no dimensions that ``type_`` asks for, with the dtype NumPy gives it.

    >>> as_typed(2.0, ArrayType(np.dtype("float64"), ())), as_typed(2, ArrayType(np.dtype("float64"), ()))
    (array(2.), 2)
    """
    if not isinstance(type_, ArrayType) or type_.shape:
        return value
    if type(value) not in (bool, int, float, complex) and not isinstance(value, np.generic):
        return value
    array = np.asarray(value)
    return array if array.dtype == type_.dtype else value


def check_engine(engine: Any) -> None:
    """Refuse a name that is no engine's."""
    check_option("engine", engine, ENGINES)


def check_option(name: str, given: Any, known: Sequence[Any]) -> None:
    """Refuse a value that an option does not have."""
    if given not in known:
        raise wrong_argument(
            f"there is no {name} {given!r}{did_you_mean(given, [k for k in known if isinstance(k, str)])}",
            f"{name} is one of {', '.join(map(repr, known))}",
            name,
        )


def check_max_traces(given: Any) -> None:
    """Refuse what is no number of traces."""
    if given is not None and (type(given) is not int or given < 1):
        raise wrong_argument(
            f"max_traces is {given!r}",
            "give the number of traces that are kept, 1 or more; None keeps all",
            "max_traces",
        )


def check_function(function: Any) -> None:
    """Refuse what ``rt.function`` does not take."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or repr(function)
    if isinstance(function, type):
        message, hint = f"`{name}` is a class", "decorate its methods, or a function that makes and uses one"
    elif isinstance(function, np.ufunc):
        message, hint = f"`np.{name}` is compiled already", "call it in a Python function"
    elif isinstance(function, str):
        message, hint = f"{function!r} is a string", f"options are named: @rt.function(engine={function!r})"
    elif not callable(function):
        message = f"a value of type {type(function).__name__} cannot be called"
        hint = "give a function, a method, or an object with a `__call__` method"
    elif inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        message, hint = f"`{name}` is a generator", "return all values, as an array or a list"
    else:
        return
    error = wrong_argument(f"rt.function cannot decorate this: {message}", hint, name)
    code = getattr(function, "__code__", None)
    if code is not None:  # the place of the function says more than that of the decorator
        error = error_at_definition(ArgumentError, error.message, code, variable=name, hint=hint)
    raise error


def checked_shape(shape: Any) -> tuple[int | None, ...]:
    """The shape of a TensorSpec as a tuple."""
    lengths = tuple(shape) if isinstance(shape, list | tuple) else ("",)
    if not all(n is None or isinstance(n, int | np.integer) and n >= 0 for n in lengths):
        raise wrong_argument(
            f"TensorSpec: {shape!r} is not a shape",
            "a shape is a list of lengths, None for one that is not known: [None, 3]",
            "shape",
        )
    return lengths


def checked_dtype(dtype: Any) -> np.dtype:
    """The dtype of a TensorSpec."""
    known = list(dict.fromkeys(found.name for found in DTYPE_NAMES.values()))
    try:
        found = np.dtype(dtype)
        message = f"TensorSpec: arrays of dtype {found} cannot be staged"
        if is_supported_dtype(found):
            return found
    except TypeError:
        message = f"TensorSpec: {dtype!r} is not a dtype{did_you_mean(dtype, known)}"
    raise wrong_argument(message, f"dtypes are {', '.join(known)}", "dtype")


_IN_LOOPS = " in a decorated function"

#: what people look for in `rt`, in groups, and what to write
_NAMES = {
    "jit njit compile script": "rt.function(f)",
    "pmap vectorize guvectorize": "rt.vmap(f)(xs)",
    "fori_loop lax": "for i in range(n): x = f(x)" + _IN_LOOPS,
    "scan associative_scan": "for row in xs: x = x + f(row)" + _IN_LOOPS,
    "switch": "x = f(x) if n == 0 else x" + _IN_LOOPS,
    "jacfwd jacrev": "rt.jacobian(f)(x)",
    "linearize": "rt.jvp(f, (x,), (x,))",
    "no_grad inference_mode detach": "rt.stop_gradient(x)",
    "backward autograd gradient derivative": "rt.grad(total)(x)",
    "optim optimizer optax": "rt.optimizers.Adam(0.001)",
    "nn": "class Net(rt.Module): pass",
    "Parameter": "rt.Variable(x)",
    "array asarray": "np.array(x)",
    "random": "np.random.default_rng(0)",
    "checkpoint recompute_grad": "rt.remat(f)",
    "Checkpoints CheckpointManager": 'rt.CheckpointFolder("run", keep=2)',
    "custom_vjp custom_jvp": "rt.custom_gradient(f)",
    "make_jaxpr": "print(rt.function(f).get_concrete_function(x).graph)",
}
#: name -> what to write, and where
NAMES = {name: code for names, code in _NAMES.items() for name in names.split()}

_LEFT_OUT = {
    "static_argnums static_argnames": "what has to be known is a constant by itself",
    "donate_argnums": "arguments that the function writes are written in place",
    "parallel": "large loops over arrays run in several threads; so does `for i in rt.prange(n)`",
    "fastmath nogil inline autograph fullgraph": "there is no such choice",
}
_OPTIONS = {
    "jit jit_compile nopython backend": 'engine="native"',
    "experimental_relax_shapes dynamic": "reduce_retracing=True",
    "signature": 'input_signature=[rt.TensorSpec([None], "float64")]',
}
#: option of `rt.function` -> what to write in its place; nothing where it is to be left out
OPTIONS = {name: code for names, code in _OPTIONS.items() for name in names.split()}
OPTIONS |= dict.fromkeys(" ".join(_LEFT_OUT).split(), "")


def instead_of(name: str) -> str:
    """What an AttributeError about a name of ours adds."""
    code, where, _ = NAMES.get(name, "").partition(_IN_LOOPS)
    return f"; write `{code}`{where}" if code else ""


def unknown_option(name: str, known: Any) -> ArgumentError:
    """The error (not raised) for an option that `rt.function` has not."""
    why = next((reason for names, reason in _LEFT_OUT.items() if name in names.split()), None)
    if name in OPTIONS:
        hint = f"write {OPTIONS[name]}" if OPTIONS[name] else f"leave it out: {why}"
        return wrong_argument(f"rt.function has no option {name}=", hint, name)
    message = f"rt.function has no option {name}={did_you_mean(name, known)}"
    return wrong_argument(message, f"its options are {', '.join(known)}", name)
