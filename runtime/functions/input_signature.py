"""``input_signature``: what the arguments of a function must be, and what is said of those that are not.

The first argument of a method, its object or class, has no spec.

>>> signature = InputSignature([TensorSpec([None], "float64")], len, "total")
>>> signature.check(["x"], (np.zeros(3),), {})
>>> signature.check(["x"], ([1.0],), {})  # doctest: +IGNORE_EXCEPTION_DETAIL
Traceback (most recent call last):
autograph.errors.ArgumentError: argument `x` of total() is [float]...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.errors import ArgumentError
from runtime.arguments import as_typed, count, wrong_argument
from runtime.functions.concrete import describe_value
from runtime.functions.tensor_specs import TensorSpec
from runtime.tensor import Tensor
from runtime.types import ArrayType, NumberType, ScalarType

_PLAIN = (bool, int, float, complex, str, bytes, tuple, list, dict, Tensor)
_HINT = 'write input_signature=[rt.TensorSpec([None, 3], "float64"), ...], one for each argument'


class InputSignature:
    """One spec for each positional argument: TensorSpec, ``int``, ``float``, ``bool``, ``complex``, or a
    tuple, list or dict of these."""

    def __init__(self, specs: Sequence[Any], function: Callable[..., Any], name: str) -> None:
        self.name = name
        self.place = place_of(function)
        if not isinstance(specs, list | tuple):
            raise wrong_argument(f"input_signature is {specs!r}, not a list", _HINT, "input_signature")
        self.specs = tuple([normal(spec) for spec in specs])

    def owner(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """What a method is called on, which stands before what the specs are for."""
        return args[: len(args) == len(self.specs) + 1 and is_owner(args[0])]

    def completed(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The specs for arguments that are not given."""
        return args if args[1:] or not all(map(is_owner, args)) else (*args, *self.specs)

    def taken(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments as the trace gets them: numbers as arrays of no dimensions, where asked for.

        >>> InputSignature([TensorSpec([], "float64")], len, "f").taken((2.0,))
        (array(2.),)
        """
        owner = self.owner(args)
        rest = args[len(owner) :]
        return (*owner, *taken(self.specs, rest)) if len(rest) == len(self.specs) else args

    def check(self, names: Sequence[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise ArgumentError, naming the argument, for a call that does not fit."""
        if kwargs:
            raise wrong_argument(
                f"{self.name}() has an input_signature, which has no place for the keyword argument "
                f"`{next(iter(kwargs))}`{self.place}",
                "make it a positional parameter, or leave the input_signature out",
                next(iter(kwargs)),
            )
        first = len(self.owner(args))
        if len(args) != first + len(self.specs):
            raise wrong_argument(
                f"{self.name}() has an input_signature of {count(len(self.specs), 'argument')}, "
                f"{len(args)} given{self.place}",
                "write one TensorSpec for each argument, in their order",
            )
        for name, spec, arg in zip(names[first:], self.specs, args[first:], strict=True):
            self._check_one(name, spec, arg)

    def _check_one(self, name: str, spec: Any, value: Any) -> None:
        if isinstance(spec, tuple | list | dict):
            fits = type(value) is type(spec) and len(value) == len(spec)
            if not fits or isinstance(spec, dict) and list(value) != list(spec):
                raise self._mismatch(name, spec, value, f"pass {describe_spec(spec)}")
            for key in spec if isinstance(spec, dict) else range(len(spec)):
                self._check_one(f"{name}[{key!r}]", spec[key], value[key])
        elif not admits(spec, value):
            hint = (
                spec.hint_for(value, name) if isinstance(spec, TensorSpec) else f"pass a value of type {spec}"
            )
            raise self._mismatch(name, spec, value, hint)

    def _mismatch(self, name: str, spec: Any, value: Any, hint: str) -> ArgumentError:
        label = getattr(spec, "name", None)
        called = f"`{name}`" if label in (None, name) else f"`{name}` ({label} in the input_signature)"
        return wrong_argument(
            f"argument {called} of {self.name}() is {describe_value(value)}, "
            f"which does not fit its input_signature {describe_spec(spec)}{self.place}",
            hint,
            name,
        )


def is_owner(value: Any) -> bool:
    """May a method be called on it? Not on what a spec can describe."""
    described = (np.ndarray, np.generic, TensorSpec, ArrayType, ScalarType, NumberType)
    return value is not None and type(value) not in _PLAIN and not isinstance(value, described)


def taken(spec: Any, value: Any) -> Any:
    """An argument as a trace for this spec gets it: see ``as_typed``."""
    if isinstance(spec, TensorSpec | ArrayType):
        if not spec.shape and isinstance(value, Tensor):
            value = np.asarray(value)  # it holds a scalar
        return as_typed(value, spec.type if isinstance(spec, TensorSpec) else spec)
    if type(spec) is tuple and type(value) is tuple and len(spec) == len(value):
        return tuple(map(taken, spec, value))
    return value


def normal(spec: Any) -> Any:
    """A spec with Python's own classes as number types. Raises ArgumentError for what is no spec.

    >>> normal(float), normal((TensorSpec([2], "i4"), {"n": int}))[1]
    (NumberType(kind='float'), {'n': NumberType(kind='int')})
    """
    if isinstance(spec, TensorSpec | ArrayType | ScalarType | NumberType):
        return spec
    if spec in (int, float, bool, complex):
        return NumberType(spec.__name__)
    if isinstance(spec, list | tuple):
        return type(spec)([normal(item) for item in spec])
    if isinstance(spec, dict):
        return {key: normal(item) for key, item in spec.items()}
    raise wrong_argument(f"input_signature holds {spec!r}, which is no TensorSpec", _HINT, "input_signature")


def admits(spec: Any, value: Any) -> bool:
    """May a trace that was made for ``spec`` run on ``value``?"""
    if type(value) is type(spec) and not isinstance(spec, tuple | list | dict) and value == spec:
        return True
    if isinstance(spec, TensorSpec):
        return spec.admits(value)
    if isinstance(spec, ArrayType):
        return TensorSpec(spec.shape, spec.dtype).admits(value)
    if isinstance(spec, ScalarType):
        return isinstance(value, np.generic) and value.dtype == spec.dtype
    return type(value).__name__ == spec.kind and type(value) in (int, float, bool, complex)


def describe_spec(spec: Any) -> str:
    """A spec in words.

    >>> describe_spec((TensorSpec([None, 2], "f4"), NumberType("int")))
    '(f32[None,2], int)'
    """
    if isinstance(spec, TensorSpec):
        return str(spec.type)
    if isinstance(spec, dict):
        return "{" + ", ".join(f"{key!r}: {describe_spec(item)}" for key, item in spec.items()) + "}"
    if isinstance(spec, tuple | list):
        text = ", ".join(map(describe_spec, spec))
        return f"[{text}]" if isinstance(spec, list) else f"({text})"
    return str(spec)


def place_of(function: Callable[..., Any]) -> str:
    """Where a function stands: `` (defined at FILE:LINE)``; nothing for what has no code."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return "" if code is None else f" (defined at {code.co_filename}:{code.co_firstlineno})"
