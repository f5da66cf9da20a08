"""Variables and modules as pytrees of JAX's: their arrays are leaves, all else belongs to the structure.

JAX has to know a class before it meets an object of it: a module tells it of its subclasses when they are
made, where JAX is there by then, and `register_all` of all others. Nothing here imports JAX.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from runtime.staged.operands import ArrayHolder

_registered: set[type] = set()


def register(cls: type) -> None:
    """JAX learns of a class of variables or modules, if it is there."""
    jax = sys.modules.get("jax")
    if jax is None or not hasattr(jax, "tree_util") or cls in _registered:
        return
    _registered.add(cls)
    is_variable = issubclass(cls, ArrayHolder)
    flatten, unflatten = (_flat_variable, _variable) if is_variable else (_flat_module, _module)
    jax.tree_util.register_pytree_node(cls, flatten, unflatten)


def register_all(*roots: type) -> None:
    """The classes that there are, and their subclasses."""
    classes = list(roots)
    while classes:
        cls = classes.pop()
        classes += cls.__subclasses__()
        register(cls)


def _flat_variable(variable: Any) -> tuple[Any, Any]:
    return (variable._storage,), (type(variable), variable.name, variable.trainable)


def _variable(aux: Any, children: Any) -> Any:
    cls, name, trainable = aux
    made = cls.__new__(cls)
    (made._storage,), made._name, made._trainable = children, name, trainable
    return made


class _Rest:
    """What a module holds beside arrays."""

    def __init__(self, cls: type, names: tuple[str, ...], held: dict[str, Any]) -> None:
        self.cls, self.names, self.held = cls, names, held

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Rest):
            return NotImplemented
        return (self.cls, self.names, self.held) == (other.cls, other.names, other.held)

    def __hash__(self) -> int:
        return hash((self.cls, self.names))


def _flat_module(module: Any) -> tuple[Any, Any]:
    leaves = {key: _leaves(x) for key, x in vars(module).items()}
    variables = [id(x) for found in leaves.values() for x in found if isinstance(x, ArrayHolder)]
    if len(set(variables)) < len(variables):
        raise TypeError(
            f"a variable is found twice in a {type(module).__name__}: a pytree has each of its arrays once"
        )
    kinds = (ArrayHolder, np.ndarray, sys.modules["jax"].Array)
    arrays = {
        key: vars(module)[key] for key, found in leaves.items() if any(isinstance(x, kinds) for x in found)
    }
    held = {key: x for key, x in vars(module).items() if key not in arrays}
    return tuple(arrays.values()), _Rest(type(module), tuple(arrays), held)


def _leaves(value: Any) -> list[Any]:
    return sys.modules["jax"].tree.leaves(value, is_leaf=lambda x: isinstance(x, ArrayHolder))


def _module(aux: _Rest, children: Any) -> Any:
    made: Any = object.__new__(aux.cls)
    vars(made).update({**aux.held, **dict(zip(aux.names, children, strict=True))})
    return made
