"""What a loop over arrays, ranges, and `zip`, `enumerate`, `reversed` of them goes through.

>>> source = source_of(range(2, 8, 3))
>>> source.length, list(source)
(2, [2, 5])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from autograph.errors import StagingError, error_at_frame
from autograph.stages._jax import paths
from autograph.stages._jax.bounds import bounds_of
from autograph.stages._jax.tracing import is_array, is_staged


@dataclass(frozen=True)
class Source:
    """Items by number: the k-th is `build(k, rows)`, with a row of each of the `arrays`."""

    length: Any
    arrays: tuple[Any, ...]
    build: Callable[[Any, list[Any]], Any]
    most: int
    """What the length is at most, where only a run knows it."""

    @property
    def is_static(self) -> bool:
        return not is_staged(self.length)

    def item(self, k: Any) -> Any:
        return self.build(k, [array[k] for array in self.arrays])

    def __len__(self) -> int:
        if not self.is_static:
            raise error_at_frame(
                StagingError,
                "the number of items is known only at run time",
                hint="go through them with a `for` statement",
            )
        return int(self.length)

    def __iter__(self) -> Iterator[Any]:
        return map(self.item, range(len(self)))

    def __getitem__(self, k: Any) -> Any:
        return self.item(k + self.length if not is_staged(k) and k < 0 else k)


def source_of(iterable: Any) -> Source | None:
    """How to go through `iterable` by number; None where only Python can."""
    if isinstance(iterable, Source):
        return iterable
    if isinstance(iterable, range):
        return staged_range(iterable.start, iterable.stop, iterable.step)
    if is_array(iterable):
        if iterable.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return Source(iterable.shape[0], (iterable,), lambda k, rows: rows[0], iterable.shape[0])
    return None


def staged_range(*bounds: Any) -> Source:
    """`range(...)`, where a bound may be staged."""
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    for bound in (start, stop, step):
        if is_array(bound) and (bound.size != 1 or not jnp.issubdtype(bound.dtype, jnp.integer)):
            raise TypeError(f"range() takes integers, not {bound.dtype}{list(bound.shape)}")
    if is_staged(step):
        raise error_at_frame(
            StagingError,
            "the step of this range is known only at run time, and could be 0",
            hint="use a step that is a Python number, or a `while` loop",
        )
    length: Any
    step = int(step)
    if is_staged(start) or is_staged(stop):
        away = stop - start + (step - 1 if step > 0 else step + 1)
        length = jnp.maximum(jnp.reshape(away // step, ()), 0)
        most = _longest(start, stop, step)
        start = jnp.reshape(start, ()) if is_array(start) else start
    else:
        length = most = len(range(int(start), int(stop), step))
    return Source(length, (), lambda k, _: start + k * step, most)


def _longest(start: Any, stop: Any, step: int) -> int:
    """The length of this range, at most."""
    begin, end = bounds_of(start), bounds_of(stop)
    away = end[1] - begin[0] if step > 0 else begin[1] - end[0]
    return max(-(-away // abs(step)), 0)


def staged_enumerate(iterable: Any, start: Any = 0) -> Any:
    """`enumerate(...)` of something that goes by number."""
    inner = source_of(iterable)
    if inner is None:
        return NotImplemented
    return Source(inner.length, inner.arrays, lambda k, rows: (k + start, inner.build(k, rows)), inner.most)


def staged_reversed(iterable: Any) -> Any:
    """`reversed(...)` of something that goes by number."""
    inner = source_of(iterable)
    if inner is None:
        return NotImplemented
    if not inner.is_static:
        return Source(inner.length, (), lambda k, _: inner.item(inner.length - 1 - k), inner.most)
    arrays = tuple(array[::-1] for array in inner.arrays)
    return Source(inner.length, arrays, lambda k, rows: inner.build(inner.length - 1 - k, rows), inner.most)


def staged_zip(*iterables: Any, strict: bool = False) -> Any:
    """`zip(...)` of things that go by number."""
    inner = [source_of(iterable) for iterable in iterables]
    sources = [source for source in inner if source is not None]
    if len(sources) < len(inner):
        return NotImplemented
    lengths = [source.length for source in sources]
    if all(source.is_static for source in sources):
        if strict and len(set(lengths)) > 1:
            raise ValueError(f"zip() arguments have the lengths {', '.join(map(str, lengths))}")
        length: Any = min(lengths)
        cut = lambda array: array[:length]
    else:
        if strict:
            raise error_at_frame(
                StagingError, "zip(strict=True) of lengths known only at run time", hint="leave out `strict`"
            )
        length = jnp.min(jnp.asarray(lengths))
        cut = lambda array: array

    def build(k: Any, rows: list[Any]) -> tuple[Any, ...]:
        parts = iter(rows)
        return tuple(source.build(k, [next(parts) for _ in source.arrays]) for source in sources)

    arrays = tuple(cut(array) for source in sources for array in source.arrays)
    return Source(length, arrays, build, min(source.most for source in sources))


def refuse_iterator(iterator: Any) -> Any:
    """Going through an iterator under a staged condition uses it up on both paths, while tracing."""
    if paths.is_old(iterator):
        raise error_at_frame(
            StagingError,
            f"a {type(iterator).__name__} from outside is advanced under a staged condition",
            hint="take its items before, or go through a list or an array",
        )
    return NotImplemented
