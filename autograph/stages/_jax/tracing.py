"""What the stage asks of JAX: is a trace under way, is a value known, how is a function traced.

JAX's own internals are touched in this file only.

>>> under_trace(), is_staged(3.0)
(False, False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakSet

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import config, core
from jax._src.interpreters.partial_eval import DynamicJaxprTracer
from jax._src.lax import lax as lax_internal
from jax.extend.core import jaxpr_as_fun

from autograph.stages._jax.unknown import SUSPECTS, refusal

if not (hasattr(core, "trace_ctx") and hasattr(core, "is_concrete")):
    raise ImportError(f"autograph.stages.jax needs a newer JAX than {jax.__version__}")

_context = core.trace_ctx
_own: WeakSet[Any] = WeakSet()
Tracer = jax.core.Tracer
ARRAYS: tuple[type, ...] = (jax.Array, np.ndarray, np.generic)
NUMBERS: tuple[type, ...] = (bool, int, float, complex)


def under_trace() -> bool:
    """Is a JAX transformation tracing in this thread?"""
    return type(_context.trace) is not core.EvalTrace


def current_trace() -> Any:
    """The trace that new operations go to."""
    return _context.trace


def traces_under_way() -> Iterator[Any]:
    """The current trace, and those around it."""
    trace = _context.trace
    while trace is not None:
        yield trace
        trace = getattr(trace, "parent_trace", None)


def is_own(trace: Any) -> bool:
    """Is this the trace of a block that this stage traces?"""
    return trace in _own


def is_staged(value: Any) -> bool:
    """Is this a tracer whose value is not known? (Under `grad` alone, it is known.)"""
    return isinstance(value, Tracer) and not core.is_concrete(value)


def is_array(value: Any) -> bool:
    """Is this an array of JAX's or NumPy's, a tracer or a NumPy scalar?"""
    return isinstance(value, ARRAYS) and np.dtype(object) != getattr(value, "dtype", None)


def is_opaque(value: Any) -> bool:
    """Is this an array, or an object of JAX's own or of ours, in which there is nothing of the program's?"""
    package = str(type(value).__module__).partition(".")[0]
    return isinstance(value, ARRAYS) or package in ("jax", "jaxlib", "autograph")


def is_number(value: Any) -> bool:
    """Is this exactly a Python number?"""
    return type(value) in NUMBERS


def weak_type(value: Any) -> bool:
    """Has the value a weak type, as Python numbers have?"""
    if is_array(value):
        return bool(getattr(value, "weak_type", False)) and value.dtype != bool
    return type(value) is not bool


def core_of(value: Any) -> Any:
    """What a tracer of `vmap` or `grad` stands for in the program that is being written."""
    while isinstance(value, Tracer) and not isinstance(value, DynamicJaxprTracer):
        inner = getattr(value, "val", None)
        inner = getattr(value, "primal", None) if inner is None else inner
        if inner is None:
            break
        value = inner
    return value


def operation_of(value: Any) -> Any:
    """The equation (`primitive`, `params`, `in_tracers`) that makes an array; None where there is none."""
    return value.parent if isinstance(value, DynamicJaxprTracer) else None


def known_operand(operand: Any) -> Any:
    """An operand of an operation; of a constant, its value."""
    literal = getattr(operand, "val", None)
    return literal.val if isinstance(literal, core.Literal) else operand


def outer_of(value: Any) -> Any:
    """The array from around a block that the block sees as `value`; None where it is the block's own."""
    if not isinstance(value, DynamicJaxprTracer) or isinstance(value.val, core.Literal):
        return None
    return value._trace.frame.constvar_to_val.get(value.val)


class Traced:
    """A block that was traced once; calling it inserts its operations wherever that is.

    >>> block = Traced(lambda x: [x + 1], [jax.ShapeDtypeStruct((), "float32")])
    >>> float(block(2.0)[0])
    3.0
    """

    def __init__(self, run: Callable[..., list[Any]], arguments: Sequence[Any] = ()) -> None:
        def noted(*arrays: Any) -> list[Any]:
            _own.add(_context.trace)
            try:
                return run(*arrays)
            except SUSPECTS as error:
                refused = refusal(error)
                if refused is None:
                    raise
                raise refused from error

        with config.check_tracer_leaks(False):  # what a block left is looked at after its trace, by us
            self.closed = jax.make_jaxpr(noted)(*arguments)
        self._function = jaxpr_as_fun(self.closed)

    def __call__(self, *arguments: Any) -> list[Any]:
        return list(self._function(*arguments))


def as_weak(array: Any, kind: type) -> Any:
    """`array` as a Python number of this kind would be."""
    dtype = jax.dtypes.canonicalize_dtype(kind)
    return lax_internal._convert_element_type(jnp.asarray(array), dtype, weak_type=True)


def zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """A value of this type that nobody will look at."""
    if jnp.issubdtype(dtype, jax.dtypes.prng_key):
        return jnp.broadcast_to(jax.random.key(0, impl=_KEYS[str(dtype)]), shape)
    return jnp.zeros(shape, dtype)


def canonical(dtype: Any) -> Any:
    """The type that JAX gives an array of this type: without x64, no 64-bit ones."""
    return dtype if jnp.issubdtype(dtype, jax.dtypes.extended) else jax.dtypes.canonicalize_dtype(dtype)


_KEYS = {"key<fry>": "threefry2x32", "key<rbg>": "rbg", "key<urbg>": "unsafe_rbg"}
