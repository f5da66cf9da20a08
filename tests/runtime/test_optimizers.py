"""`rt.optimizers`: the formulas of the papers, plain and decorated, over structures and variables."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import runtime as rt
from autograph import ArgumentError

X, Y = np.arange(6.0).reshape(3, 2) / 3, np.array([1.0, 0.0, 2.0])
STEPS = 4


class Line(NamedTuple):
    w: np.ndarray
    b: float


def loss(params, x, y):
    w, b = (
        params if type(params) is list else params.values() if type(params) is dict else (params.w, params.b)
    )
    error = x @ w + b - y
    return (error * error).mean()


# -- references: one number, its gradients, and the rate of each step ------------------------------------


def sgd(p, slope, rate, momentum=0.0, nesterov=False):
    velocity = 0.0
    for t in range(STEPS):
        g = slope(p)
        velocity = momentum * velocity + g
        p -= rate(t) * (g + momentum * velocity if nesterov else velocity)
    return p


def rmsprop(p, slope, rate, decay=0.99, epsilon=1e-8):
    mean = 0.0
    for t in range(STEPS):
        g = slope(p)
        mean = decay * mean + (1 - decay) * g**2
        p -= rate(t) * g / (math.sqrt(mean) + epsilon)
    return p


def adam(p, slope, rate, beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=0.0):
    m = v = 0.0
    for t in range(STEPS):
        g = slope(p)
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
        m_hat, v_hat = m / (1 - beta1 ** (t + 1)), v / (1 - beta2 ** (t + 1))
        p -= rate(t) * (m_hat / (math.sqrt(v_hat) + epsilon) + weight_decay * p)
    return p


O = rt.optimizers
CASES = {
    "sgd": (O.SGD(0.1), sgd, {}),
    "momentum": (O.SGD(0.1, momentum=0.9), sgd, {"momentum": 0.9}),
    "nesterov": (O.SGD(0.1, 0.9, nesterov=True), sgd, {"momentum": 0.9, "nesterov": True}),
    "rmsprop": (O.RMSprop(0.1, decay=0.9), rmsprop, {"decay": 0.9}),
    "adam": (O.Adam(0.1, beta1=0.8), adam, {"beta1": 0.8}),
    "adamw": (O.AdamW(0.1, weight_decay=0.2), adam, {"weight_decay": 0.2}),
}


@pytest.mark.parametrize("name", CASES)
def test_formulas(name):
    optimizer, reference, options = CASES[name]
    slope = lambda p: 2 * (p - 3) * p
    params, state = 1.5, optimizer.init(1.5)
    for _ in range(STEPS):
        params, state = optimizer.step(params, slope(params), state)
    assert type(params) is float and state["steps"] == STEPS
    assert params == pytest.approx(reference(1.5, slope, lambda t: 0.1, **options), rel=1e-14)


SCHEDULES = [
    (O.exponential_decay(0.1, 2, 0.5), [0.1, 0.1 * 0.5**0.5, 0.05, 0.05 * 0.5**0.5, 0.025]),
    (O.cosine_decay(0.1, 4, 0.02), [0.02 + 0.04 * (1 + math.cos(math.pi * min(t, 4) / 4)) for t in range(7)]),
    (O.linear(0.1, 0.0, 4), [0.1, 0.075, 0.05, 0.025, 0.0, 0.0]),
    (O.piecewise_constant([0.1, 0.01, 0.001], [2, 3]), [0.1, 0.1, 0.01, 0.001, 0.001]),
    (O.warmup(2, O.linear(0.1, 0.0, 2)), [0.0, 0.05, 0.1, 0.05, 0.0]),
]


@pytest.mark.parametrize("schedule, rates", SCHEDULES)
def test_schedules(schedule, rates):
    """Plain, and in a decorated function that does not know the step."""
    staged = rt.function(lambda step: schedule(step) * 1.0)
    for step, rate in enumerate(rates):
        assert schedule(step) == pytest.approx(rate) and staged(step) == pytest.approx(rate)
    assert staged.trace_count == 1
    params, state = O.SGD(schedule).step(1.0, 1.0, {"steps": 1})
    assert params == pytest.approx(1 - rates[1]) and state == {"steps": 2}


STRUCTURES = [
    {"w": np.array([1.0, 2.0]), "b": 0.5},
    [np.array([1.0, 2.0], "f4"), np.float32(0.5)],
    Line(np.array([1.0, 2.0]), 0.5),
]


@pytest.mark.parametrize("params", STRUCTURES, ids=["dict", "list", "named tuple"])
@pytest.mark.parametrize("name", ["adamw"])
def test_a_decorated_loop_over_a_structure(name, params):
    optimizer = CASES[name][0]

    def train(params, steps):
        state = optimizer.init(params)
        for _ in range(steps):
            slopes = O.clipped(rt.grad(loss)(params, X, Y), 2.0)
            params, state = optimizer.step(params, slopes, state)
        return params

    plain, staged = train(params, STEPS), rt.function(train)(params, STEPS)
    assert loss(plain, X, Y) < loss(params, X, Y) and type(staged) is type(params)
    leaves = lambda tree: tree.values() if type(tree) is dict else tree
    for given, a, b in zip(leaves(params), leaves(plain), leaves(staged), strict=True):
        assert type(a) is type(b) is type(given) and np.asarray(a).dtype == np.asarray(given).dtype
        np.testing.assert_allclose(a, b, rtol=1e-6)


class Net(rt.Module):
    def __init__(self):
        self.w, self.b = rt.Variable(np.array([1.0, 2.0], "f4")), rt.Variable(0.5)
        self.seen = rt.Variable(0, trainable=False)

    def __call__(self, x):
        return x @ self.w + self.b


@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_attached_to_variables(name, tmp_path):
    """Of a module, with gradients by name, in a decorated step; the state is kept in a checkpoint."""
    net, listed, optimizer = Net(), Net(), CASES[name][0]
    training, other = optimizer.attach(net), optimizer.attach([listed.w, listed.b])
    error = lambda net: ((net(X) - Y) ** 2).mean()

    @rt.function
    def step():
        training.step(rt.grad(error)(net))

    for _ in range(STEPS):
        step()
        with rt.GradientTape() as tape:
            value = error(listed)
        other.step(tape.gradient(value, [listed.w, listed.b]))
    assert step.trace_count == 1 and net.w.dtype == np.float32
    np.testing.assert_allclose(net.w.numpy(), listed.w.numpy(), rtol=1e-6)
    params, state = [np.array([1.0, 2.0], "f4"), 0.5], optimizer.init([np.array([1.0, 2.0], "f4"), 0.5])
    for _ in range(STEPS):
        slopes = rt.grad(loss)(params, X, Y)
        params, state = optimizer.step(params, slopes, state)
    np.testing.assert_allclose(net.w.numpy(), params[0], rtol=1e-5)
    saved = rt.CheckpointFolder(tmp_path)
    saved.save(training)
    before = [one.numpy().copy() for one in training.variables]
    step()
    saved.restore(training)
    assert all(np.array_equal(a, one.numpy()) for a, one in zip(before, training.variables, strict=True))
    assert training.state["steps"].numpy() == STEPS


def test_what_is_no_rate():
    with pytest.raises(ArgumentError, match="the rate is -1"):
        O.Adam(-1)
    with pytest.raises(ArgumentError, match="2 rates and 2 ends"):
        O.piecewise_constant([1.0, 2.0], [3, 4])
