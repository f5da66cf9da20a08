"""The operators of staged arrays and NumPy scalars, as operations of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.control_flow.choices import certain, dispatch
from runtime.staged.foreign_operands import beside, is_no_sequence, plainly, refuse_inside_fraction
from runtime.staged.needed_now import StagedData
from runtime.staged.numbers import COMPARISONS, OPERATORS
from runtime.staged.operands import apply, is_operand, is_sequence, operand, repeated, writing
from runtime.staged.operator_rules import float_beside_complex, has_operator, operation_of, quick_power
from runtime.tracer.builder import emit, refuse, type_of_staged
from runtime.tracer.spec import Choice
from runtime.types import ArrayType, ScalarType

UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}


class ArrayOperators(StagedData):
    """An array or a NumPy scalar of the graph, as far as its operators ask."""

    __slots__ = ()

    @property
    def type(self) -> ArrayType | ScalarType:
        return self.value.type  # type: ignore[return-value]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.type.dtype


def _binary(operation: str, name: str) -> Callable[[ArrayOperators, Any], Any]:
    def method(self: ArrayOperators, other: Any) -> Any:
        if operation == "multiply" and is_sequence(other) and isinstance(self.type, ScalarType):
            return repeated(other, self, f"numpy.{self.dtype.type.__name__}", self.dtype.kind in "iu")
        if not is_operand(other):
            return beside(name, self, other)
        if not has_operator(operation, self, other):
            return NotImplemented
        return apply(operation_of(operation, self, other), [self, other])

    return method


def _power(self: ArrayOperators, other: Any) -> Any:
    if not is_operand(other):
        return beside("pow", self, other)
    quick = quick_power(self, other)
    return apply(operation_of("power", self, other), [self, other]) if quick is None else apply(quick, [self])


def _power_inplace(self: ArrayOperators, other: Any) -> Any:
    quick = quick_power(self, other) if is_operand(other) else None
    if quick is None:
        return _inplace("power", "pow")(self, other)
    with writing(self):
        emit("ufunc_out", [self, self], ufunc=quick)
    return self


def _reflected(name: str, operation: str) -> Callable[[ArrayOperators, Any], Any]:
    def method(self: ArrayOperators, other: Any) -> Any:
        if name == "pow":
            refuse_inside_fraction(str(self.type))
        number = float_beside_complex(other, self)
        if number is not None and name != "divmod":
            return plainly(name)(other, number)
        if operation == "multiply" and is_sequence(other) and isinstance(self.type, ScalarType):
            return repeated(other, self, f"numpy.{self.dtype.type.__name__}", self.dtype.kind in "iu")
        if not is_operand(other):
            return beside(name, self, other, swapped=True)
        if not has_operator(operation, self, other):
            return NotImplemented
        return apply(operation_of(operation, other, self), [other, self])

    return method


def _inplace(operation: str, name: str) -> Callable[[ArrayOperators, Any], Any]:
    """``x += y`` writes into an array; a scalar is immutable, so that the name is bound anew."""

    def method(self: ArrayOperators, other: Any) -> Any:
        if isinstance(other, Choice) and isinstance(self.type, ArrayType):  # written with what it holds
            bound = certain(other)
            if not all(map(is_operand, bound.values if isinstance(bound, Choice) else (bound,))):
                raise refuse("an array is changed in place by what may be no number", "test the value first")
            dispatch(bound, lambda value: method(self, value))
            return self
        if isinstance(self.type, ScalarType):
            return _binary(operation, name)(self, other)
        if not is_operand(other):
            with writing(self):
                return beside(f"i{name}", self, other)
        if not has_operator(operation, self, other):
            return NotImplemented
        right = operand(other)
        if operation == "matmul" and len(getattr(type_of_staged(right), "shape", ())) < 2:
            raise refuse("`@=` by something that is no matrix", "write `x = x @ y`")
        with writing(self):
            emit("inplace", [self, right], ufunc=operation)
        return self

    return method


def _comparison(operation: str, name: str) -> Callable[[ArrayOperators, Any], Any]:
    def method(self: ArrayOperators, other: Any) -> Any:
        if is_operand(other):
            return apply(operation, [self, other])
        if isinstance(other, Choice):
            return NotImplemented  # it compares each of its values
        if operation in ("equal", "not_equal"):
            if (type(other) in NEVER_EQUAL or is_no_sequence(other)) and not self.boxed:
                return _differs(self, other, operation == "not_equal")
            raise refuse(
                f"a staged array is compared with an object of type {type(other).__name__}",
                "compare numbers or arrays; write `x is None` to ask for None",
            )
        return beside(name, self, other)

    return method


#: classes of objects that no number equals
NEVER_EQUAL = (type(None), str, dict, set, frozenset)


def _differs(array: ArrayOperators, other: Any, answer: bool) -> Any:
    """``answer``, as NumPy gives it for a comparison with what no number equals."""
    if isinstance(array.type, ArrayType):
        return apply("logical_or" if answer else "logical_and", [array, answer])
    return np.bool_(answer) if isinstance(other, str) else answer


def _unary(operation: str) -> Callable[[ArrayOperators], Any]:
    return lambda self: apply(operation_of(operation, self), [self])


for _name, _operation in OPERATORS.items():
    setattr(ArrayOperators, f"__{_name}__", _binary(_operation, _name))
    setattr(ArrayOperators, f"__r{_name}__", _reflected(_name, _operation))
    if _name != "divmod":
        setattr(ArrayOperators, f"__i{_name}__", _inplace(_operation, _name))
for _name, _method in (("__pow__", _power), ("__ipow__", _power_inplace)):
    setattr(ArrayOperators, _name, _method)
for _name, _operation in COMPARISONS.items():
    setattr(ArrayOperators, f"__{_name}__", _comparison(_operation, _name))
for _name, _operation in UNARY.items():
    setattr(ArrayOperators, f"__{_name}__", _unary(_operation))
