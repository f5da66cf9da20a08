"""Where NumPy's operators differ from its ufuncs."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.tracer.builder import Staged, emit, refuse
from runtime.types import COMPLEX, ArrayType, NumberType, ScalarType

FLOAT64 = np.dtype(np.float64)


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
        return emit("py.float", [y]) if y.type == ScalarType(FLOAT64) else None
    return float(y) if type(y) is np.float64 else None


def _answers_floats(x: Any) -> bool:
    if isinstance(x, Staged):
        return x.type == COMPLEX
    return isinstance(x, complex | float) and type(x) is not float and not isinstance(x, np.generic)


def operation_of(operation: str, *operands: Any) -> str:
    """The operation behind an operator: scalars have some of their own (runtime/ops/scalars.py)."""
    if operation not in ("multiply", "power", "absolute"):
        return operation
    types = [x.type if isinstance(x, Staged) else x for x in operands]
    if not all(isinstance(x, ScalarType | NumberType | int | float | complex | np.generic) for x in types):
        return operation
    kinds = [x.dtype.kind if hasattr(x, "dtype") else np.dtype(type(x)).kind for x in types]
    exponent = operands[-1]
    if operation == "power" and "c" not in kinds and type(exponent) in (int, float) and exponent == 2:
        return operation  # which is x * x on both engines
    return f"scalar.{operation}" if "c" in kinds or (operation == "power" and "f" in kinds) else operation


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
