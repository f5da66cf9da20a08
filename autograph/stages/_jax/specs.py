"""What a variable holds where paths meet: its spec, the join of two specs, and the arrays that carry it.

A value is taken apart into arrays, which JAX carries through `cond`, `while_loop` and `scan`, and Python
objects, which must be the same on every path (or become a `Choice`).

>>> join(describe(1), describe(2.5), "x")
Array(shape=(), dtype=dtype('float32'), weak=True)
>>> join(describe((1, None)), describe((1, None)), "x")
Tree(treedef=PyTreeDef((*, *)), children=(Number(value=1), Const(value=None)))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.errors import StagingError, error_at_frame
from autograph.operators import Undefined
from autograph.stages._jax.choices import Choice
from autograph.stages._jax.contents import UNCHANGED, Keys, View
from autograph.stages._jax.tracing import as_weak, canonical, is_array, is_number, weak_type, zeros
from autograph.stages.heap import refers_to


@dataclass(frozen=True, slots=True)
class Array:
    """An array that is carried."""

    shape: tuple[int, ...]
    dtype: Any
    weak: bool

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A Python number that is the same on every path, and stays one."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and same_number(self.value, other.value)

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Const:
    """Any other Python object, the same on every path.

    `opened` describes what it holds, where it is a list or a dict that could become another.
    """

    value: Any
    opened: Callable[[], Spec] | None = field(default=None, repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and same_object(self.value, other.value)

    def __str__(self) -> str:
        return "no value" if isinstance(self.value, Undefined) else repr(self.value)


@dataclass(frozen=True, slots=True)
class Tree:
    """A tuple, list, dict or registered class of such parts."""

    treedef: Any
    children: tuple[Spec, ...]

    def __str__(self) -> str:
        return str(jax.tree_util.tree_unflatten(self.treedef, [_Text(str(c)) for c in self.children]))


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several, known by number at run time."""

    options: tuple[Spec, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.options))


Spec = Array | Number | Const | Tree | OneOf


class _Text(str):
    __repr__ = str.__str__


def same_number(a: Any, b: Any) -> bool:
    """The same number, and not merely an equal one.

    >>> same_number(1, True), same_number(0.0, -0.0), same_number(float("nan"), float("nan"))
    (False, False, True)
    """
    return type(a) is type(b) and repr(a) == repr(b)


def same_object(a: Any, b: Any) -> bool:
    """The same object, or two of a kind that only their contents tell apart."""
    if a is b:
        return True
    if isinstance(a, Undefined) and isinstance(b, Undefined):
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (str, bytes, slice, range, frozenset, Keys)):
        return bool(a == b)
    if hasattr(a, "__self__") and hasattr(a, "__func__"):  # bound methods are made anew at each access
        return a.__self__ is b.__self__ and a.__func__ is b.__func__
    return False


def describe(value: Any, kept: frozenset[int] = frozenset(), view: View = UNCHANGED) -> Spec:
    """The spec of a value. `kept`: identities of objects that stay the objects they are."""
    if isinstance(value, Choice):
        return OneOf(tuple(describe(option, kept, view) for option in value.options))
    if id(value) in kept and type(value) is not tuple and not is_array(value) and not is_number(value):
        return Const(value, lambda: _describe_parts(view(value), kept, view))
    if is_number(value):
        return Number(value)
    if is_array(value):
        return Array(value.shape, canonical(value.dtype), weak_type(value))
    if value is None or isinstance(value, Undefined):
        return Const(value)
    return _describe_parts(value, kept, view)


def _describe_parts(value: Any, kept: frozenset[int], view: View) -> Spec:
    children, treedef = take_open(value)
    if children is None:
        return Const(value)
    return Tree(treedef, tuple(describe(child, kept, view) for child in children))


def take_open(value: Any) -> tuple[list[Any] | None, Any]:
    """The parts of a structure and its kind, or None for what is none."""
    children, treedef = jax.tree_util.tree_flatten(value, is_leaf=lambda part: part is not value)
    if len(children) == 1 and children[0] is value:
        return None, None
    return children, treedef


def is_filler(spec: Spec) -> bool:
    """Is this a variable of the conversion's own, before it is set? Nobody reads it then."""
    return isinstance(spec, Const) and isinstance(spec.value, Undefined) and not spec.value.name


def parts_of(value: Any) -> list[Any] | None:
    """The parts of a structure, or None for what is none."""
    return take_open(value)[0]


def join(a: Spec, b: Spec, name: str) -> Spec:
    """The spec that holds values of either; refused where there is none."""
    if a == b:
        return a
    if isinstance(a, OneOf) or isinstance(b, OneOf):
        return _one_of(a, b, name)
    if is_filler(a) or is_filler(b):
        return b if is_filler(a) else a
    a, b = _opened(a), _opened(b)
    if isinstance(a, Tree) and isinstance(b, Tree):
        if a.treedef != b.treedef:
            raise _no_join(a, b, name, _STRUCTURES)
        return Tree(a.treedef, tuple(join(x, y, name) for x, y in zip(a.children, b.children, strict=True)))
    if isinstance(a, (Array, Number)) and isinstance(b, (Array, Number)):
        return _join_arrays(as_array(a), as_array(b), name)
    if isinstance(a, Const) and isinstance(b, Const) and Keys in (type(a.value), type(b.value)):
        raise _no_join(a, b, name, "give both the same keys")
    if isinstance(a, Const) or isinstance(b, Const):
        return _one_of(a, b, name)
    raise _no_join(a, b, name, "give both the same structure")


_STRUCTURES = (
    "give both the same structure: the same lengths and the same keys; where a list would grow, make an array"
    " of the final length, such as jnp.zeros(n), and assign its items"
)


def _opened(spec: Spec) -> Spec:
    """A container that was kept as the object it is, as what it holds."""
    return spec.opened() if isinstance(spec, Const) and spec.opened is not None else spec


def as_array(spec: Array | Number) -> Array:
    """A number as the array that carries it."""
    if isinstance(spec, Array):
        return spec
    aval = jnp.asarray(spec.value)
    return Array((), aval.dtype, aval.weak_type)


def _join_arrays(a: Array, b: Array, name: str) -> Array:
    if a.shape != b.shape:
        raise _no_join(a, b, name, "give both the same shape, for instance with jnp.broadcast_to")
    if a.dtype == b.dtype:
        return Array(a.shape, a.dtype, a.weak and b.weak)
    try:
        dtype = jnp.result_type(_operand(a), _operand(b))
    except (TypeError, ValueError):
        raise _no_join(a, b, name, "give both the same dtype") from None
    return Array(a.shape, dtype, a.weak and b.weak)


def _operand(spec: Array) -> Any:
    """What stands for this type in promotion: a Python type where it is weak."""
    if spec.weak:
        return next(t for t in (int, float, complex) if np.issubdtype(spec.dtype, _KINDS[t]))
    return spec.dtype


_KINDS = {int: np.integer, float: np.floating, complex: np.complexfloating}


def _one_of(a: Spec, b: Spec, name: str) -> Spec:
    options = list(a.options if isinstance(a, OneOf) else (a,))
    for spec in b.options if isinstance(b, OneOf) else (b,):
        at = _place(spec, options)
        if at is None:
            options.append(spec)
        else:
            options[at] = join(options[at], spec, name)
    return OneOf(tuple(options)) if len(options) > 1 else options[0]


def _place(spec: Spec, options: list[Spec]) -> int | None:
    """Which option has room for `spec`?"""
    for position, option in enumerate(options):
        if option == spec or (not isinstance(option, Const) and not isinstance(spec, Const)):
            return position
    return None


def position_of(spec: Spec, whole: OneOf) -> int:
    """Which option of `whole`, a join of `spec` with others, holds its values?"""
    found = _place(spec, list(whole.options))
    assert found is not None, (spec, whole)
    return found


def _no_join(a: Spec, b: Spec, name: str, hint: str) -> StagingError:
    return error_at_frame(
        StagingError,
        f"`{name}` is {a} on one path and {b} on the other, and JAX needs one type",
        variable=name,
        hint=hint,
    )


def types_of(spec: Spec) -> Iterator[jax.ShapeDtypeStruct]:
    """The types of the arrays that carry a value of this spec."""
    if isinstance(spec, Array):
        yield jax.ShapeDtypeStruct(spec.shape, spec.dtype, weak_type=spec.weak)
    elif isinstance(spec, Tree):
        for child in spec.children:
            yield from types_of(child)
    elif isinstance(spec, OneOf):
        yield jax.ShapeDtypeStruct((), jnp.int32)
        for option in spec.options:
            yield from types_of(option)


def fillers(spec: Spec) -> list[Any]:
    """Arrays for a value that nobody will look at."""
    return [convert(zeros(t.shape, t.dtype), Array(t.shape, t.dtype, t.weak_type)) for t in types_of(spec)]


def adapt(value: Any, spec: Spec, view: View = UNCHANGED) -> list[Any]:
    """The arrays that carry `value` as `spec`, which is its own spec joined with others."""
    if isinstance(value, Undefined) and not value.name:
        return fillers(spec)
    if isinstance(spec, Array):
        return [convert(value, spec)]
    if isinstance(spec, Tree):
        children, _ = take_open(view(value))
        assert children is not None, value
        return [part for c, s in zip(children, spec.children, strict=True) for part in adapt(c, s, view)]
    if isinstance(spec, OneOf):
        return _adapt_choice(value, spec, view)
    return []


def leaves(value: Any, spec: Spec, view: View = UNCHANGED) -> list[Any]:
    """The parts of `value` that `adapt` makes its arrays of; None for what is put in between."""
    if isinstance(spec, Array):
        return [value]
    if isinstance(spec, Tree) and not isinstance(value, Undefined):
        children, _ = take_open(view(value))
        assert children is not None, value
        return [leaf for c, s in zip(children, spec.children, strict=True) for leaf in leaves(c, s, view)]
    if isinstance(spec, OneOf):
        values = value.options if isinstance(value, Choice) else (value,)
        found: list[Any] = [None]
        for position, option in enumerate(spec.options):
            held = [each for each in values if position_in(spec, each) == position]
            found += leaves(held[0], option, view) if len(held) == 1 else [None for _ in types_of(option)]
        return found
    return [None for _ in types_of(spec)]


def _adapt_choice(value: Any, spec: OneOf, view: View) -> list[Any]:
    values = value.options if isinstance(value, Choice) else (value,)
    places = [position_in(spec, each) for each in values]
    which = jnp.asarray(places[0], jnp.int32)
    if isinstance(value, Choice):
        which = jnp.asarray(places, jnp.int32)[value.which]
    arrays = [which]
    for position, option in enumerate(spec.options):
        held = [adapt(each, option, view) for each, at in zip(values, places, strict=True) if at == position]
        if not held:
            arrays += fillers(option)
            continue
        merged = held[0]
        for number, other in enumerate(held[1:], 1):  # two options of the value became one
            index = [k for k, at in enumerate(places) if at == position][number]
            merged = [jnp.where(value.which == index, y, x) for x, y in zip(merged, other, strict=True)]
        arrays += merged
    return arrays


def position_in(spec: OneOf, value: Any) -> int:
    """Which option of `spec` is `value` of?"""
    for k, option in enumerate(spec.options):
        if isinstance(option, Const) and option.value is value:
            return k
    found = _place(describe(value), list(spec.options))
    assert found is not None, (value, spec)
    return found


def rebuild(spec: Spec, arrays: Iterator[Any], name: str) -> Any:
    """The opposite of `adapt`."""
    if isinstance(spec, Array):
        return next(arrays)
    if isinstance(spec, (Number, Const)):
        return spec.value
    if isinstance(spec, Tree):
        children = [rebuild(child, arrays, name) for child in spec.children]
        return jax.tree_util.tree_unflatten(spec.treedef, children)
    which = next(arrays)
    return Choice(which, tuple(rebuild(option, arrays, name) for option in spec.options), name)


def convert(value: Any, spec: Array) -> Any:
    """`value` with the dtype and the weakness of `spec`."""
    array = jnp.asarray(value)
    if array.dtype == spec.dtype and weak_type(array) == spec.weak:
        return array
    if spec.weak:
        return as_weak(array, next(t for t in (int, float, complex) if np.issubdtype(spec.dtype, _KINDS[t])))
    return jax.lax.convert_element_type(array, spec.dtype)


def check_no_tracer_inside(spec: Spec, name: str, old: frozenset[int]) -> None:
    """A Python object made in a block may leave it only if it holds nothing of the block."""
    if isinstance(spec, Const):
        if id(spec.value) not in old and refers_to(spec.value, _is_tracer):
            raise error_at_frame(
                StagingError,
                f"`{name}` is a {type(spec.value).__name__} made under a staged condition, of staged values",
                variable=name,
                hint="make it before, register its class with jax.tree_util, or keep the arrays in variables",
            )
    elif isinstance(spec, (Tree, OneOf)):
        for part in spec.children if isinstance(spec, Tree) else spec.options:
            check_no_tracer_inside(part, name, old)


def _is_tracer(value: Any) -> bool:
    return isinstance(value, (jax.core.Tracer, Choice))
