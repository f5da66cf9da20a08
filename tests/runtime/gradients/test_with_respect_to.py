"""`rt.grad` with respect to variables, modules, and what a function finds by itself."""

import dataclasses

import numpy as np
import pytest

import runtime as rt
from autograph.errors import AutographError
from tests.differential import ENGINES

X = np.array([0.5, -2.0])


class Net(rt.Module):
    def __init__(self):
        self.w = rt.Variable([1.0, 2.0])
        self.layers = [rt.Variable(3.0)]
        self.fixed = rt.Variable(5.0, trainable=False)
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        self.fixed.assign_add(1.0)
        return (self.w * x).sum() * self.layers[0]


def squared(net, x):
    return net(x) ** 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_module_as_an_argument_and_in_wrt(engine):
    net = Net()
    wanted = {"w": 2 * -10.5 * 3 * X, "layers[0]": 2 * -10.5 * -3.5}
    value, gradient = rt.value_and_grad(rt.function(squared, engine=engine))(net, X)
    assert value == 10.5**2 and gradient.keys() == wanted.keys()
    captured = rt.grad(rt.function(lambda x: net(x) ** 2, engine=engine), wrt=net)(X)

    @rt.function(engine=engine)
    def inside(x):
        return rt.grad(squared)(net, x), rt.grad(lambda x: net(x) ** 2, wrt=net)(x)

    for found in (gradient, captured, *inside(X)):
        for name, value in wanted.items():
            np.testing.assert_allclose(found[name], value)
    assert net.calls == 4 and net.fixed.numpy() == 9.0


@pytest.mark.parametrize("engine", ENGINES)
def test_arrays_that_the_function_finds_by_itself(engine):
    params = {"w": np.array([1.0, 2.0]), "b": np.array(0.5)}

    class Model:
        scale = np.array([2.0, 2.0])

    model, v = Model(), rt.Variable([1.0, 1.0])
    model.gain = np.array([1.0, 3.0])

    @rt.function(engine=engine)
    def loss(x):
        w = params["w"] * model.gain * v
        w[0] = w[0] * w[1]
        return (w * x).sum() + params["b"]

    take = rt.grad(loss, wrt={"params": params, "gain": [model.gain], "v": v})
    for first in (1.0, 4.0):  # what they hold, at each call
        params["w"][0] = first
        found = take(X)
        np.testing.assert_allclose(found["params"]["w"], [6 * X[0], first * X[0] * 3 + 3 * X[1]])
        np.testing.assert_allclose(found["params"]["b"], 1.0)
        np.testing.assert_allclose(found["gain"][0][0], 6 * first * X[0])
        np.testing.assert_allclose(found["v"][0], first * 6 * X[0])


def test_an_array_that_is_found_at_two_places_counts_at_both():
    w = np.array([1.0, 2.0])
    holder = [w]
    found = rt.grad(lambda x: (w * holder[0] * x).sum(), wrt=w)(X)
    np.testing.assert_allclose(found, 2 * w * X)
    np.testing.assert_allclose(rt.grad(lambda x: (w * x).sum(), wrt=w)(w), 2 * w)


def test_an_array_that_takes_its_place_is_another_one():
    table = {"w": np.array([1.0, 2.0])}
    kept = table["w"]
    take = rt.grad(lambda x: (table["w"] ** 2 * x).sum(), wrt=kept)
    np.testing.assert_allclose(take(X), 2 * kept * X)
    table["w"] = np.array([1.0, 2.0])
    with pytest.raises(AutographError, match="does not read the array"):
        take(X)


def test_structures_of_arguments():
    @dataclasses.dataclass
    class Params:
        w: np.ndarray
        scale: float
        name: str = "p"

    def loss(p, others):
        return (p.w * others["x"][0]).sum() * p.scale

    found = rt.grad(loss, argnums=(0, 1))(Params(np.array([1.0, 2.0]), 3.0), {"x": [X, 1]})
    np.testing.assert_allclose(found[0].w, 3 * X)
    assert found[0].scale == -3.5 and found[0].name is None and found[1]["x"][1] is None


class Plain:
    def __init__(self):
        self.w = np.array([1.0, 2.0])


PLAIN = Plain()
COUNTS = rt.Variable([1, 2])
REFUSED = [
    (lambda: rt.grad(lambda x, y: x.sum(), argnums=(0, -2))(X, X), "names one twice"),
    (lambda: rt.grad(lambda x: x.sum(), argnums=())(X), "names no argument"),
    (lambda: rt.grad(lambda x: x.sum(), argnums=1.0)(X), "argnums is 1.0"),
    (lambda: rt.grad(lambda v: v.sum() * 1.0)(COUNTS), "`v` has no float in it"),
    (lambda: rt.grad(lambda x: x.sum(), wrt=rt.Variable(1.0))(X), "does not depend on what `wrt` names"),
    (lambda: rt.jacobian(lambda v: v * 2)(rt.Variable(X)), "`v` is a Variable(?s:.*)pass the array, v.value"),
    (lambda: rt.grad(lambda x: x.sum(), wrt=np.ones(2))(X), "does not read the array `wrt`"),
    (lambda: rt.grad(lambda x: (PLAIN.w * x).sum(), wrt=PLAIN.w[:1])(X), "shares memory with `wrt`"),
    (lambda: rt.grad(lambda x: x.sum(), wrt={"a": 2.0})(X), r"`wrt\['a'\]` is of type float"),
    (lambda: rt.grad(lambda x: x.sum(), wrt=[])(X), "no array of floats in `wrt`"),
    (lambda: rt.grad(lambda x: x.sum(), argnums=1, wrt=X)(X), "both argnums and wrt"),
    (lambda: rt.grad(lambda p: p.w.sum())(PLAIN), r"`p` is a Plain; derivatives"),
]


@pytest.mark.parametrize(("attempt", "words"), REFUSED)
def test_refused(attempt, words):
    with pytest.raises(AutographError, match=words):
        attempt()


# -- results of several types --------------------------------------------------------------------------------


def total_of_positive(xs):
    total = 0
    for x in xs:
        if x > 0:
            total = total + x * x
    return total


def greatest_multiple(v):
    best = 0
    for k in range(3):
        best = max(best, v * k)
    return best


def squared_or_nothing(x):
    if x < 0:
        return 0
    return x * x


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("f", "x", "wanted"),
    [
        (total_of_positive, np.array([1.0, -1.0, 2.0]), [2.0, 0.0, 4.0]),
        (total_of_positive, np.array([-1.0, -1.0]), [0.0, 0.0]),
        (greatest_multiple, 1.5, 2.0),
        (greatest_multiple, -1.5, 0.0),
        (squared_or_nothing, 3.0, 6.0),
        (squared_or_nothing, np.float64(-3.0), 0.0),
    ],
)
def test_results_that_began_as_an_int(f, x, wanted, engine):
    value, gradient = rt.value_and_grad(rt.function(f, engine=engine))(x)
    plain = f(x)
    assert value == plain and type(value) is type(plain)
    np.testing.assert_allclose(gradient, wanted)


@pytest.mark.parametrize("engine", ENGINES)
def test_gradients_of_ones_own_whose_adjoint_is_of_several_types(engine):
    @rt.custom_gradient
    def clipped(x):
        return x, lambda g: max(min(g, 1.0), -1.0)

    @rt.custom_gradient
    def positive(x):
        return max(x, 0), lambda g: g

    assert rt.grad(rt.function(lambda x: 5.0 * clipped(x), engine=engine))(3.0) == 1.0
    with pytest.raises(AutographError, match="positive returns one of several kinds of values"):
        rt.grad(rt.function(lambda x: positive(x) * 2.0, engine=engine))(3.0)
