"""Items at places that are data: `tf.gather_nd`, `tf.scatter_nd`, `tf.unique`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runtime.ops.definition import Dynamic
from runtime.tf.arguments import name_results, only
from runtime.tf.math import (
    add,
    argsort,
    boolean_mask,
    concat,
    gather,
    greater,
    not_equal,
    ones_like,
    reshape,
    where,
    zeros,
)
from runtime.tf.tensors import apply, cast, convert, dim, item, not_negative, pair


class Unique(NamedTuple):
    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    y: Any
    idx: Any
    count: Any


def _columns(indices: Any) -> tuple[list[Any], tuple[Dynamic, ...]]:
    """The numbers along the last axis, each an index of its axis, and the key that they make."""
    index = not_negative(cast(convert(indices), np.int64), "an index is negative")
    depth = index.shape[-1]
    if depth is None:
        raise NotImplementedError("the length of the last axis of indices has to be known")
    columns = [item(index, (..., k)) for k in range(depth)]
    return columns, tuple([Dynamic(k) for k in range(depth)])


def gather_nd(params: Any, indices: Any, batch_dims: int = 0) -> Any:
    only("tf.gather_nd", batch_dims=(batch_dims, 0))
    columns, key = _columns(indices)
    return apply("getitem", convert(params), *columns, index=key) if columns else convert(params)


def scatter_nd(indices: Any, updates: Any, shape: Any) -> Any:
    """Zeros with the updates at these places; those of one place are added up."""
    updates = convert(updates)
    return tensor_scatter_nd_add(zeros(shape, updates.dtype), indices, updates)


def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any) -> Any:
    tensor, updates = pair(tensor, updates)
    columns, key = _columns(indices)
    return add(tensor, apply("scatter", updates, tensor, *columns, index=key))


def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any) -> Any:
    return tensor_scatter_nd_add(tensor, indices, -convert(updates))


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any) -> Any:
    """The tensor with the updates at these places; of several at one place, the last."""
    tensor, updates = pair(tensor, updates)
    if tensor.dtype == np.bool_:
        numbers = [cast(x, np.uint8) for x in (tensor, updates)]
        return cast(tensor_scatter_nd_update(numbers[0], indices, numbers[1]), np.bool_)
    columns, _ = _columns(indices)
    depth = len(columns)
    index = reshape(cast(convert(indices), np.int64), [-1, depth])
    inner = [dim(tensor, k) for k in range(depth, tensor.ndim)]
    updates = reshape(updates, [-1, *inner])
    place: Any = convert(0, np.int64)
    for k in range(depth):
        place = place * cast(convert(dim(tensor, k)), np.int64) + item(index, (slice(None), k))
    order = argsort(place, stable=True)
    place = gather(place, order)
    last = concat([not_equal(item(place, slice(1, None)), item(place, slice(None, -1))), [True]], 0)
    chosen = boolean_mask(order, item(last, slice(0, dim(place, 0)))) if depth else order
    index, updates = gather(index, chosen), gather(updates, chosen)
    lengths = [dim(tensor, k) for k in range(tensor.ndim)]
    hit = scatter_nd(index, ones_like(updates, np.int32), lengths)
    return where(greater(hit, 0), scatter_nd(index, updates, lengths), tensor)


def unique(x: Any, out_idx: Any = np.int32) -> Unique:
    """The items in the order in which they come first, and the place of each among them."""
    found = unique_with_counts(x, out_idx)
    return Unique(found.y, found.idx)


def unique_with_counts(x: Any, out_idx: Any = np.int32) -> UniqueWithCounts:
    options = {"return_index": True, "return_inverse": True, "return_counts": True}
    items, first, inverse, counts = apply("unique", convert(x), **options)
    order = argsort(first)
    rank = argsort(order)
    found = gather(items, order), cast(gather(rank, inverse), out_idx), cast(gather(counts, order), out_idx)
    return UniqueWithCounts(*found)


name_results(globals())
