"""`tf.keras.optimizers`: how variables change along gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from runtime.tf import math
from runtime.tf.arguments import only
from runtime.tf.names import by_name, refusing
from runtime.tf.tape import GradientTape
from runtime.tf.tensors import cast, convert
from runtime.tf.traces import init_scope, name_scope
from runtime.tf.variables import Module, Variable, variables_in


class Optimizer(Module):
    """`apply_gradients(zip(gradients, variables))`; a subclass says what becomes of one variable."""

    #: the names of what is kept for each variable, of its shape, zeros at first
    slots: tuple[str, ...] = ()
    #: the first value of what is kept
    first = 0.0
    _given: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        made._given = (args, kwargs)
        return made

    def __init__(
        self,
        learning_rate: Any = 0.001,
        name: str | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        super().__init__(name or type(self).__name__)
        self._rate = (
            learning_rate
            if callable(learning_rate)
            else Variable(np.float32(learning_rate), trainable=False, name="learning_rate")
        )
        self.iterations = Variable(np.int64(0), trainable=False, name="iterations")
        self._slots: dict[str, list[Variable]] = {name: [] for name in self.slots}
        self._variables: list[Variable] = []
        self._clips = (clipnorm, clipvalue, global_clipnorm)

    @property
    def learning_rate(self) -> Any:
        return self._rate(self.iterations) if callable(self._rate) else self._rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if callable(self._rate):
            raise TypeError("the learning rate is a schedule, and cannot be set")
        self._rate.assign(value)

    lr = learning_rate

    def build(self, variables: Iterable[Variable]) -> None:
        """Make what is kept for these variables, unless it is there."""
        known = {id(v) for v in self._variables}
        for variable in variables:
            if id(variable) in known:
                continue
            self._variables.append(variable)
            with init_scope():
                first = np.full(tuple(variable.shape), self.first, variable.dtype._numpy)[()]
            for name, kept in self._slots.items():
                kept.append(Variable(first, trainable=False, name=f"{variable._hint}/{name}"))

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable.")
        self.build([v for _, v in pairs])
        gradients = self._clipped([convert(g) for g, _ in pairs])
        places = {id(v): k for k, v in enumerate(self._variables)}
        with name_scope(name or type(self).__name__):
            step = cast(self.iterations, np.float32) + 1.0
            rate = convert(self.learning_rate)
            for gradient, (_, variable) in zip(gradients, pairs, strict=True):
                kept = {name: several[places[id(variable)]] for name, several in self._slots.items()}
                self.update(
                    gradient, variable, cast(rate, variable.dtype), cast(step, variable.dtype), **kept
                )
            self.iterations.assign_add(np.int64(1))
        return self.iterations

    def get_config(self) -> dict[str, Any]:
        return {"class": type(self).__name__, "args": self._given[0], "kwargs": self._given[1]}

    def state(self) -> dict[str, Variable]:
        """What it keeps, by path."""
        return dict(variables_in({"rate": self._rate, "iterations": self.iterations, "slots": self._slots}))

    def _clipped(self, gradients: list[Any]) -> list[Any]:
        norm, value, whole = self._clips
        if norm is not None:
            gradients = [math.clip_by_norm(g, norm) for g in gradients]
        if value is not None:
            gradients = [math.clip_by_value(g, -value, value) for g in gradients]
        return math.clip_by_global_norm(gradients, whole)[0] if whole is not None else gradients

    def update(self, gradient: Any, variable: Variable, rate: Any, step: Any, **kept: Variable) -> None:
        raise NotImplementedError

    def minimize(self, loss: Callable[[], Any], var_list: Any, tape: Any = None) -> Any:
        """One step for what a function without arguments computes."""
        if tape is None:
            with GradientTape() as tape:
                value = loss()
        else:
            value = loss
        variables = var_list() if callable(var_list) else list(var_list)
        return self.apply_gradients(zip(tape.gradient(value, variables), variables, strict=True))


class SGD(Optimizer):
    def __init__(
        self, learning_rate: Any = 0.01, momentum: float = 0.0, nesterov: bool = False, **kwargs: Any
    ) -> None:
        if momentum:
            self.slots = ("momentum",)
        super().__init__(learning_rate, **kwargs)
        self.momentum, self.nesterov = momentum, nesterov

    def update(self, gradient: Any, variable: Variable, rate: Any, step: Any, **kept: Variable) -> None:
        change = -(gradient * rate)
        if self.momentum:
            velocity = kept["momentum"].assign(kept["momentum"] * self.momentum + change)
            change = velocity * self.momentum + change if self.nesterov else velocity
        variable.assign_add(change)


class Adam(Optimizer):
    slots = ("m", "v")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, **kwargs)
        only("Adam", amsgrad=(amsgrad, False))
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def update(self, gradient: Any, variable: Variable, rate: Any, step: Any, **kept: Variable) -> None:
        m, v = kept["m"], kept["v"]
        scale = rate * math.sqrt(1 - math.pow(self.beta_2, step)) / (1 - math.pow(self.beta_1, step))
        m.assign(m + (gradient - m) * (1 - self.beta_1))
        v.assign(v + (gradient * gradient - v) * (1 - self.beta_2))
        variable.assign_sub(m * scale / (math.sqrt(v) + self.epsilon))


class RMSprop(Optimizer):
    slots = ("v",)

    def __init__(
        self, learning_rate: Any = 0.001, rho: float = 0.9, epsilon: float = 1e-7, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, **kwargs)
        self.rho, self.epsilon = rho, epsilon

    def update(self, gradient: Any, variable: Variable, rate: Any, step: Any, **kept: Variable) -> None:
        v = kept["v"]
        v.assign(v * self.rho + gradient * gradient * (1 - self.rho))
        variable.assign_sub(gradient * rate / math.sqrt(v + self.epsilon))


class Adagrad(Optimizer):
    slots = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, **kwargs)
        self.first, self.epsilon = initial_accumulator_value, epsilon

    def update(self, gradient: Any, variable: Variable, rate: Any, step: Any, **kept: Variable) -> None:
        total = kept["accumulator"]
        total.assign_add(gradient * gradient)
        variable.assign_sub(gradient * rate / math.sqrt(total + self.epsilon))


class schedules:
    """`tf.keras.optimizers.schedules`."""

    class ExponentialDecay:
        def __init__(
            self, initial_learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False
        ) -> None:
            self.initial, self.steps, self.rate, self.staircase = (
                initial_learning_rate,
                decay_steps,
                decay_rate,
                staircase,
            )

        def __call__(self, step: Any) -> Any:
            passed = cast(step, np.float32) / float(self.steps)
            return math.pow(self.rate, math.floor(passed) if self.staircase else passed) * self.initial


_KNOWN = {"sgd": SGD, "adam": Adam, "rmsprop": RMSprop, "adagrad": Adagrad}


def get(identifier: Any) -> Optimizer:
    found = by_name("optimizer", identifier.lower() if isinstance(identifier, str) else identifier, _KNOWN)
    return found() if isinstance(found, type) else found


__getattr__ = refusing(__name__, "tf.keras.optimizers")
