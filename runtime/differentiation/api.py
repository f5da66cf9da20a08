"""The functions that give derivatives: ``rt.grad``, ``rt.jvp``, ``rt.jacobian`` and their kin."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, TypeVarTuple, overload

from runtime.arguments import wrong_argument
from runtime.differentiation.derivatives import Gradient, Plain
from runtime.differentiation.leaves import change_leaves, is_float
from runtime.differentiation.marked import CustomGradient, Remat
from runtime.differentiation.pushed import (
    Hessian,
    Jacobian,
    Jvp,
    Pullback,
    check_pairs,
    check_repeatable,
    traced_vjp,
)
from runtime.recording import records
from runtime.tensor import Tensor
from runtime.tracer.builder import emit
from runtime.tracer.call_handlers import handles
from runtime.tracer.trace import current_trace

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
A = TypeVar("A", bound=Any)  # so that the parameters of a lambda are Any
Ts = TypeVarTuple("Ts")
#: of the first argument, and what it returns
_First = Callable[Concatenate[A, P], R]


@overload
def grad(f: _First[A, P, Any]) -> _First[A, P, A]: ...
@overload
def grad(f: _First[A, P, tuple[Any, T]], *, has_aux: Literal[True]) -> _First[A, P, tuple[A, T]]: ...
@overload
def grad(
    f: Callable[P, Any], argnums: int | Sequence[int], has_aux: bool = False, *, wrt: Any = None
) -> Callable[P, Any]: ...
@overload
def grad(f: Callable[P, Any], *, has_aux: bool = False, wrt: Any) -> Callable[P, Any]: ...
def grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, *, wrt: Any = None
) -> Gradient:
    """A function that gives the gradient of ``f``, which returns one float, with respect to an argument.

    argnums: which argument, or several: then the result is a tuple. An argument may be a structure (a list, a
        dict, a dataclass, ...) of floats, arrays and variables; its gradient has the same structure. That of
        a module is a dict of the gradients of its trainable variables.
    has_aux: ``f`` returns ``(number, other)``, and the result is ``(gradient, other)``.
    wrt: with respect to these instead: arrays, variables and modules that ``f`` reads, wherever it has them
        from. The gradient has their structure.

    >>> import numpy as np
    >>> grad(lambda x: (x * x).sum())(np.array([1.0, 2.0]))
    array([2., 4.])
    >>> w = np.array([3.0, 5.0])
    >>> grad(lambda x: (w * x).sum(), wrt={"w": w})(np.array([1.0, 2.0]))
    {'w': array([1., 2.])}
    """
    return _gradient("grad", f, argnums, has_aux, wrt)


@overload
def value_and_grad(f: _First[A, P, R]) -> _First[A, P, tuple[R, A]]: ...
@overload
def value_and_grad(
    f: _First[A, P, tuple[R, T]], *, has_aux: Literal[True]
) -> _First[A, P, tuple[tuple[R, T], A]]: ...
@overload
def value_and_grad(
    f: Callable[P, R], argnums: int | Sequence[int], has_aux: bool = False, *, wrt: Any = None
) -> Callable[P, tuple[R, Any]]: ...
@overload
def value_and_grad(f: Callable[P, R], *, has_aux: bool = False, wrt: Any) -> Callable[P, tuple[R, Any]]: ...
def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, *, wrt: Any = None
) -> Gradient:
    """As `grad`, but the function gives ``(value, gradient)``; with ``has_aux`` ``((value, other),
    gradient)``.

    >>> value_and_grad(lambda x: x**3)(2.0)
    (8.0, 12.0)
    """
    return _gradient("value_and_grad", f, argnums, has_aux, wrt)


def _gradient(kind: str, f: Callable[..., Any], argnums: Any, has_aux: bool, wrt: Any) -> Gradient:
    if wrt is not None and argnums != 0:
        raise wrong_argument(
            f"rt.{kind}: both argnums and wrt are given", "put what argnums names into `wrt`, too", "wrt"
        )
    if wrt is not None:
        return Gradient(f, argnums, has_aux, kind == "value_and_grad", wrt)
    return _of(Gradient, f, argnums, has_aux, kind == "value_and_grad")


def jvp(f: Callable[..., R], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[R, R]:
    """``f(*primals)``, and how it changes as the arguments go along ``tangents``: the Jacobian
    times a vector.

    An argument whose tangent is None is a constant.

    >>> jvp(lambda x, y: x * y, (3.0, 2.0), (1.0, 0.0))
    (6.0, 2.0)
    """
    return _of(Jvp, f)(primals, tangents)


def vjp(f: Callable[[*Ts], R], *primals: *Ts) -> tuple[R, Callable[[R], tuple[*Ts]]]:
    """``f(*primals)``, and a function from an adjoint of that to those of the arguments: a vector
    times the Jacobian.

    Outside of decorated functions, that function runs ``f`` again, on copies of the arguments; an ``f``
    that has other effects is refused there.

    >>> value, pullback = vjp(lambda x, y: x * y, 3.0, 2.0)
    >>> value, pullback(1.0)
    (6.0, (2.0, 3.0))
    """
    if current_trace() is not None:
        return traced_vjp(f, primals)
    kept = copy.deepcopy(primals)
    pullback, plain = _of(Pullback, f), _of(Plain, f)
    check_repeatable(plain.compiled.get_concrete_function(*primals))
    return plain(*primals), lambda cotangents: pullback(cotangents, *copy.deepcopy(kept))


def jacobian(f: Callable[P, Any], argnums: int | Sequence[int] = 0) -> Callable[P, Any]:
    """A function that gives the Jacobian of ``f``: of the shape of the result, then of the argument.

    ``f`` runs once for each row or each column, whichever are fewer.

    >>> import numpy as np
    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return _of(Jacobian, f, argnums)


def hessian(f: Callable[P, Any], argnums: int | Sequence[int] = 0) -> Callable[P, Any]:
    """A function that gives the second derivatives of ``f``, which returns one float.

    >>> import numpy as np
    >>> hessian(lambda x: x[0] * x[0] * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    return _of(Hessian, grad(f, argnums), argnums)


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The Hessian of ``f`` times a vector, without the Hessian. Of several primals, a tuple.

    An argument whose tangent is None is a constant.

    >>> import numpy as np
    >>> hvp(lambda x: x[0] * x[0] * x[1], (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
    array([4., 2.])
    """
    check_pairs("hvp", primals, tangents)
    numbers = tuple([k for k, tangent in enumerate(tangents) if tangent is not None])
    return jvp(grad(f, numbers[0] if len(numbers) == 1 else numbers), primals, tangents)[1]


def stop_gradient(x: T) -> T:
    """``x``, which counts as a constant: no derivative goes through it. In a decorated function,
    arrays are copied.

    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    if current_trace() is not None:
        return change_leaves(
            x, lambda leaf, _: emit("stop_gradient", [leaf]) if is_float(leaf) else leaf, "x"
        )
    if records():
        return change_leaves(
            x, lambda leaf, _: Tensor(leaf._array.copy()) if isinstance(leaf, Tensor) else leaf, "x"
        )
    return x


def custom_gradient(f: Callable[P, tuple[R, Any]]) -> Callable[P, R]:
    """A decorator for a function that returns ``(result, gradient)``: callers get the result.

    ``gradient(g)`` gets the adjoint of the result (of a tuple, each of its own), and returns that
    of the argument, of several arguments a tuple; None for one that has none.

    >>> @custom_gradient
    ... def clipped(x):
    ...     return x, lambda g: max(min(g, 1.0), -1.0)
    >>> clipped(3.0), grad(lambda x: 5.0 * clipped(x))(3.0)
    (3.0, 1.0)
    """
    return CustomGradient(f)


@overload
def remat(f: Callable[P, R], *, every: int | None = None) -> Callable[P, R]: ...
@overload
def remat(f: None = None, *, every: int | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def remat(f: Callable[..., Any] | None = None, *, every: int | None = None) -> Any:
    """The function ``f``, of which a gradient keeps nothing: it is computed again when the gradient needs it.

    every: only the loops of ``f``, so many iterations at a time; a gradient keeps the state of
    each such group.

    >>> grad(remat(lambda x: x * x * x))(2.0)
    12.0
    """
    if every is not None and (type(every) is not int or every < 1):
        raise wrong_argument(
            f"rt.remat: every is {every!r}, not a number of iterations", "write every=1000", "every"
        )
    if f is None:
        return lambda f: remat(f, every=every)
    return Remat(f, every)


#: so many derivatives are kept, those that were asked for last
_KEPT = 64


class _Same:
    """A function as a key: equal where it is the same one, or the same method of the same object."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        bound = getattr(function, "__self__", None), getattr(function, "__func__", None)
        self.parts = bound if isinstance(function, MethodType) else (function, None)

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.parts)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and all(a is b for a, b in zip(self.parts, other.parts, strict=True))


@functools.lru_cache(maxsize=_KEPT)
def _kept(kind: Callable[..., Any], same: _Same, *options: Any) -> Any:
    return kind(same.function, *options)


def _of(kind: Callable[..., Any], f: Callable[..., Any], *options: Any) -> Any:
    """The derivative of this function that was made before, with its traces, or a new one.

    So `rt.grad(f)(x)` in a loop of plain Python compiles once.
    """
    options = tuple([tuple(each) if isinstance(each, list) else each for each in options])
    try:
        hash(options)
    except TypeError:  # what is wrong with them the derivative says
        return kind(f, *options)
    return kind(f, *options) if current_trace() is not None else _kept(kind, _Same(f), *options)


_PUBLIC = (
    grad, value_and_grad, jvp, vjp, jacobian, hessian, hvp, stop_gradient, custom_gradient, remat
)  # fmt: skip
for _function in _PUBLIC:
    handles(_function)(lambda trace, /, *args, _function=_function, **kwargs: _function(*args, **kwargs))
