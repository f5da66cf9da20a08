"""A function for JAX: `to_jax` makes one that JAX traces, `vmap` one that runs over many arguments at once.

>>> import jax
>>> def steps(n):
...     count = 0
...     while n > 1:
...         n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
...     return count
>>> vmap(steps)(np.array([6, 7, 27]))
array([  8,  16, 111])
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.errors import AutographError
from autograph.optional_packages import needing

with needing("jax", "rt.to_jax"):
    import jax
    import jax.numpy as jnp

from runtime.arguments import wrong_argument
from runtime.engines.jax_engine.graphs import JaxGraph, refusal
from runtime.engines.jax_engine.lists import Cell, listed
from runtime.engines.jax_engine.operations import is_known
from runtime.functions.concrete import unboxed
from runtime.functions.decorator import function as decorated
from runtime.functions.functions import Function
from runtime.functions.plans import Built
from runtime.functions.signature import key_of
from runtime.functions.tensor_specs import on_device
from runtime.graph.versions import NoForm
from runtime.guards.paths import Argument, Attribute, Item
from runtime.state.pytrees import register_all
from runtime.state.variables import Module, Variable
from runtime.types import FLOAT, INT, PYTHON_TYPES, ArrayType

ERRORS = ("raise", "ignore")


def to_jax(f: Callable[..., Any], /, *, errors: str = "raise") -> Callable[..., Any]:
    """A function that means what ``f`` means, for JAX to trace: in ``jit``, ``vmap``, ``grad``, ``jvp``,
    ``scan``, ``shard_map``, with shardings.

    f: ordinary Python over NumPy, decorated or not. Arguments are arrays of JAX's or NumPy's, numbers, and
        lists, tuples, dicts, dataclasses, `rt.Module`s and other pytrees of these. Arrays of no dimensions
        are scalars, as in NumPy. A variable that is assigned is one of an argument, which is returned.
    errors: with ``"raise"`` the call raises RuntimeError where ``f`` would raise, or an int leaves its bits.
        With ``"ignore"`` nothing is tested, and JAX's own meaning holds: indices are clamped, ints wrap.

    Raises StagingError, at the user's line, for what XLA has not: lists of unknown length, texts, effects.
    Loops that end early over a range of known length are differentiable in reverse; `while` is forward only.
    """
    if errors not in ERRORS:
        raise wrong_argument(f"errors is {errors!r}", "errors is 'raise' or 'ignore'", "errors")
    register_all(Module, Variable)
    target = f if isinstance(f, Function) else decorated(engine="jax")(f)

    @functools.wraps(getattr(f, "python_function", f))
    def on_jax(*args: Any, **kwargs: Any) -> Any:
        found, failed = _call(target, args, kwargs, errors == "raise")
        if failed is not False:
            _raise_where(failed, target.name)
        return found

    return on_jax


def vmap(f: Callable[..., Any], /, in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """``f`` of every item along an axis of its arguments, at once, on JAX.

    ``in_axes`` and ``out_axes`` are as for ``jax.vmap``. Where no array of JAX's comes in, NumPy's come out.
    Raises what ``f`` raises of the first item for which it does; its note says which item that is.
    """
    register_all(Module, Variable)
    target = f if isinstance(f, Function) else decorated(engine="jax")(f)

    def flagged(*args: Any) -> Any:
        found, failed = _call(target, args, {}, True)
        return found, jnp.asarray(failed)

    mapped = jax.jit(jax.vmap(flagged, in_axes, (out_axes, 0)))

    @functools.wraps(getattr(f, "python_function", f))
    def over_all(*args: Any) -> Any:
        leaves = jax.tree.leaves(args)
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return jax.vmap(to_jax(f), in_axes, out_axes)(*args)
        on_device = any(isinstance(leaf, jax.Array) for leaf in leaves)
        with jax.enable_x64(jax.config.jax_enable_x64 or not on_device):  # type: ignore[attr-defined]
            found, failed = mapped(*args)
            if np.any(failed):
                spread = jax.vmap(lambda *items: items, in_axes)(*args)
        if np.any(failed):
            _raise_as_item(target, spread, int(np.argmax(failed)))
        return found if on_device else jax.tree.map(np.asarray, found)

    return over_all


def _raise_as_item(target: Function, spread: Any, k: int) -> None:
    """What a function raises of one of many items."""
    item = jax.tree.map(lambda leaf: np.asarray(leaf)[k], spread)
    try:
        decorated(engine="numpy")(target.python_function)(*item)
    except Exception as error:
        error.add_note(f"of item {k}")
        raise


class _StandIns:
    """Arguments as the trace may see them: of an object that holds arrays of JAX's, a copy with zeros."""

    def __init__(self) -> None:
        self.real: dict[int, Any] = {}
        self.made: list[Any] = []  # so that each has an id of its own

    def of(self, value: Any, inside: bool = False) -> Any:
        if isinstance(value, jax.Array):
            return np.zeros(value.shape, value.dtype) if inside else on_device(value)
        if isinstance(value, np.ndarray | np.generic):
            return value
        if type(value) is dict:  # in its own order
            items = {key: self.of(item, inside) for key, item in value.items()}
            return items if any(items[key] is not value[key] for key in items) else value
        parts: list[Any]
        tree: Any
        parts, tree = jax.tree.flatten(value, is_leaf=lambda x: x is not value)
        if tree == _LEAF:
            if not dataclasses.is_dataclass(value) or isinstance(value, type):
                return value
            parts = [getattr(value, field.name) for field in dataclasses.fields(value)]
        is_object = not isinstance(value, list | tuple | dict)
        found = [self.of(part, inside or is_object) for part in parts]
        if all(a is b for a, b in zip(found, parts, strict=True)):
            return value
        if tree == _LEAF:
            made = copy.copy(value)
            for field, part in zip(dataclasses.fields(value), found, strict=True):
                object.__setattr__(made, field.name, part)
        else:
            made = tree.unflatten(found)
        if is_object and not inside:
            self.made.append(made)
            self.real[id(made)] = value
        return made


_LEAF: Any = jax.tree.structure(0)


def _call(target: Function, args: tuple[Any, ...], kwargs: dict[str, Any], checked: bool) -> tuple[Any, Any]:
    """The result, and whether the call fails; False where it cannot."""
    stand_ins = _StandIns()
    given, named = stand_ins.of(args), stand_ins.of(kwargs)
    concrete = target.get_concrete_function(*given, **named)
    leaves: list[Any] = []
    bound, more = target._bound(given, named)
    key_of((bound, more), leaves)
    values = [unboxed(stand_ins.real.get(id(leaf), leaf)) for leaf in leaves]
    inputs = [values[k] for k in concrete.positions] + list(concrete.fetch(values))
    graph = concrete.for_jax
    made = JaxGraph(graph)
    if not checked:
        made.fails = lambda condition: None  # type: ignore[method-assign]
    try:
        made.run(inputs)
        _store(made, concrete, values)
        results = [_result(made, value) for value in graph.results]
        found = concrete.plan(Built(results, _one_number), values)
    except NoForm as error:
        raise refusal(target.name, error) from None
    return found, made.failed


def _store(made: JaxGraph, concrete: Any, values: list[Any]) -> None:
    """What an object of the arguments holds is what was written: a variable that was assigned, say."""
    for param, path in zip(made.graph.params[len(concrete.positions) :], concrete.paths, strict=True):
        if not isinstance(param.type, ArrayType) or not made.writes.is_written(param):
            continue
        root = path
        while isinstance(root, Attribute | Item):
            root = root.base
        if not isinstance(path, Attribute) or not isinstance(root, Argument):
            raise NoForm(f"`{path}` is written, which is no argument", "pass the object, and return it")
        setattr(path.base.fetch(values), path.name, made.names[param])


def _one_number(tag: Any, options: list[Any]) -> Any:
    """One of several numbers, in the dtype that holds them all: JAX has one type for a result."""
    if is_known(tag):
        return options[int(tag)]
    if not all(is_known(x) or isinstance(x, jax.Array) for x in options):
        raise NoForm("a result is of one type or another", "return one type, or an array of both")
    if len({np.shape(x) for x in options}) > 1:
        raise NoForm("a result has one shape or another", "return arrays of one shape")
    return jnp.select([tag == k for k in range(len(options))], jnp.broadcast_arrays(*options))


def _result(made: JaxGraph, value: Any) -> Any:
    if is_known(made.names.get(value)):
        return made.names[value]
    found = made.result(value)
    if isinstance(found, Cell):
        return listed(found, made.names[found], lambda x, kind: x)
    return found.astype(PYTHON_TYPES[value.type.kind]) if value.type in (INT, FLOAT) else found


def _raise_where(failed: Any, name: str) -> None:
    message = (
        f"{name}() raises for these arguments, or an int leaves its bits: call it without JAX to see where"
    )
    if not isinstance(failed, jax.core.Tracer):
        if failed:
            raise AutographError(message)
        return

    def look(failed: Any) -> None:
        if np.any(failed):
            raise RuntimeError(message)

    @jax.custom_batching.custom_vmap
    def report(failed: Any) -> Any:
        jax.lax.cond(failed, functools.partial(jax.debug.callback, look), lambda failed: None, failed)
        return failed

    @report.def_vmap
    def report_of_any(size: int, batched: Any, failed: Any) -> Any:  # once, not once for each item
        return report(jnp.any(failed)), False

    report(failed)


__all__ = ["to_jax", "vmap"]
