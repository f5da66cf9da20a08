"""`tf.cond`, `tf.while_loop`, `tf.map_fn` and their like: control flow by functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import optree

from autograph.staging import State
from runtime.tf import math
from runtime.tf.arguments import only
from runtime.tf.block_values import NAMESPACE, traced, truth
from runtime.tf.branches import choice
from runtime.tf.loops import for_loop
from runtime.tf.loops import while_loop as staged_while
from runtime.tf.math import concat, stack, zeros
from runtime.tf.math import range as tf_range
from runtime.tf.tensor_array import TensorArray
from runtime.tf.tensors import EagerTensor, Tensor, convert, dim
from runtime.tf.traces import current


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None) -> Any:
    """What one of the two functions gives."""
    if not isinstance(pred, bool):
        pred = truth(pred)
    if isinstance(pred, bool | EagerTensor):
        return true_fn() if pred else false_fn()
    return choice(pred, true_fn, false_fn)


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    name: str | None = None,
) -> Any:
    """The function of the first condition that holds."""
    only("tf.case", exclusive=(exclusive, False))
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if default is None:
        (_, default), pairs = pairs[-1], pairs[:-1]
    found: Callable[[], Any] = default
    for pred, fn in reversed(pairs):
        found = functools.partial(cond, pred, fn, found)
    return found()


def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: str | None = None
) -> Any:
    """The function of that number."""
    fns = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(enumerate(branch_fns))
    index = convert(branch_index)
    return case([(index == k, fn) for k, fn in fns], default or fns[-1][1])


class _Cell:
    """A variable of a loop that is written as functions."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def state(self, name: str) -> State:
        return State((name,), lambda: (self.value,), self._set)

    def _set(self, values: tuple[Any, ...]) -> None:
        (self.value,) = values


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    shape_invariants: Sequence[Any] | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """`loop_vars = body(*loop_vars)` as long as `cond(*loop_vars)`."""
    only("tf.while_loop", back_prop=(back_prop, True))
    given: Any = list(loop_vars)
    values: Any = optree.tree_map(_tensor, given, namespace=NAMESPACE)
    count = 0
    if current() is None:
        while cond(*values) and (maximum_iterations is None or count < maximum_iterations):
            values, count = _as_list(body(*values)), count + 1
        return values if isinstance(loop_vars, list) else tuple(values)
    if shape_invariants is not None:
        pairs = zip(optree.tree_leaves(values, namespace=NAMESPACE), shape_invariants, strict=True)
        traced().loop_options["shape_invariants"] = list(pairs)
    if maximum_iterations is not None:
        traced().loop_options["maximum_iterations"] = maximum_iterations
    cell = _Cell(values)
    staged_while(
        lambda: cond(*cell.value),
        lambda _: setattr(
            cell, "value", optree.tree_map(_tensor, _as_list(body(*cell.value)), namespace=NAMESPACE)
        ),
        cell.state("loop_vars"),
    )
    return cell.value if isinstance(loop_vars, list) else tuple(cell.value)


def _tensor(value: Any) -> Any:
    return convert(value)


def _as_list(values: Any) -> Any:
    return list(values) if isinstance(values, list | tuple) else [values]


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each row, stacked."""
    only("tf.map_fn", back_prop=(back_prop, True), infer_shape=(infer_shape, True))
    leaves, structure = optree.tree_flatten(elems)
    items = [convert(x) for x in leaves]

    def at(k: Any) -> Any:
        return fn(optree.tree_unflatten(structure, [x[k] for x in items]))

    if current() is None:
        rows = [at(k) for k in range(len(items[0]))]
        return optree.tree_map(lambda *parts: stack(parts), rows[0], *rows[1:])
    count = dim(items[0], 0)
    if isinstance(count, int) and count <= 8:
        rows = [at(k) for k in range(count)]
        return optree.tree_map(lambda *parts: stack(parts), rows[0], *rows[1:])
    wanted = fn_output_signature if fn_output_signature is not None else dtype
    cell = _Cell(TensorArray(items[0].dtype if wanted is None else getattr(wanted, "dtype", wanted), count))

    def body(k: Any) -> None:
        cell.value = cell.value.write(k, at(k))

    for_loop(tf_range(convert(count)), None, body, cell.state("map_fn"))
    return cell.value.stack()


vectorized_map = map_fn


def foldl(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """`fn(fn(initializer, elems[0]), elems[1]) ...`"""
    x: Any = convert(elems)
    value, rest = (x[0], x[1:]) if initializer is None else (convert(initializer), x)
    if isinstance(rest, EagerTensor):
        for row in rest:
            value = fn(value, row)
        return value
    cell = _Cell(value)
    for_loop(rest, None, lambda row: setattr(cell, "value", fn(cell.value, row)), cell.state("foldl"))
    return cell.value


def foldr(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """`foldl` from the last element on."""
    return foldl(fn, reversed_(convert(elems)), initializer)


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """All values on the way of `foldl`, stacked."""
    only("tf.scan", back_prop=(back_prop, True), infer_shape=(infer_shape, True))
    x: Any = convert(elems)
    x = reversed_(x) if reverse else x
    first = [] if initializer is not None else [x[:1]]
    state: Any = x[0] if initializer is None else convert(initializer)
    rows = x if initializer is not None else x[1:]
    both = lambda row, state: (found := fn(state, row), found)
    found, _ = scan_rows(both, rows, state, [dim(state, k) for k in range(state.ndim)], state.dtype)
    found = concat([*first, found], 0)
    return reversed_(found) if reverse else found


def reversed_(x: Any) -> Any:
    return math.reverse(x, [0])


def scan_rows(
    step: Callable[[Any, Any], Any], rows: Any, state: Any, row_shape: Sequence[Any], dtype: Any = None
) -> Any:
    """`output, state = step(row, state)` for each row. Gives the outputs, stacked, and the last state."""
    if isinstance(rows, EagerTensor):
        outputs = []
        for row in rows:
            output, state = step(row, state)
            outputs.append(output)
        return stack(outputs), state
    dtype = rows.dtype if dtype is None else dtype
    array = TensorArray(dtype, dim(rows, 0)).unstack(zeros([dim(rows, 0), *row_shape], dtype))
    cell = _Cell((state, array))
    for_loop_body = lambda k: setattr(cell, "value", _scanned(step, rows, cell.value, k))
    for_loop(tf_range(convert(dim(rows, 0))), None, for_loop_body, cell.state("scan"))
    state, array = cell.value
    return array.stack(), state


def _scanned(step: Callable[[Any, Any], Any], rows: Tensor, value: Any, k: Any) -> Any:
    state, array = value
    output, state = step(rows[k], state)
    return state, array.write(k, output)
