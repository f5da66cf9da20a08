"""How a target computes one element: what it must offer to those who read an operation's ``formula``.

    multiply:  formula = lambda b, x, y: b.mul(x, y)
    py.mod:    formula = lambda b, x, y: ...            # b.slow_if(b.eq(y, zero)); b.mod(x, y)

``formula(b, *xs)`` is called once per operation while code is generated; most are written with operators
(runtime/ops/formulas.py). ``xs`` are handles of scalars (an element of each operand, or the scalar operand
itself), already converted to the dtypes that ``operand_dtypes`` gives. It returns the handle of the result,
whose dtype is the dtype of the operation's output type, or ``NotImplemented``: for these dtypes, call the
kernel, as of an operation without formula.

``ElementBuilder`` is what ``b`` must offer; the native engine implements it, this file only states it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

import numpy as np

from runtime.ops import promotion
from runtime.ops.definition import OpDef
from runtime.types import Type

Handle: TypeAlias = Any


class ElementBuilder(Protocol):
    """Arithmetic on handles. Both operands of a binary method have the same dtype.

    Integers wrap around (two's complement); division and remainder by zero of integers must have been
    excluded by ``select`` or ``slow_if`` before; floats follow IEEE 754. Comparison gives a bool handle.
    """

    def dtype(self, x: Handle) -> np.dtype: ...
    def attribute(self, name: str) -> Any:
        """A static attribute of the operation being lowered."""

    def result_dtype(self) -> np.dtype:
        """The dtype of the operation's (first) output."""

    def constant(self, value: bool | int | float | complex, dtype: np.dtype) -> Handle: ...
    def convert(self, x: Handle, dtype: np.dtype) -> Handle:
        """C conversion as ``astype`` does it; to bool it is ``x != 0``."""

    def add(self, x: Handle, y: Handle) -> Handle: ...
    def sub(self, x: Handle, y: Handle) -> Handle: ...
    def mul(self, x: Handle, y: Handle) -> Handle: ...
    def div(self, x: Handle, y: Handle) -> Handle:
        """Floating-point division."""

    def quotient(self, x: Handle, y: Handle) -> Handle:
        """Integer division rounding towards zero (C's ``/``)."""

    def remainder(self, x: Handle, y: Handle) -> Handle:
        """Integer remainder with the sign of ``x`` (C's ``%``), or C's ``fmod`` for floats."""

    def neg(self, x: Handle) -> Handle: ...
    def abs(self, x: Handle) -> Handle: ...

    def eq(self, x: Handle, y: Handle) -> Handle: ...
    def ne(self, x: Handle, y: Handle) -> Handle:
        """True for NaN."""

    def lt(self, x: Handle, y: Handle) -> Handle: ...
    def le(self, x: Handle, y: Handle) -> Handle: ...
    def gt(self, x: Handle, y: Handle) -> Handle: ...
    def ge(self, x: Handle, y: Handle) -> Handle: ...

    def and_(self, x: Handle, y: Handle) -> Handle:
        """Bitwise on integers, logical on bools (which are 0 or 1)."""

    def or_(self, x: Handle, y: Handle) -> Handle: ...
    def xor(self, x: Handle, y: Handle) -> Handle: ...
    def not_(self, x: Handle) -> Handle: ...
    def shl(self, x: Handle, y: Handle) -> Handle:
        """``y`` is within 0 .. bits - 1."""

    def shr(self, x: Handle, y: Handle) -> Handle:
        """Arithmetic for signed integers, logical for unsigned ones."""

    def select(self, condition: Handle, x: Handle, y: Handle) -> Handle:
        """``x`` if the condition holds; both were computed."""

    def call(self, name: str, *xs: Handle) -> Handle:
        """A function of C's libm or an LLVM intrinsic, named as libm names it for doubles: sqrt, exp, exp2,
        expm1, log, log2, log10, log1p, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh,
        acosh, atanh, floor, ceil, trunc, rint, fabs, copysign, pow, fmod, hypot, cbrt, erf, erfc, tgamma,
        lgamma. The operands' dtype chooses the width."""

    def slow_if(self, condition: Handle) -> None:
        """Where the condition holds, the kernel is called with the operation's inputs (each a whole scalar:
        only operations of Python numbers use this); it raises, or its result is the result."""

    def raise_if(self, condition: Handle) -> None:
        """The same where the kernel is known to raise, so that nothing comes back from there."""

    def checked_add(self, x: Handle, y: Handle) -> Handle:
        """int64 addition; ``slow_if`` it overflows."""

    def checked_sub(self, x: Handle, y: Handle) -> Handle: ...
    def checked_mul(self, x: Handle, y: Handle) -> Handle: ...


#: family -> rule, for operations whose kernel is not a ufunc: "arithmetic" to the common
#: Python number (bool counts as int), "float" all to float64; others get their operands as they are
FAMILY_RULES = {"python arithmetic": "arithmetic", "python float": "float"}


def operand_dtypes(
    definition: OpDef, types: tuple[Type, ...], attributes: Mapping[str, Any] = MappingProxyType({})
) -> tuple[np.dtype, ...]:
    """The dtypes to which the operands are converted before the formula sees them. A Python number must fit.

    >>> from runtime.ops import REGISTRY
    >>> from runtime.types import FLOAT, INT, parse_type
    >>> operand_dtypes(REGISTRY["add"], (parse_type("f32[3]"), parse_type("i64")))
    (dtype('float64'), dtype('float64'))
    >>> operand_dtypes(REGISTRY["py.add"], (INT, FLOAT))
    (dtype('float64'), dtype('float64'))
    """
    operands = promotion.numeric(types, f"the dtypes of {definition.name}")
    if isinstance(definition.loops, np.ufunc):
        return promotion.loop_dtypes(definition.loops, operands)[: len(operands)]
    if definition.loops is not None:
        found: tuple[np.dtype, ...] = definition.loops(types, **attributes)
        return found
    rule = FAMILY_RULES.get(definition.family)
    if rule == "float":
        return (np.dtype("float64"),) * len(operands)
    if rule == "arithmetic":
        common = max((t.dtype for t in operands), key=_python_rank)
        common = np.dtype("int64") if common == np.dtype("bool") else common
        return (common,) * len(operands)
    return tuple([t.dtype for t in operands])


def _python_rank(dtype: np.dtype) -> int:
    return "bifc".index(dtype.kind)
