"""Staged Python numbers: Python's arithmetic, as ``py.*`` operations.

Beside a NumPy value a Python number is weak, as in NumPy: ``n + x`` with an array is NumPy's ``add``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import MethodType
from typing import Any

import numpy as np

from runtime.ops.instances import plain_value
from runtime.ops.operators import COMPARISONS, OPERATORS, TWINS, UNARY
from runtime.specs.spec import NUMBERS
from runtime.staged import operands
from runtime.staged.foreign_operands import refuse_inside_fraction, refuse_of_library, refuse_own_operators
from runtime.staged.needed_now import StagedData
from runtime.tracer.builder import WRAPPERS, Staged, emit, refuse
from runtime.types import COMPLEX, PYTHON_TYPES, NumberType, ScalarType

_OF_BITS = ("and", "or", "xor", "lshift", "rshift")


class StagedNumber(StagedData):
    """A Python number of the graph: type ``int``, ``float``, ``bool`` or ``complex``."""

    __slots__ = ()

    @property
    def type(self) -> NumberType:
        return self.value.type  # type: ignore[return-value]

    @property
    def kind(self) -> str:
        return self.type.kind

    real = property(lambda self: emit("py.real", [self]))
    imag = property(lambda self: emit("py.imag", [self]))

    def __getattr__(self, name: str) -> Any:
        python_type = PYTHON_TYPES[self.type.kind]
        if name in NUMBER_METHODS and hasattr(python_type, name):
            return MethodType(lambda number: emit(f"py.{name}", [number]), self)
        if hasattr(python_type, name):
            raise refuse(
                f"the attribute `{name}` of a staged {self.kind} is not supported",
                "compute it from operators and functions of math, or pass the number as a plain one",
            )
        raise AttributeError(f"'{self.kind}' object has no attribute '{name}'", name=name, obj=self)

    def __round__(self, digits: Any = None) -> Any:
        if self.kind == "complex":
            raise TypeError("type complex doesn't define __round__ method")
        if digits is None:
            return emit("py.round", [self])
        known = not isinstance(digits, Staged)
        digits = operator.index(digits) if known else emit("py.index", [digits])
        return emit("py.round_digits", [self, digits])

    def __divmod__(self, other: Any) -> Any:
        return _both_parts(self, other) if is_python_number(other) else _numpy("divmod", self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return _both_parts(other, self) if is_python_number(other) else _numpy("divmod", other, self)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            return emit("py.pow_mod", [self, other, modulus])
        if (number := float_beside_complex(self, other)) is not None:
            return python_power(self, number)
        return python_power(self, other) if is_python_number(other) else _numpy("pow", self, other)

    def __rpow__(self, other: Any, modulus: Any = None) -> Any:
        refuse_inside_fraction(self.kind)
        return python_power(other, self) if is_python_number(other) else _numpy("pow", other, self)

    def __index__(self) -> int:
        if self.kind not in ("int", "bool"):
            raise TypeError(f"'{self.kind}' object cannot be interpreted as an integer")
        raise self.unknown("value")


#: methods without arguments that are operations of the same name
NUMBER_METHODS = ("is_integer", "bit_length", "bit_count", "conjugate")


def is_python_number(x: Any) -> bool:
    return isinstance(x, StagedNumber) or (isinstance(x, NUMBERS) and not isinstance(x, np.generic))


def plain(x: Any) -> Any:
    """A number without the class of an IntEnum or another subclass."""
    return x if isinstance(x, Staged) or type(x) in NUMBERS else plain_value(x)


def _numpy(name: str, x: Any, y: Any) -> Any:
    """Beside a NumPy scalar or a Tensor it is NumPy's operation. A staged array has its own operators."""
    if all(map(_is_numeric, (x, y))):
        return operands.apply(TWINS[name], [x, y])
    number, other = (x, y) if isinstance(x, StagedNumber) else (y, x)
    refuse_of_library(name, number.kind, other)
    return NotImplemented


def _is_numeric(x: Any) -> bool:
    return isinstance(x, (StagedNumber, np.generic, operands.Boxed)) or is_python_number(x)


def kind_of(x: Any) -> str:
    return x.kind if isinstance(x, StagedNumber) else type(plain(x)).__name__


def _both_parts(x: Any, y: Any) -> tuple[Any, Any]:
    if {kind_of(x), kind_of(y)} <= {"int", "bool"}:  # two operations that machine code has
        return emit("py.floordiv", [plain(x), plain(y)]), emit("py.mod", [plain(x), plain(y)])
    return emit("py.divmod", [plain(x), plain(y)])


def float_beside_complex(x: Any, y: Any) -> Any:
    """``y`` as a Python float, where Python's own complex answers ``x + y``; else None.

    NumPy's float64 is a float, which complex knows what to do with: it gives a complex, no complex128. So do
    a class of the user's that is a float or a complex: NumPy's is no subclass of it, that would go first.

    >>> float_beside_complex(1j, np.float64(2)), float_beside_complex(1.5, np.float64(2))
    (2.0, None)
    """
    if not _answers_floats(x):
        return None
    if isinstance(y, Staged):
        return emit("py.float", [y]) if y.type == ScalarType(np.dtype("f8")) else None
    return float(y) if type(y) is np.float64 else None


def _answers_floats(x: Any) -> bool:
    if isinstance(x, Staged):
        return x.type == COMPLEX
    return isinstance(x, complex | float) and type(x) is not float and not isinstance(x, np.generic)


def python_power(x: Any, y: Any) -> Any:
    """``x ** y``. Whether ints give an int hangs on the sign of ``y``: known when ``y`` is static."""
    integers = {"int", "bool"}
    if kind_of(x) in integers and not isinstance(y, Staged) and isinstance(y, int):
        if y < 0:
            return emit("py.pow", [emit("py.float", [x]), float(y)])
        if y == 2:
            return emit("py.mul", [x, x])
    return emit("py.pow", [plain(x), plain(y)])


def _binary(name: str, reflected: bool) -> Callable[[StagedNumber, Any], Any]:
    def method(self: StagedNumber, other: Any) -> Any:
        x, y = (other, self) if reflected else (self, other)
        if is_python_number(other):
            refuse_own_operators(name, self.kind, other)
            if name in _OF_BITS and not {kind_of(self), kind_of(other)} <= {"int", "bool"}:
                return NotImplemented  # Python's own TypeError follows
            return emit(f"py.{name}", [plain(x), plain(y)])
        if not reflected and (number := float_beside_complex(x, y)) is not None:
            return emit(f"py.{name}", [x, number])
        if name == "mul" and isinstance(other, operands.SEQUENCES):
            return operands.repeated(other, self, self.kind, self.kind in ("int", "bool"))
        return _numpy(name, x, y)

    return method


def _comparison(name: str) -> Callable[[StagedNumber, Any], Any]:
    is_equality = name in ("eq", "ne")

    def method(self: StagedNumber, other: Any) -> Any:
        if is_python_number(other):
            refuse_own_operators(name, self.kind, other)
            if not is_equality and "complex" in (kind_of(self), kind_of(other)):
                return NotImplemented
            return emit(f"py.{name}", [self, plain(other)])
        if is_equality and (number := float_beside_complex(self, other)) is not None:
            return emit(f"py.{name}", [self, number])
        if isinstance(other, Staged) or not _is_numeric(other):
            refuse_of_library(name, self.kind, other)
            return NotImplemented  # an array compares itself; with others Python falls back to identity
        return _numpy(name, self, other)

    return method


def _unary(name: str) -> Callable[[StagedNumber], Any]:
    def method(self: StagedNumber) -> Any:
        if name == "invert" and self.kind not in ("int", "bool"):
            raise TypeError(f"bad operand type for unary ~: '{self.kind}'")
        return emit(f"py.{name}", [self])

    return method


for _name in OPERATORS:
    if _name not in ("pow", "divmod", "matmul"):
        setattr(StagedNumber, f"__{_name}__", _binary(_name, False))
        setattr(StagedNumber, f"__r{_name}__", _binary(_name, True))
for _name in COMPARISONS:
    setattr(StagedNumber, f"__{_name}__", _comparison(_name))
for _name in UNARY:
    setattr(StagedNumber, f"__{_name}__", _unary(_name))
#: the classes have the names of Python's, for its own messages: "'int' object is not iterable"
_CLASSES = {kind: type(kind, (StagedNumber,), {"__slots__": ()}) for kind in PYTHON_TYPES}
WRAPPERS[NumberType] = lambda value, builder: _CLASSES[str(value.type)](value, builder)
