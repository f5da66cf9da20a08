"""What an operation's ``native`` field is written against: the builder of machine code for one element.

    op("tanh", ..., native=lambda b, x: b.tanh(x))
    op("where", ..., native=lambda b, c, x, y: b.select(b.truth(c), b.cast(x, b.dtype), b.cast(y, b.dtype)))
    op("py.floordiv", ..., native=lambda b, x, y: b.py_floordiv(x, y))

``native(b, *operands, **attributes)`` gets one ``Element`` per input: a number in a register, with its
``dtype`` and, for a Python number, its ``kind`` ("int", "float", "bool"; None for a NumPy value).

* Where the kernel is a NumPy ufunc the engine converts the operands first to the dtypes of the ufunc's
  loop (``ufunc.resolve_dtypes``), weak Python numbers included. Everywhere else the operands come as they
  are, and ``b.cast(x, dtype)`` converts; ``b.dtype`` is the dtype of the operation's (first) output.
* What comes back is one ``Element``, or a tuple of them for several outputs. The engine converts it to the
  output's dtype.
* Return ``NotImplemented`` for dtypes or attributes that have no native form: the kernel is called then.
  A primitive that does not know a dtype (float16, complex) has the same effect by itself, so that a rule
  need not list dtypes.
* ``native`` is called more than once (first only to ask whether it can), and must not have side effects.

The names of the primitives are NumPy's, and so is their meaning (integers wrap, division of an integer by
zero is 0, NaN wins in ``maximum``); those that begin with ``py_`` have Python's meaning (OverflowError
beyond 64 bits, ZeroDivisionError, floor division and modulo by sign, exact comparison of int and float).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

#: NumPy's meaning; operands of one dtype
UNARY = (
    "negative positive absolute fabs sign square reciprocal invert "
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh "
    "arcsinh arccosh arctanh floor ceil trunc rint deg2rad rad2deg"
).split()
BINARY = (
    "add subtract multiply divide floor_divide remainder fmod power float_power minimum maximum fmin fmax "
    "bitwise_and bitwise_or bitwise_xor left_shift right_shift arctan2 hypot copysign"
).split()
#: the result is a bool
PREDICATES = (
    "equal not_equal less less_equal greater greater_equal "
    "logical_and logical_or logical_xor logical_not isnan isinf isfinite signbit truth"
).split()
#: Python's meaning; operands are Python numbers, converted to each other as Python does
PYTHON_UNARY = "py_neg py_pos py_abs py_invert py_not py_bool py_int py_float".split()
PYTHON_BINARY = (
    "py_add py_sub py_mul py_truediv py_floordiv py_mod py_pow "
    "py_and py_or py_xor py_lshift py_rshift py_lt py_le py_gt py_ge py_eq py_ne"
).split()

PRIMITIVES = frozenset([*UNARY, *BINARY, *PREDICATES, *PYTHON_UNARY, *PYTHON_BINARY])


class Element(Protocol):
    """A number in a register."""

    dtype: np.dtype[Any]
    kind: str | None  # "bool", "int", "float" for a Python number, None for a NumPy value


class ElementBuilder(Protocol):
    """Also has one method per name in ``PRIMITIVES``: ``b.add(x, y)``."""

    dtype: np.dtype[Any]  # of the operation's first output

    def constant(self, value: object, dtype: Any) -> Element: ...

    def cast(self, x: Element, dtype: Any) -> Element:
        """NumPy's ``astype``."""
        ...

    def select(self, condition: Element, x: Element, y: Element) -> Element:
        """``x`` where the condition (a bool) holds, else ``y``; both have been computed."""
        ...

    def __getattr__(self, primitive: str) -> Any: ...
