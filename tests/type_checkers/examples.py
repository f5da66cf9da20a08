"""What users write, as type checkers see it. A line that ends in `# error` is one that both report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import autograph
import runtime as rt

Numbers = npt.NDArray[np.float64]


@rt.function
def scaled(x: Numbers, by: float = 2.0, *, shift: int = 0) -> Numbers:
    return x * by + shift


@rt.function(engine="numpy", reduce_retracing=True)
def largest(x: Numbers, start: float) -> float:
    for v in x:
        start = max(start, float(v))
    return start


@autograph.convert
def sign(x: float) -> int:
    return -1 if x < 0 else 1


class Model:
    weight = 2.0

    @rt.function
    def predict(self, x: Numbers) -> Numbers:
        return x * self.weight

    @rt.function(check="first")
    def loss(self, x: Numbers, y: float) -> float:
        return float(np.sum(self.predict(x)) - y)

    @rt.function
    @staticmethod
    def half(x: float) -> float:
        return x / 2

    @staticmethod
    @rt.function
    def third(x: float) -> float:
        return x / 3

    @rt.function
    @classmethod
    def named(cls, x: int) -> int:
        return x + len(cls.__name__)

    @property
    @rt.function
    def double(self) -> float:
        return self.weight * 2

    @autograph.convert
    def converted(self, x: int) -> str:
        return "many" if x > 1 else "few"

    @autograph.convert
    @staticmethod
    def kept(x: int) -> int:
        return x


class Adder:
    def __init__(self, n: int) -> None:
        self.n = n

    def __call__(self, x: int) -> int:
        return x + self.n


def right(x: Numbers) -> None:
    assert_type(scaled(x), Numbers)
    assert_type(scaled(x, by=3.0, shift=1), Numbers)
    assert_type(scaled.trace_count, int)
    assert_type(largest(x, 1.0), float)
    assert_type(sign(2.0), int)
    model = Model()
    assert_type(model.predict(x), Numbers)
    assert_type(model.loss(x, y=1.0), float)
    assert_type(model.half(3.0) + Model.half(3.0), float)
    assert_type(model.third(3.0) + Model.third(3.0), float)
    assert_type(model.named(1) + Model.named(1), int)
    assert_type(model.double, float)
    assert_type(model.converted(1), str)
    assert_type(Model.kept(1), int)
    assert_type(Model.predict(model, x), Numbers)
    add = rt.function(Adder(3))
    assert_type(add(4), int)
    assert_type(autograph.convert(Adder(3))(4), int)
    assert_type(rt.function(lambda: 1)(), int)
    assert_type(rt.function(scaled)(x), Numbers)
    keep: Callable[[float], int] = rt.function(sign)
    assert_type(keep(1.0), int)
    assert_type(scaled.get_concrete_function(x), rt.ConcreteFunction)
    compiled: rt.Function[[int], int] = add
    assert_type(compiled(1), int)
    rt.run_functions_eagerly(False)


@rt.function(
    engine="auto", input_signature=[rt.TensorSpec([None], "float64")], reduce_retracing=False, check="always",
    fallback="python", max_traces=None, name="all", slow_notice=False, cache=True,
)  # fmt: skip
def with_options(x: Numbers) -> Numbers:
    return x


@dataclass
class Weights:
    w: Numbers
    b: float


class Net(rt.Module):
    def __init__(self) -> None:
        self.w = rt.Variable(np.ones(3))

    @rt.function
    def __call__(self, x: Numbers) -> float:
        return float(np.sum(self.w.numpy() * x))

    @property
    @rt.function
    def size(self) -> int:
        return 3


def loss(p: Weights, x: Numbers) -> float:
    return float(np.sum(p.w * x) * p.b)


def with_more(x: Numbers, n: int) -> tuple[float, str]:
    return float(np.sum(x) * n), "more"


@rt.custom_gradient
def clipped(x: Numbers, n: int) -> tuple[Numbers, Callable[[Numbers], tuple[Numbers, None]]]:
    return x, lambda g: (g, None)


@rt.remat(every=10)
def kept(x: float) -> int:
    return int(x)


def derivatives(x: Numbers, p: Weights, net: Net) -> None:
    assert_type(with_options(x), Numbers)
    assert_type(rt.TensorSpec([None, 3], "float64").shape, tuple[int | None, ...])
    assert_type(rt.grad(loss)(p, x), Weights)
    assert_type(rt.grad(rt.function(loss))(p, x=x), Weights)
    assert_type(rt.value_and_grad(loss)(p, x), tuple[float, Weights])
    assert_type(rt.grad(with_more, has_aux=True)(x, 3), tuple[Numbers, str])
    assert_type(rt.value_and_grad(with_more, has_aux=True)(x, 3), tuple[tuple[float, str], Numbers])
    both: tuple[Weights, Numbers] = rt.grad(loss, argnums=(0, 1))(p, x)
    assert_type(rt.value_and_grad(loss, argnums=1)(p, x)[0], float)
    assert_type(rt.grad(sign)(2.0), float)
    assert_type(rt.grad(score)(x, net), Numbers)
    slope: float = rt.grad(lambda x: x * x if x > 0 else -x)(2.0)
    slopes: tuple[float, float] = rt.grad(lambda x, y: x * y, (0, 1))(2.0, 3.0)
    weights: dict[str, Numbers] = rt.value_and_grad(lambda: net(x), wrt=net)()[1]
    assert_type(rt.value_and_grad(loss, wrt=[x])(p, x)[0], float)
    square: Numbers = rt.jacobian(scaled)(x, by=2.0)
    square = rt.hessian(norm)(x)
    assert_type(rt.jvp(sign, (1.0,), (1.0,)), tuple[int, int])
    value, pull = rt.vjp(loss, p, x)
    assert_type(value, float)
    assert_type(pull(1.0), tuple[Weights, Numbers])
    assert_type(clipped(x, 3), Numbers)
    assert_type(kept(2.0), int)
    assert_type(rt.stop_gradient(x), Numbers)
    with rt.GradientTape() as tape:
        y = net(x)
    assert_type(tape.gradient(y, [net.w]), list[Any])
    named: dict[str, Any] = tape.gradient(y, {"w": net.w})
    one: rt.Tensor = tape.gradient(y, net.w)
    loaded: Callable[[Numbers], Numbers] = rt.load("folder")
    assert_type(net.size, int)


def norm(x: Numbers) -> float:
    return float(x @ x)


def score(x: Numbers, net: Net) -> float:
    return net(x)


@rt.function
async def later(x: float) -> float:
    return x


async def of_coroutines() -> None:
    assert_type(await later(1.0), float)


def wrong(x: Numbers, model: Model) -> None:
    scaled("text")  # error
    scaled(x, 1.0, 2)  # error
    scaled(x, bye=3.0)  # error
    text: str = largest(x, 1.0)  # error
    sign("text")  # error
    model.predict()  # error
    model.predict(x, x)  # error
    model.loss(x, "text")  # error
    model.half("text")  # error
    model.third("text")  # error
    model.named("text")  # error
    model.converted("text")  # error
    rt.function(Adder(3))("text")  # error
    autograph.convert(Adder(3))("text")  # error
    rt.funktion(sign)  # error
    autograph.converted(sign)  # error
    rt.function(engine="nativ")  # error
    rt.function(reduce_retracing="no")(sign)  # error
    rt.function(sign, jit=True)  # error
    rt.function(3)  # error
    autograph.convert(3)  # error
    rt.grad(norm)("text")  # error
    rt.grad(loss)(x)  # error
    clipped("text", 1)  # error
    rt.vjp(norm, "text")  # error
    rt.jacobian(norm)("text")  # error
