"""`tf.random`: numbers from a counter that is a variable, so that a graph runs again with the same ones."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime.ops.definition import Dynamic
from runtime.ops.template import Hole, Template
from runtime.tf.arguments import name_results
from runtime.tf.dtypes import numpy_dtype
from runtime.tf.errors import InvalidArgumentError
from runtime.tf.math import gather, where, zeros_like
from runtime.tf.names import made_by_files, refusing
from runtime.tf.tensors import EagerTensor, SymbolicTensor, convert, dim, held, shape_parts, value_in
from runtime.tf.traces import current
from runtime.tf.variables import Variable
from runtime.types import ArrayType, ScalarType

_state = Variable(np.int64(secrets.randbits(40)), trainable=False, name="random_state")


def set_seed(seed: int) -> None:
    """The numbers that follow are the same after the same seed."""
    _state._store(np.int64(seed) * np.int64(2**20))


def fresh_seed() -> int:
    """A seed for a generator of NumPy's: another one each time, the same ones after the same `set_seed`."""
    found = int(_state._held)
    _state._store(np.int64(found + 1))
    return found % 2**63


@contextmanager
def seeded(seed: int | None) -> Iterator[None]:
    """What is drawn inside follows from this seed, and what follows is as if nothing was drawn."""
    if seed is None:
        yield
        return
    if current() is not None:
        raise NotImplementedError("an initializer with seed= while a function is traced: make it outside")
    before = _state._held
    set_seed(seed)
    try:
        yield
    finally:
        _state._store(before)


class _Draw:
    """Draws from one distribution: the same numbers for the same counter."""

    only_computes = True

    def __init__(self, distribution: str, dtype: Any) -> None:
        self.distribution = distribution
        self.dtype = dtype
        self.__name__ = distribution
        self.name_in_files = f"tf.random.{distribution}.{dtype.name}"

    def __call__(self, counter: Any, shape: Any, *parameters: Any) -> Any:
        generator = np.random.Generator(np.random.Philox(key=int(counter) % 2**64))
        return held(_DISTRIBUTIONS[self.distribution](generator, shape, self.dtype, *parameters))


def _uniform(generator: Any, shape: Any, dtype: Any, low: Any, high: Any) -> Any:
    if dtype.kind in "iu":
        return generator.integers(low, high, shape, dtype=dtype)
    return (generator.random(shape, np.float64) * (high - low) + low).astype(dtype)


def _truncated(generator: Any, shape: Any, dtype: Any, mean: Any, stddev: Any) -> Any:
    found = generator.standard_normal(shape)
    outside = np.abs(found) > 2
    while np.any(outside):
        found = np.where(outside, generator.standard_normal(shape), found)
        outside = np.abs(found) > 2
    return (found * stddev + mean).astype(dtype)


_DISTRIBUTIONS: dict[str, Callable[..., Any]] = {
    "uniform": _uniform,
    "normal": lambda g, shape, dtype, mean, std: np.asarray(g.standard_normal(shape) * std + mean).astype(
        dtype
    ),
    "truncated_normal": _truncated,
    "permutation": lambda g, shape, dtype: g.permutation(shape[0]).astype(dtype),
    "categorical": lambda g, shape, dtype, logits: (
        (logits[:, None, :] + g.gumbel(size=(logits.shape[0], shape[-1], logits.shape[1])))
        .argmax(-1)
        .astype(dtype)
    ),
}


def _draw_of(distribution: str, dtype: str) -> _Draw:
    return _Draw(distribution, numpy_dtype(dtype))


for _distribution in _DISTRIBUTIONS:
    made_by_files(f"tf.random.{_distribution}", functools.partial(_draw_of, _distribution))


def _next_counter() -> Any:
    """The counter, as a tensor, which moves on."""
    counter = _state._as_tensor()
    _state.assign_add(np.int64(1))
    return counter


def _refuse_seed(seed: Any) -> None:
    """Raises TypeError: the numbers of all calls come from one counter."""
    if seed is not None:
        raise TypeError("tf.random: `seed=` of a single call is not supported; call tf.random.set_seed first")


def _drawn(distribution: str, shape: Any, dtype: Any, *parameters: Any) -> Any:
    draw = _Draw(distribution, numpy_dtype(dtype))
    fixed, dynamic = shape_parts(shape)
    counter = _next_counter()
    trace = current()
    tensors = [convert(p) for p in parameters]
    if trace is None:
        return EagerTensor(draw(counter._held, fixed, *[t._held for t in tensors]))
    inputs = [value_in(trace, x) for x in (counter, *dynamic, *tensors)]
    wanted = [Hole(1 + n.index) if isinstance(n, Dynamic) else n for n in fixed]
    parts = [Hole(k) for k in range(1 + len(dynamic), len(inputs))]
    known = tuple([None if isinstance(n, Dynamic) else n for n in fixed])
    type = ArrayType(draw.dtype, known) if known else ScalarType(draw.dtype)
    (value,) = trace.append(
        "call",
        inputs,
        (type,),
        {"function": draw, "template": Template(((Hole(0), wanted, *parts), {})), "outputs": (type,)},
    )
    return SymbolicTensor(value, trace)


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, seed: Any = None
) -> Any:
    _refuse_seed(seed)
    if maxval is None:
        if numpy_dtype(dtype).kind in "iu":
            raise ValueError(f"Must specify maxval for integer dtype {numpy_dtype(dtype).name}")
        maxval = 1
    return _drawn("uniform", shape, dtype, minval, maxval)


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, seed: Any = None) -> Any:
    _refuse_seed(seed)
    return _drawn("normal", shape, dtype, mean, stddev)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, seed: Any = None
) -> Any:
    _refuse_seed(seed)
    return _drawn("truncated_normal", shape, dtype, mean, stddev)


def categorical(logits: Any, num_samples: int, dtype: Any = np.int64, seed: Any = None) -> Any:
    _refuse_seed(seed)
    x = convert(logits)
    return _drawn("categorical", [x.shape[0], num_samples], dtype, x)


def shuffle(value: Any, seed: Any = None) -> Any:
    _refuse_seed(seed)
    x = convert(value)
    return gather(x, _drawn("permutation", [dim(x, 0)], np.int64))


def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None) -> Any:
    """`tf.nn.dropout`: a part of the elements is 0, and the others are larger by as much."""
    _refuse_seed(seed)
    if isinstance(rate, int | float) and not 0 <= rate < 1:
        raise InvalidArgumentError(
            message=f"`rate` must be a scalar tensor or a float in the range [0, 1), got {rate}"
        )
    x = convert(x)
    wanted = [dim(x, k) for k in range(x.ndim)] if noise_shape is None else noise_shape
    keep = uniform(wanted, dtype=x.dtype) >= rate
    return where(keep, x / (1 - rate), zeros_like(x))


name_results(globals(), "set_seed", "fresh_seed", "seeded")
__getattr__ = refusing(__name__, "tf.random")
