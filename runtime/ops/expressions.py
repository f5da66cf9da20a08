"""What rules of derivatives are written with: graph values with operators, and ``ops``, a function
for each operation.

    vjp=lambda g, y, x: (g * (1 - y * y),)
    vjp=lambda g, y, x: (g * ops.cos(x),)
    vjp=lambda g, y, x, axis=None, keepdims=False, **_: (spread(g, x, axis, keepdims),)

Each operator and call appends an operation to the block that the sweep is writing, with the types that the
operation's own rule infers. ``ops`` has every operation of the registry by its name, with its
attributes as keywords: ``ops.sum(x, axis=0)``, ``ops.where(c, x, 0)``, ``ops.linalg.solve(a, b)``.
(``ops.where`` of
numbers gives a number.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from runtime.ops import promotion
from runtime.ops.definition import REGISTRY, Dynamic, same_as
from runtime.types import ArrayType, NumericType, Type


class Scope(Protocol):
    """Where operations go: implemented by the sweep."""

    def emit(self, name: str, inputs: Sequence[Any], attributes: dict[str, Any]) -> tuple[Any, ...]:
        """Append an operation; inputs are values of the graph, the result is its outputs."""

    def constant(self, item: Any) -> Any:
        """The value of a constant."""


_Method = Callable[[Any, Any], Any]


def _both_ways(name: str) -> tuple[_Method, _Method]:
    """The operation as an operator with an `Expr` on the left, and on the right."""
    return (lambda a, b: getattr(ops, name)(a, b)), (lambda a, b: getattr(ops, name)(b, a))


class Expr:
    """A value of a graph in a rule. Immutable; ``x[i] = v`` is not for rules."""

    __slots__ = ("scope", "value")
    __array_ufunc__ = None  # a NumPy scalar on the left leaves the operator to us

    def __init__(self, value: Any, scope: Scope) -> None:
        self.value = value
        self.scope = scope

    @property
    def type(self) -> Type:
        found: Type = self.value.type
        return found

    @property
    def numeric(self) -> NumericType:
        return self.value.type

    @property
    def dtype(self) -> Any:
        return self.numeric.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        return self.numeric.shape

    @property
    def ndim(self) -> int:
        return self.numeric.ndim

    @property
    def is_complex(self) -> bool:
        return bool(self.dtype.kind == "c")

    @property
    def known(self) -> Any:
        """The number, where it is a constant; else None."""
        made = self.value.owner
        is_constant = made is not None and made.is_constant and not self.shape
        return made.attributes["value"] if is_constant else None

    @property
    def is_nothing(self) -> bool:
        """Is it the zeros that stand for a cotangent where nothing came?"""
        made = self.value.owner
        return made is not None and (
            made.name == "zeros" or (made.name == "like" and made.attributes["name"] == "zeros_like")
        )

    @property
    def T(self) -> Any:  # as NumPy has it
        return ops.transpose(self)

    @property
    def mT(self) -> Any:
        """The last two axes exchanged."""
        return ops.transpose(self) if self.ndim == 2 else ops.swapaxes(self, axis1=-1, axis2=-2)

    @property
    def conj(self) -> Any:
        """The conjugate; of real numbers itself."""
        return ops.conjugate(self) if self.is_complex else self

    @property
    def mH(self) -> Any:
        """The conjugate of `mT`."""
        return self.mT.conj

    __add__, __radd__ = _both_ways("add")
    __sub__, __rsub__ = _both_ways("subtract")
    __mul__, __rmul__ = _both_ways("multiply")
    __truediv__, __rtruediv__ = _both_ways("true_divide")
    __floordiv__, _ = _both_ways("floor_divide")
    __matmul__, _ = _both_ways("matmul")
    __and__, _ = _both_ways("bitwise_and")
    __or__, _ = _both_ways("bitwise_or")
    __lt__, _ = _both_ways("less")
    __le__, _ = _both_ways("less_equal")
    __gt__, _ = _both_ways("greater")
    __ge__, _ = _both_ways("greater_equal")
    __eq__, _ = _both_ways("equal")
    __ne__, _ = _both_ways("not_equal")

    def __pow__(self, other: Any) -> Any:
        return ops.square(self) if type(other) is int and other == 2 else ops.power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return ops.power(other, self)

    def __neg__(self) -> Any:
        return ops.negative(self)

    def __invert__(self) -> Any:
        return ops.invert(self)

    def __bool__(self) -> bool:
        raise TypeError("a rule cannot branch on a value that only a run knows; use ops.where")

    def __getitem__(self, index: Any) -> Any:
        items = index if isinstance(index, tuple) else (index,)
        dynamic: list[Expr] = []

        def item(part: Any) -> Any:
            if isinstance(part, Expr):
                dynamic.append(part)
                return Dynamic(len(dynamic) - 1)
            if isinstance(part, slice):
                return slice(item(part.start), item(part.stop), item(part.step))
            return part

        found = tuple([item(part) for part in items])
        return ops.getitem(self, *dynamic, index=found)

    def length(self, axis: int) -> Any:
        """The length of an axis: an int where it is known, else an `Expr`."""
        known = self.shape[axis]
        return ops.dim(self, axis=axis % self.ndim) if known is None else known

    def along(self, axis: int, *items: Any) -> Any:
        """The items of an index at ``axis`` and behind it: ``x.along(1, k)`` is ``x[:, k]``."""
        return self[(*(slice(None),) * (axis % self.ndim), *items)]

    def of(self, constant: Any) -> Expr:
        """A constant beside it."""
        return Expr(self.scope.constant(constant), self.scope)


class Operations:
    """``ops.name(*operands, **attributes)``: every operation of the registry. See the module docstring."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Operations(f"{self._prefix}{name}.")

    def __call__(self, *operands: Any, **attributes: Any) -> Any:
        name = self._prefix.rstrip(".")
        name = "where_ufunc" if name == "where" else name
        assert name in REGISTRY, f"a rule uses {name}, which is no operation"
        scope = next(operand.scope for operand in operands if isinstance(operand, Expr))
        inputs = [o.value if isinstance(o, Expr) else scope.constant(o) for o in operands]
        outputs = tuple([Expr(value, scope) for value in scope.emit(name, inputs, attributes)])
        return outputs[0] if len(outputs) == 1 else outputs


ops = Operations()


# -- what rules share ----------------------------------------------------------------------------------


def number_of(x: Expr, axis: Any = None) -> Any:
    """How many items a reduction over ``axis`` takes together: an int where it is known, else an `Expr`."""
    found: Any = 1
    for k in promotion.normalize_axes(axis, x.ndim):
        found = x.length(k) * found
    return found


def positions(x: Expr, axis: int = 0) -> Expr:
    """0, 1, 2, ... along an axis: one-dimensional."""
    n = x.length(axis)
    return x.of(np.arange(n)) if isinstance(n, int) else ops.arange(n)


def zeros_of(x: Expr, lengths: Sequence[Any]) -> Expr:
    """Zeros of these lengths (each an int or an `Expr`), of the dtype of ``x``."""
    shape, dynamic = _shape(lengths)
    if not dynamic:
        return x.of(np.zeros(shape, x.dtype)) if not shape else ops.full(x.of(x.dtype.type(0)), shape=shape)
    found: Expr = ops.zeros(*dynamic, shape=shape, dtype=x.dtype)
    return found


def reshaped(x: Expr, lengths: Sequence[Any]) -> Expr:
    """``x`` in a shape of these lengths: each an int or an `Expr`."""
    shape, dynamic = _shape(lengths)
    found: Expr = ops.reshape(x, *dynamic, shape=shape)
    return found


def _shape(lengths: Sequence[Any]) -> tuple[tuple[Any, ...], list[Expr]]:
    dynamic = [n for n in lengths if isinstance(n, Expr)]
    places = iter(range(len(dynamic)))
    return tuple([Dynamic(next(places)) if isinstance(n, Expr) else n for n in lengths]), dynamic


def along_axis(items: Expr, x: Expr, axis: int) -> Expr:
    """A one-dimensional value so that it broadcasts with ``x`` along ``axis``."""
    found: Expr = items[(slice(None), *(None,) * (x.ndim - 1 - axis % x.ndim))]
    return found


def scattered(g: Expr, lengths: Sequence[Any], index: tuple[Any, ...]) -> Expr:
    """Zeros of these lengths, with ``g`` at an index of slices, whose bounds are ints or `Expr`."""
    dynamic: list[Expr] = []

    def part(bound: Any) -> Any:
        if isinstance(bound, Expr):
            dynamic.append(bound)
            return Dynamic(len(dynamic) - 1)
        return bound

    places = tuple([slice(part(item.start), part(item.stop)) for item in index])
    found: Expr = ops.scatter(g, zeros_of(g, lengths), *dynamic, index=places)
    return found


def less(x: Expr, y: Expr) -> Expr:
    """x - y, and 0 where they are equal, infinite ones too."""
    equal = x == y
    found: Expr = ops.where(equal, 0, x) - ops.where(equal, 0, y)
    return found


def eye(x: Expr, rows: Any, columns: Any, k: int = 0) -> Expr:
    """Ones on the k-th diagonal, in the dtype of ``x``; the lengths are ints or `Expr`."""
    if isinstance(rows, int) and isinstance(columns, int):
        return x.of(np.eye(rows, columns, k, x.dtype))
    (rows, columns), dynamic = _shape((rows, columns))
    found: Expr = ops.eye(*dynamic, rows=rows, columns=columns, k=k, dtype=x.dtype)
    return found


def kept_axes(g: Expr, x: Expr, axis: Any, keepdims: bool = False) -> Expr:
    """What a reduction of ``x`` over ``axis`` made (``g``, or ``y``), the lost axes back with length 1."""
    if keepdims or g.ndim == x.ndim or g.ndim == 0:
        return g
    axes = promotion.normalize_axes(axis, x.ndim)
    found: Expr = g[tuple([None if k in axes else slice(None) for k in range(x.ndim)])]
    return found


def spread(g: Expr, x: Expr, axis: Any, keepdims: bool = False) -> Expr:
    """The cotangent of a sum: ``g`` for each element that went into it."""
    return kept_axes(g, x, axis, keepdims)  # the sweep spreads it, where it must


def zeros_like(x: Expr) -> Expr:
    """Zeros in the shape and dtype of ``x``."""
    if not isinstance(x.type, ArrayType):
        return Expr(x.scope.constant(x.dtype.type(0)), x.scope)
    found: Expr = ops.like(x, name="zeros_like", dtype=x.dtype, order="K")
    return found


def ufunc_rule(name: str) -> Any:
    """The rule of the ufunc that computes what a function of `math` does; None where there is none."""
    ufunc = getattr(np, name, None)  # as np.asin, which is np.arcsin
    return same_as(ufunc.__name__) if isinstance(ufunc, np.ufunc) else None
