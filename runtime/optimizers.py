"""``rt.optimizers``: how parameters change along gradients. Ordinary NumPy, usable in decorated functions.

Parameters are a structure of arrays and numbers (lists, tuples, dicts, named tuples, dataclasses), with
gradients of the same structure; or variables, which `attach` changes in place.

>>> import runtime as rt
>>> descent = SGD(0.1, momentum=0.9)
>>> params = {"w": np.array([1.0, 2.0]), "b": 3.0}
>>> state = descent.init(params)
>>> params, state = descent.step(params, {"w": np.array([1.0, 0.0]), "b": 2.0}, state)
>>> params
{'w': array([0.9, 2. ]), 'b': 2.8}
>>> weight = rt.Variable([1.0])
>>> training = SGD(0.1).attach([weight])
>>> training.step([np.array([5.0])])
>>> weight.numpy()
array([0.5])
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.config import include
from runtime.arguments import wrong_argument
from runtime.state.variables import Module, Variable

include(__name__)

#: the rate of each step, from 0 on
Schedule = Callable[[Any], Any]
State = dict[str, Any]


class Optimizer:
    """What all have: a rate, a number or a schedule, and names of what is kept for each parameter."""

    #: of what `step` keeps for each parameter, zeros at first
    kept: tuple[str, ...] = ()

    def __init__(self, rate: float | Schedule) -> None:
        if not callable(rate) and not rate >= 0:
            raise wrong_argument(
                f"rt.optimizers: the rate is {rate!r}", "give a number, 0 or more, or a schedule", "rate"
            )
        self.rate = rate

    def init(self, params: Any) -> State:
        """The state before the first step."""
        return {"steps": 0, **{name: _map(_zero, params) for name in self.kept}}

    def step(self, params: Any, gradients: Any, state: State) -> tuple[Any, State]:
        """The parameters after one step, and the state."""
        rate = self.rate(state["steps"]) if callable(self.rate) else self.rate
        changed, kept = self.changed(params, gradients, state, float(rate), state["steps"] + 1)
        return _map(_as_before, params, changed), {"steps": state["steps"] + 1, **kept}

    def changed(
        self, params: Any, gradients: Any, state: State, rate: float, number: Any
    ) -> tuple[Any, State]:
        """The parameters after the step of that number, from 1 on, and what is kept."""
        raise NotImplementedError

    def attach(self, variables: Module | Sequence[Variable]) -> Attached:
        """For these variables, or the trainable ones of a module, which steps change in place."""
        return Attached(self, variables)


class SGD(Optimizer):
    """``p - rate * g``; with momentum, g is added to what is left of the steps before."""

    def __init__(self, rate: float | Schedule, momentum: float = 0.0, nesterov: bool = False) -> None:
        super().__init__(rate)
        self.momentum, self.nesterov = momentum, nesterov
        self.kept = ("velocity",) if momentum else ()

    def changed(
        self, params: Any, gradients: Any, state: State, rate: float, number: Any
    ) -> tuple[Any, State]:
        if not self.momentum:
            return _map(lambda p, g: p - rate * g, params, gradients), {}
        velocity = _map(lambda v, g: self.momentum * v + g, state["velocity"], gradients)
        ahead = velocity
        if self.nesterov:
            ahead = _map(lambda v, g: self.momentum * v + g, velocity, gradients)
        return _map(lambda p, v: p - rate * v, params, ahead), {"velocity": velocity}


class RMSprop(Optimizer):
    """Gradients divided by the root of a mean of their squares."""

    kept = ("squares",)

    def __init__(self, rate: float | Schedule = 0.01, decay: float = 0.99, epsilon: float = 1e-8) -> None:
        super().__init__(rate)
        self.decay, self.epsilon = decay, epsilon

    def changed(
        self, params: Any, gradients: Any, state: State, rate: float, number: Any
    ) -> tuple[Any, State]:
        squares = _map(lambda s, g: self.decay * s + (1 - self.decay) * g * g, state["squares"], gradients)
        scaled = lambda p, g, s: p - rate * g / (np.sqrt(s) + self.epsilon)
        return _map(scaled, params, gradients, squares), {"squares": squares}


class AdamW(Optimizer):
    """A mean of gradients divided by the root of a mean of their squares; parameters shrink by themselves."""

    kept = ("mean", "squares")

    def __init__(
        self,
        rate: float | Schedule = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(rate)
        self.beta1, self.beta2, self.epsilon, self.weight_decay = beta1, beta2, epsilon, weight_decay

    def changed(
        self, params: Any, gradients: Any, state: State, rate: float, number: Any
    ) -> tuple[Any, State]:
        mean = _map(lambda m, g: self.beta1 * m + (1 - self.beta1) * g, state["mean"], gradients)
        squares = _map(lambda s, g: self.beta2 * s + (1 - self.beta2) * g * g, state["squares"], gradients)
        # numbers of Python, which leave float32 as it is
        whole, root = float(1 - self.beta1**number), math.sqrt(1 - self.beta2**number)
        shrunk = 1 - rate * self.weight_decay

        def moved(p: Any, m: Any, s: Any) -> Any:
            return p * shrunk - (rate / whole) * m / (np.sqrt(s) / root + self.epsilon)

        return _map(moved, params, mean, squares), {"mean": mean, "squares": squares}


class Adam(AdamW):
    """`AdamW` without a decay of weights."""

    def __init__(
        self, rate: float | Schedule = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8
    ) -> None:
        super().__init__(rate, beta1, beta2, epsilon, weight_decay=0.0)


class Attached(Module):
    """An optimizer with the variables that it changes, and what it keeps, in variables that can be saved."""

    def __init__(self, optimizer: Optimizer, variables: Module | Sequence[Variable]) -> None:
        self.optimizer = optimizer
        pairs = variables.named_variables().items() if isinstance(variables, Module) else enumerate(variables)
        named: dict[Any, Variable] = dict(pairs)
        self.names = [name for name, one in named.items() if one.trainable]
        self.changes = [named[name] for name in self.names]
        state = optimizer.init([one.numpy() for one in self.changes])
        self.state = _map(lambda x: Variable(x, trainable=False), state)

    def step(self, gradients: Any) -> None:
        """One step along the gradients: a list of them, or a dict by name, as of a module."""
        if isinstance(gradients, dict):
            gradients = [gradients[name] for name in self.names]
        state = _map(lambda one: one.numpy(), self.state)
        params, state = self.optimizer.step([one.numpy() for one in self.changes], list(gradients), state)
        for variable, value in zip(self.changes, params, strict=True):
            variable.assign(value)
        _map(lambda one, value: one.assign(value), self.state, state)


# -- rates ---------------------------------------------------------------------------------------------


def exponential_decay(rate: float, steps: int, factor: float) -> Schedule:
    """Times ``factor`` in every ``steps`` steps, bit by bit."""
    return lambda step: rate * factor ** (step / steps)


def cosine_decay(rate: float, steps: int, end: float = 0.0) -> Schedule:
    """From ``rate`` to ``end`` in so many steps, along half of a cosine; then ``end``."""
    return lambda step: end + (rate - end) * 0.5 * (1 + np.cos(np.pi * np.minimum(step, steps) / steps))


def linear(start: float, end: float, steps: int) -> Schedule:
    """From ``start`` to ``end`` in so many steps, on a line; then ``end``."""
    return lambda step: start + (end - start) * np.minimum(step, steps) / steps


def piecewise_constant(rates: Sequence[float], ends: Sequence[int]) -> Schedule:
    """The first rate before the step ``ends[0]``, the next one before ``ends[1]``, ..., then the last."""
    if len(rates) != len(ends) + 1:
        raise wrong_argument(
            f"piecewise_constant: {len(rates)} rates and {len(ends)} ends",
            "give one rate more than ends",
            "rates",
        )

    def rate(step: Any) -> Any:
        found = rates[0]
        for end, after in zip(ends, rates[1:], strict=True):
            if step >= end:
                found = after
        return found

    return rate


def warmup(steps: int, then: Schedule) -> Schedule:
    """From 0 to the first rate of ``then`` in so many steps; from there on, ``then``."""
    return lambda step: then(0) * step / steps if step < steps else then(step - steps)


# -- gradients -----------------------------------------------------------------------------------------


def clipped(gradients: Any, norm: float) -> Any:
    """The gradients, scaled down where the root of the sum of all their squares is larger than ``norm``."""
    total = 0.0
    for leaf in _leaves(gradients):
        total = total + np.sum(leaf * leaf)
    scale = float(norm / np.maximum(np.sqrt(total), norm))
    return _map(lambda g: g * scale, gradients)


def _zero(leaf: Any) -> Any:
    return 0.0 if type(leaf) is float else np.zeros_like(leaf)[()]


def _as_before(before: Any, leaf: Any) -> Any:
    """A float stays one, where NumPy gives its own."""
    return float(leaf) if type(before) is float else leaf


def _map(f: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The structure of ``tree`` with ``f`` of each leaf, and of those of the others at its place."""
    if isinstance(tree, dict):
        return {name: _map(f, each, *[other[name] for other in others]) for name, each in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[_map(f, *each) for each in zip(tree, *others, strict=True)])
    if isinstance(tree, list | tuple):
        return type(tree)([_map(f, *each) for each in zip(tree, *others, strict=True)])
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [field.name for field in dataclasses.fields(tree)]
        return dataclasses.replace(
            tree, **{name: _map(f, *[getattr(each, name) for each in (tree, *others)]) for name in names}
        )
    return f(tree, *others)


def _leaves(tree: Any) -> list[Any]:
    found: list[Any] = []
    _map(found.append, tree)
    return found
