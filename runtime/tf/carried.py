"""What a loop over tensors carries from one iteration to the next: the tensors in its variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import optree

from autograph.staging import State
from runtime.graph import Block, Value
from runtime.tf.block_values import (
    flatten,
    is_tensor_like,
    is_undefined,
    like_of,
)
from runtime.tf.dtypes import TensorShape
from runtime.tf.tensors import SymbolicTensor, convert, value_in
from runtime.tf.traces import Trace
from runtime.types import ArrayType, Type, is_subtype


class Carried:
    """What a loop carries: for each variable of the statement, the tensors in its value."""

    def __init__(self, trace: Trace, state: State, kind: str) -> None:
        self.trace, self.state, self.kind = trace, state, kind
        options, trace.loop_options = trace.loop_options, {}
        self.options = options
        #: what the body said itself, by tf.autograph.experimental.set_loop_options
        self.given: dict[str, Any] | None = None
        self.invariants = {id(x): s for x, s in options.get("shape_invariants") or ()}
        self.maximum = options.get("maximum_iterations")
        self.initial = state.get()
        self.parts = [self._part(*each) for each in zip(state.names, self.initial, strict=True)]

    def _part(self, name: str, value: Any) -> tuple[list[Any], Any]:
        """The leaves of a value: for each that is carried its initial value and type, else itself."""
        if is_undefined(value) or value is None:
            return [value], None
        leaves, tree = flatten(value)
        return [self._leaf(name, x) for x in leaves], tree

    def _leaf(self, name: str, value: Any) -> Any:
        if not is_tensor_like(value):
            return value
        tensor = convert(value)
        initial = value_in(self.trace, tensor)
        found = initial.type
        shape = self.invariants.get(id(value))
        if shape is not None and isinstance(found, ArrayType):
            lengths = [None] * tensor.ndim if TensorShape(shape).rank is None else shape
            found = ArrayType(found.dtype, tuple(lengths))
        return Slot(initial, found, name=name)

    def slots(self) -> list[Slot]:
        return [leaf for leaves, _ in self.parts for leaf in leaves if isinstance(leaf, Slot)]

    def enter(self, block: Block) -> list[Value]:
        """Set the variables to parameters of a block; gives these."""
        params: list[Value] = []

        def entered(leaf: Any) -> Any:
            if not isinstance(leaf, Slot):
                return leaf
            params.append(Value(leaf.type, leaf.name))
            self.trace.home[params[-1]] = block
            leaf.entered = SymbolicTensor(params[-1], self.trace)
            return leaf.entered

        self.entered = self.rebuilt(entered)
        self.state.set(self.entered)
        return params

    def rebuilt(self, made: Callable[[Any], Any]) -> tuple[Any, ...]:
        found = []
        for leaves, tree in self.parts:
            values = [made(leaf) for leaf in leaves]
            found.append(values[0] if tree is None else optree.tree_unflatten(tree, values))
        return tuple(found)

    def leave(self, outside: Callable[[Type], Value], body: Block) -> list[Value]:
        """The next state, as the body leaves the variables. Slots appear for those that the body makes:
        these have a parameter that is never read."""
        results: list[Value] = []
        self.left = self.state.get()
        for k, (name, value) in enumerate(zip(self.state.names, self.left, strict=True)):
            leaves, tree = self.parts[k]
            if tree is None and (is_undefined(leaves[0]) or leaves[0] is None):
                results += self._appeared(k, name, leaves[0], value, outside)
                continue
            found, found_tree = flatten(value)
            if found_tree != tree and self._gains(k, name, value, outside):
                leaves, tree = self.parts[k]
            if found_tree != tree:
                raise TypeError(
                    f"'{name}' does not have the same nested structure after one iteration:"
                    f" {self.initial[k]!r} and {value!r}"
                )
            for leaf, new in zip(leaves, found, strict=True):
                results += self._next(name, leaf, new)
        return results

    def _appeared(
        self, k: int, name: str, old: Any, value: Any, outside: Callable[[Type], Value]
    ) -> list[Value]:
        if value is old or is_undefined(value) or value is None:
            return []
        leaves, tree = flatten(value)
        if not all(map(is_tensor_like, leaves)):
            what = "may not be None" if old is None else "must be defined"
            raise ValueError(f"'{name}' {what} before the loop")
        made = [value_in(self.trace, convert(x)) for x in leaves]
        self.parts[k] = ([Slot(outside(v.type), v.type, name) for v in made], tree)
        return made

    def _gains(self, k: int, name: str, value: Any, outside: Callable[[Type], Value]) -> bool:
        """Does the body put tensors under new keys of a dict? They are carried, too, from now on."""
        initial, (leaves, tree) = self.initial[k], self.parts[k]
        if type(initial) is not dict or type(value) is not dict:
            return False
        new = {key: value[key] for key in value if key not in initial}
        if not all(map(is_tensor_like, new.values())):
            return False
        made = {key: value_in(self.trace, convert(x)).type for key, x in new.items()}
        slots = {key: Slot(outside(type), type, f"{name}[{key!r}]") for key, type in made.items()}
        self.parts[k] = flatten({**optree.tree_unflatten(tree, leaves), **slots})
        return True

    def _next(self, name: str, leaf: Any, new: Any) -> list[Value]:
        if not isinstance(leaf, Slot):
            if leaf is not new and leaf != new:
                raise TypeError(
                    f"'{name}' changes from {leaf!r} to {new!r} in the loop: only tensors, numbers and"
                    " arrays can change"
                )
            return []
        if not is_tensor_like(new):
            raise TypeError(f"'{name}' is {new!r} after one iteration: it has to stay a tensor")
        like = SymbolicTensor(leaf.initial, self.trace)
        value = value_in(self.trace, convert(new, like=like_of(new, like)))
        if value.dtype != leaf.type.dtype:
            raise TypeError(
                f"'{name}' has dtype {leaf.type.dtype.name} before the loop, but dtype"
                f" {value.dtype.name}"
                f" after one iteration of the {self.kind} loop"
            )
        if not is_subtype(value.type, leaf.type):
            old, found = like.shape, SymbolicTensor(value, self.trace).shape
            raise ValueError(
                f"'{name}' has shape {old} before the loop, but shape {found} after one iteration of the"
                f" {self.kind} loop. Use tf.autograph.experimental.set_loop_options to set shape invariants."
            )
        return [value]

    def give(self, options: dict[str, Any]) -> None:
        """Options that the body says of itself, in terms of the tensors that it sees."""
        if self.given is not None or self.options:
            return
        seen = {
            id(slot.entered): leaf for slot, leaf in zip(self.slots(), self._initial_leaves(), strict=True)
        }
        pairs = [(seen.get(id(x), x), shape) for x, shape in options.get("shape_invariants") or ()]
        self.given = {**options, "shape_invariants": pairs}
        raise OptionsGiven(self)

    def end(self, made: Callable[[Any], Any]) -> None:
        """Set the variables to what the loop gives. Dicts and lists that the body changed, and did not
        replace, are those from before the loop: other variables may hold them, too."""
        values = zip(self.initial, self.entered, self.left, self.rebuilt(made), strict=True)
        self.state.set(tuple([_changed_in_place(*each) for each in values]))

    def _initial_leaves(self) -> list[Any]:
        leaves = [x for value in self.initial if value is not None for x in flatten(value)[0]]
        return [x for x in leaves if is_tensor_like(x)]


def _changed_in_place(initial: Any, entered: Any, left: Any, value: Any) -> Any:
    """`value`, in the dict or list `initial` where the body has left the one that it was given for that."""
    if left is not entered or type(initial) not in (dict, list):
        return value
    keys = list(value) if isinstance(value, dict) else range(len(value))
    items = {key: value[key] for key in keys}
    if len(initial) == len(value):
        items = {k: _changed_in_place(initial[k], entered[k], left[k], v) for k, v in items.items()}
    initial.clear()
    if isinstance(initial, dict):
        initial.update(items)
    else:
        initial.extend(items.values())
    return initial


class OptionsGiven(Exception):
    """The body of a loop has said what the loop may change: it is traced again."""

    def __init__(self, loop: Carried) -> None:
        super().__init__()
        self.loop = loop


class Slot:
    """A tensor that a loop carries. made: the variable, where it is the body that makes it."""

    entered: Any = None

    def __init__(self, initial: Value, type: Any, made: str | None = None, name: str = "") -> None:
        self.initial, self.type, self.made, self.name = initial, type, made, name

    @property
    def fresh(self) -> bool:
        return self.made is not None
