"""Formulas: what an operation computes of one element, in ordinary NumPy, whoever reads it.

    hypot:         libm("hypot")                                   # a function of C's
    heaviside:     lambda x, y: where(x < 0, 0, where(x > 0, 1, y))
    clip:          lambda x, low, high: op("minimum", op("maximum", x, low), high)

A formula gets `Number`s, which have NumPy's operators for operands of one dtype: bools add by ``or``,
integers wrap around. Every target that computes elements reads it by a builder (runtime/ops/formulas.py):
machine code, ONNX, JAX. Python's own numbers (`PythonNumber`) leave int64 by the slow way, and so does
``unless(condition)``.

How a target computes one element: what it must offer to those who read an operation's ``formula``.

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

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

import numpy as np

from runtime.ops import promotion
from runtime.ops.definition import REGISTRY, OpDef
from runtime.types import Type

BOOL, INT64, FLOAT64 = np.dtype("bool"), np.dtype("int64"), np.dtype("float64")
Formula = Callable[..., Any]
#: the formulas of functions that are more than a few instructions
COSTLY: set[Formula] = set()


class Number:
    """A handle of a builder with operators. A plain number beside it has its dtype."""

    __slots__ = ("b", "x")

    def __init__(self, b: Any, x: Any) -> None:
        self.b, self.x = b, x

    @property
    def dtype(self) -> np.dtype:
        return self.b.dtype(self.x)

    @property
    def kind(self) -> str:
        return self.dtype.kind

    def made(self, x: Any) -> Any:
        return type(self)(self.b, x)

    @property
    def conj(self) -> Any:
        return self.made(self.b.conj(self.x)) if self.kind == "c" else self

    def of(self, value: Any) -> Any:
        """``value`` as a number beside this one."""
        return value if isinstance(value, Number) else self.made(self.b.constant(value, self.dtype))

    def to(self, dtype: np.dtype) -> Any:
        return self.made(self.b.convert(self.x, dtype))

    def _two(self, method: str, other: Any) -> Any:
        return self.made(getattr(self.b, method)(self.x, self.of(other).x))

    def __add__(self, other: Any) -> Any:
        return self._two("or_" if self.kind == "b" else "add", other)

    def __sub__(self, other: Any) -> Any:
        return self._two("sub", other)

    def __mul__(self, other: Any) -> Any:
        return self._two("and_" if self.kind == "b" else "mul", other)

    def __rsub__(self, other: Any) -> Any:
        return self.of(other) - self

    def __rtruediv__(self, other: Any) -> Any:
        return self.of(other) / self

    def __neg__(self) -> Any:
        return self.made(self.b.neg(self.x))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self if self.kind in "bu" else self.made(self.b.abs(self.x))

    def __invert__(self) -> Any:
        return self.made(self.b.not_(self.x))

    def __eq__(self, other: object) -> Any:
        return self._two("eq", other)


class PythonNumber(Number):
    """A number of Python's: an int that leaves 64 bits is the kernel's to refuse."""

    __slots__ = ()

    def _sum(self, method: str, other: Any) -> Any:
        return self._two(f"checked_{method}" if self.kind == "i" else method, other)

    def __add__(self, other: Any) -> Any:
        return self._sum("add", other)

    def __sub__(self, other: Any) -> Any:
        return self._sum("sub", other)

    def __mul__(self, other: Any) -> Any:
        return self._sum("mul", other)

    def __neg__(self) -> Any:
        return 0 - self if self.kind == "i" else super().__neg__()

    def __abs__(self) -> Any:
        return where(self._two("lt", 0), -self, self) if self.kind == "i" else super().__abs__()


for _name, _method in {
    "truediv": "div", "and": "and_", "or": "or_", "xor": "xor", "lshift": "shl", "rshift": "shr",
    "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "ne": "ne",
}.items():  # fmt: skip
    setattr(Number, f"__{_name}__", lambda self, other, _method=_method: self._two(_method, other))


def where(condition: Number, x: Any, y: Any) -> Any:
    """One of two, of which one at least is a `Number`."""
    number = x if isinstance(x, Number) else y
    return number.made(number.b.select(condition.x, number.of(x).x, number.of(y).x))


def c_call(name: str, *xs: Any) -> Any:
    """A function of C's libm; ``trunc_div`` and ``trunc_mod`` are C's ``/`` and ``%``."""
    first = next(x for x in xs if isinstance(x, Number))
    b, handles = first.b, [first.of(x).x for x in xs]
    methods = {"trunc_div": b.quotient, "trunc_mod": b.remainder}
    return first.made(methods[name](*handles) if name in methods else b.call(name, *handles))


def libm(name: str) -> Formula:
    """The formula that is one function of C's."""
    made = lambda *xs: c_call(name, *xs)
    if name not in _CHEAP:
        COSTLY.add(made)
    return made


#: functions that are a few instructions; the others are NumPy's own loops in machine code for arrays
_CHEAP = frozenset({"sqrt", "fabs", "floor", "ceil", "trunc", "rint", "copysign", "fmod"})


def op(name: str, *xs: Number) -> Any:
    """Another operation of elements: the target's own, or its formula."""
    b = xs[0].b
    own = getattr(b, "operation", None)
    handles = [x.x for x in xs]
    found = own(name, *handles) if own is not None else NotImplemented
    return xs[0].made(REGISTRY[name].formula(b, *handles) if found is NotImplemented else found)  # type: ignore[misc]


def unless(condition: Number, raises: bool = False) -> None:
    """Where the condition holds, the kernel decides."""
    condition.b.slow_if(condition.x, raises)


def native(kinds: str, formula: Formula, number: type[Number] = Number) -> Callable[..., Any]:
    """`OpDef.formula`: how a builder reads a formula, for these kinds of dtypes; others call the kernel."""

    def read(b: Any, *xs: Any) -> Any:
        if any(b.dtype(x).kind not in kinds for x in xs):
            return NotImplemented
        found = formula(*[number(b, x) for x in xs])
        return found.x if isinstance(found, Number) else found

    if formula in COSTLY:
        COSTLY.add(read)
    return read


# -- what several formulas share -----------------------------------------------------------------------


def not_finite(x: Number) -> Any:
    difference = x - x  # 0 where x is finite, NaN elsewhere
    return difference != difference


def float_divmod(x: Any, y: Any) -> tuple[Any, Any]:
    """Floor quotient and remainder of floats, as CPython and NumPy compute them for ``y != 0``."""
    mod = c_call("trunc_mod", x, y)
    div = (x - mod) / y
    exact = mod == 0
    other_sign = ~exact & ((y < 0) ^ (mod < 0))
    div = where(other_sign, div - 1, div)
    mod = where(other_sign, mod + y, where(exact, c_call("copysign", y.of(0), y), mod))
    floor = c_call("floor", div)
    floor = where(div - floor > 0.5, floor + 1, floor)
    return where(div == 0, c_call("copysign", y.of(0), x / y), floor), mod


def int_divmod(x: Any, y: Any) -> tuple[Any, Any]:
    """The same of signed integers; ``y`` is not 0, and not -1 with the lowest ``x``."""
    x, y = (Number(n.b, n.x) for n in (x, y))  # nothing leaves 64 bits here
    div, mod = c_call("trunc_div", x, y), c_call("trunc_mod", x, y)
    down = (mod != 0) & ((mod < 0) ^ (y < 0))
    return where(down, div - 1, div), where(down, mod + y, mod)


def to_int64(x: Any) -> Any:
    """Python's ``int(x)``; what does not fit is the kernel's to refuse."""
    if not x.b.has_slow_way:
        return x.to(INT64)
    if x.kind == "u" and x.dtype.itemsize == 8:
        unless(x.to(INT64) < 0)
    elif x.kind == "f":
        x = x.to(FLOAT64)
        within = (x < 2.0**63) & (x >= -(2.0**63))
        unless(~within)  # NaN, too
        x = where(within, x, 0)
    return x.to(INT64)


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
