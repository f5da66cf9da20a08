"""The operators of staged arrays and NumPy scalars, as operations of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.control_flow.choices import certain, dispatch
from runtime.ops.operators import COMPARISONS, OPERATORS, UNARY
from runtime.staged.foreign_operands import beside, plainly, refuse_inside_fraction
from runtime.staged.needed_now import StagedData
from runtime.staged.numbers import float_beside_complex
from runtime.staged.operands import apply, is_operand, is_sequence, operand, repeated, writing
from runtime.tracer.builder import Staged, emit, refuse, type_of_staged
from runtime.tracer.spec import Choice
from runtime.types import ArrayType, NumberType, ScalarType

_OF_REAL_NUMBERS = ("floor_divide", "remainder", "divmod")


class ArrayOperators(StagedData):
    """An array or a NumPy scalar of the graph, as far as its operators ask."""

    __slots__ = ()

    @property
    def type(self) -> ArrayType | ScalarType:
        return self.value.type  # type: ignore[return-value]

    @property
    def dtype(self) -> np.dtype:
        return self.type.dtype


_OF_NO_NUMBER = {"equal": False, "not_equal": True}
#: those that scalars have of their own, as `scalar.multiply`
_OF_SCALARS = frozenset({"multiply", "power", "absolute"})


def operation_of(operation: str, *operands: Any) -> str:
    """The operation behind an operator: scalars have some of their own (`scalar.multiply`)."""
    if operation not in _OF_SCALARS:
        return operation
    types = [x.type if isinstance(x, Staged) else x for x in operands]
    if not all(isinstance(x, ScalarType | NumberType | int | float | complex | np.generic) for x in types):
        return operation
    kinds = [x.dtype.kind if hasattr(x, "dtype") else np.dtype(type(x)).kind for x in types]
    exponent, is_power = operands[-1], operation == "power"
    if is_power and "c" not in kinds and type(exponent) in (int, float) and exponent == 2:
        return operation  # which is x * x on both engines
    return f"scalar.{operation}" if "c" in kinds or (is_power and "f" in kinds) else operation


def quick_power(x: Any, exponent: Any) -> str | None:
    """The ufunc that ``**`` of arrays (not np.power) takes for some exponents that are Python numbers.

    >>> from runtime.types import parse_type
    >>> class Array:
    ...     type = parse_type("bool[3]")
    >>> quick_power(Array, 2), quick_power(Array, 2.0), quick_power(Array, 0.5)
    ('square', None, None)
    """
    if not isinstance(x.type, ArrayType):
        return None
    kind = x.type.dtype.kind
    if isinstance(exponent, Staged):
        if isinstance(exponent.type, NumberType) and (kind in "bc" or x.type.dtype == np.float16):
            raise refuse(
                f"what ** makes of a staged {x.type} hangs on the exponent, which is known only at run time",
                "give the exponent as a plain Python number",
            )
        return None
    if type(exponent) is int and exponent == 2:
        return "square"
    if kind not in "fc":
        return None
    if type(exponent) is int and exponent == -1:
        return "reciprocal"
    return "sqrt" if type(exponent) is float and exponent == 0.5 else None


def _operator(operation: str, name: str, swapped: bool) -> Callable[[ArrayOperators, Any], Any]:
    def method(self: ArrayOperators, other: Any) -> Any:
        if swapped:
            refuse_inside_fraction(str(self.type))
            number = float_beside_complex(other, self)
            if number is not None and name != "divmod":
                return plainly(name)(other, number)
        is_scalar = isinstance(self.type, ScalarType)
        if operation == "multiply" and is_scalar and is_sequence(other):
            return repeated(other, self, f"numpy.{self.dtype.type.__name__}", self.dtype.kind in "iu")
        if not is_operand(other):
            return beside(name, self, other, swapped)
        is_missing = operation == "matmul" or (operation in _OF_REAL_NUMBERS and self.dtype.kind == "c")
        if is_missing and is_scalar and not isinstance(type_of_staged(other), ArrayType):
            return NotImplemented  # Python says so
        quick = None if operation != "power" or swapped else quick_power(self, other)
        if quick is not None:
            return apply(quick, [self])
        operands = [other, self] if swapped else [self, other]
        return apply(operation_of(operation, *operands), operands)

    return method


def _inplace(operation: str, name: str) -> Callable[[ArrayOperators, Any], Any]:
    """``x += y`` writes into an array; a scalar is immutable, so that the name is bound anew."""

    def method(self: ArrayOperators, other: Any) -> Any:
        if isinstance(self.type, ScalarType):
            return NotImplemented
        if isinstance(other, Choice):  # written with what it holds
            bound = certain(other)
            if not all(map(is_operand, bound.values if isinstance(bound, Choice) else (bound,))):
                raise refuse("an array is changed in place by what may be no number", "test the value first")
            dispatch(bound, lambda value: method(self, value))
            return self
        if not is_operand(other):
            with writing(self):
                return beside(f"i{name}", self, other)
        right = operand(other)
        if operation == "matmul" and len(getattr(type_of_staged(right), "shape", ())) < 2:
            raise refuse("`@=` by something that is no matrix", "write `x = x @ y`")
        quick = quick_power(self, other) if operation == "power" else None
        with writing(self):
            if quick is None:
                emit("inplace", [self, right], ufunc=operation)
            else:
                emit("ufunc_out", [self, self], ufunc=quick)
        return self

    return method


def _comparison(operation: str, name: str) -> Callable[[ArrayOperators, Any], Any]:
    def method(self: ArrayOperators, other: Any) -> Any:
        if is_operand(other):
            return apply(operation, [self, other])
        if isinstance(other, Choice):
            return NotImplemented  # it compares each of its values
        answer = _OF_NO_NUMBER.get(operation)
        if answer is None:
            return beside(name, self, other)
        if (other is None or type(other) is str) and not self.boxed:  # which no number equals
            if isinstance(self.type, ArrayType):
                return apply("logical_or" if answer else "logical_and", [self, answer])
            return np.bool_(answer) if isinstance(other, str) else answer
        raise refuse(
            f"a staged array is compared with an object of type {type(other).__name__}",
            "compare numbers or arrays; write `x is None` to ask for None",
        )

    return method


def _unary(operation: str) -> Callable[[ArrayOperators], Any]:
    return lambda self: apply(operation_of(operation, self), [self])


for _name, _operation in OPERATORS.items():
    setattr(ArrayOperators, f"__{_name}__", _operator(_operation, _name, swapped=False))
    setattr(ArrayOperators, f"__r{_name}__", _operator(_operation, _name, swapped=True))
    if _name != "divmod":
        setattr(ArrayOperators, f"__i{_name}__", _inplace(_operation, _name))
for _name, _operation in COMPARISONS.items():
    setattr(ArrayOperators, f"__{_name}__", _comparison(_operation, _name))
for _name, _operation in UNARY.items():
    setattr(ArrayOperators, f"__{_name}__", _unary(_operation))
