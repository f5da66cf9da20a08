"""`tf.cond`, `tf.while_loop`, `tf.map_fn` and their like: control flow by functions."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Sequence
from typing import Any

import optree

from autograph.staging import State
from runtime.tf import math
from runtime.tf.arguments import only
from runtime.tf.block_values import NAMESPACE, traced, truth
from runtime.tf.math import concat, stack
from runtime.tf.statements import choice, for_loop
from runtime.tf.statements import while_loop as staged_while
from runtime.tf.tensor_array import TensorArray
from runtime.tf.tensors import EagerTensor, convert, dim
from runtime.tf.traces import current


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """What one of the two functions gives."""
    if not isinstance(pred, bool):
        pred = truth(pred)
    if isinstance(pred, bool | EagerTensor):
        return true_fn() if pred else false_fn()
    return choice(pred, true_fn, false_fn)


def case(pred_fn_pairs: Any, default: Callable[[], Any] | None = None, exclusive: bool = False) -> Any:
    """The function of the first condition that holds."""
    only("tf.case", exclusive=(exclusive, False))
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if default is None:
        (_, default), pairs = pairs[-1], pairs[:-1]
    found: Callable[[], Any] = default
    for pred, fn in reversed(pairs):
        found = functools.partial(cond, pred, fn, found)
    return found()


def switch_case(branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None) -> Any:
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
) -> Any:
    """`loop_vars = body(*loop_vars)` as long as `cond(*loop_vars)`."""
    only("tf.while_loop", back_prop=(back_prop, True))
    given: Any = list(loop_vars)
    values: Any = optree.tree_map(convert, given, namespace=NAMESPACE)
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
            cell, "value", optree.tree_map(convert, _as_list(body(*cell.value)), namespace=NAMESPACE)
        ),
        cell.state("loop_vars"),
    )
    return cell.value if isinstance(loop_vars, list) else tuple(cell.value)


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
    """`fn` of each row, stacked. Both may be structures of tensors."""
    only("tf.map_fn", back_prop=(back_prop, True), infer_shape=(infer_shape, True))
    wanted = dtype if fn_output_signature is None else fn_output_signature
    rows = optree.tree_map(convert, elems)
    items = optree.tree_leaves(rows)
    if current() is not None and isinstance(items[0].shape[0], int) and items[0].shape[0] <= 8:
        made = [fn(optree.tree_map(lambda x: x[k], rows)) for k in builtins.range(items[0].shape[0])]
        return optree.tree_map(lambda *parts: stack(parts), *made)
    wanted = items[0].dtype if wanted is None else wanted
    return scan_rows(lambda row, _: (fn(row), ()), rows, (), wanted)[0]


vectorized_map = map_fn


def foldl(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None) -> Any:
    """`fn(fn(initializer, elems[0]), elems[1]) ...`"""
    rows, state = _begun(elems, initializer)
    return scan_rows(lambda row, state: ((), fn(state, row)), rows, state, ())[1]


def foldr(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None) -> Any:
    """`foldl` from the last element on."""
    return foldl(fn, optree.tree_map(_reversed, elems), initializer)


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
) -> Any:
    """All values on the way of `foldl`, stacked."""
    only("tf.scan", back_prop=(back_prop, True), infer_shape=(infer_shape, True))
    elems = optree.tree_map(_reversed if reverse else convert, elems)
    rows, state = _begun(elems, initializer)
    both = lambda row, state: (found := fn(state, row), found)
    found, _ = scan_rows(both, rows, state, optree.tree_map(lambda x: x.dtype, state))
    if initializer is None:
        found = optree.tree_map(lambda x, y: concat([x[:1], y], 0), elems, found)
    return optree.tree_map(_reversed, found) if reverse else found


def _begun(elems: Any, initializer: Any) -> tuple[Any, Any]:
    """The rows to go over, and the first state: by default the first row."""
    rows = optree.tree_map(convert, elems)
    if initializer is not None:
        return rows, optree.tree_map(convert, initializer)
    return optree.tree_map(lambda x: x[1:], rows), optree.tree_map(lambda x: x[0], rows)


def _reversed(x: Any) -> Any:
    return math.reverse(x, [0])


def scan_rows(step: Callable[[Any, Any], Any], rows: Any, state: Any, dtypes: Any) -> tuple[Any, Any]:
    """`output, state = step(row, state)` for each row of a structure of tensors. Gives the outputs, stacked,
    which have these dtypes, and the last state."""
    count = dim(optree.tree_leaves(rows)[0], 0)
    arrays = optree.tree_map(lambda each: TensorArray(getattr(each, "dtype", each), count), dtypes)
    row = lambda k: optree.tree_map(lambda x: x[k], rows)
    if current() is None:
        outputs = []
        for k in builtins.range(count):
            output, state = step(row(k), state)
            outputs.append(output)
        stacked = lambda array, *parts: stack(parts) if parts else array.stack()
        return optree.tree_map(stacked, arrays, *outputs), state
    cell = _Cell((state, arrays))

    def body(k: Any) -> None:
        state, arrays = cell.value
        output, state = step(row(k), state)
        cell.value = state, optree.tree_map(lambda array, x: array.write(k, x), arrays, output)

    for_loop(math.range(convert(count)), None, body, cell.state("the rows"))
    state, arrays = cell.value
    return optree.tree_map(lambda array: array.stack(), arrays), state
