"""`rt.to_jax(f)` in JAX's transformations and with pytrees; arrays of JAX's in `engine="jax"`."""

import collections
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import autograph
import runtime as rt

X = np.array([1.5, 0.5, 3.0, 0.25], np.float32)


def halved(x):
    """A `while`, which has no reverse mode; of all items together, or of one."""
    steps = 0
    while np.sum(x) > 1:
        x, steps = x / 2, steps + 1
    return x, steps


def smooth(x):
    total = 0.0
    for v in x:
        if total > 4:
            break
        total = total + v**3 if v > 0.4 else total - v
    return total


def close(found, expected, digits=1e-3):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, digits, digits), found, expected)


def scanned(x):
    step = rt.to_jax(lambda carry, v: (carry + v if v > 1 else carry / 2, carry))
    return jax.lax.scan(step, jnp.float32(0), x)


def mesh(**axes):
    return jax.make_mesh(tuple(axes.values()), tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


def on_shards(x):
    part = PartitionSpec("i")
    f = jax.shard_map(
        jax.vmap(rt.to_jax(halved)), mesh=mesh(i=1), in_specs=part, out_specs=(part, part), check_vma=False
    )
    return jax.jit(f)(x)


def with_shardings(x):
    split = NamedSharding(mesh(i=1), PartitionSpec("i"))
    found = jax.jit(rt.to_jax(halved), in_shardings=split, out_shardings=(split, None))(x)
    assert found[0].sharding == split
    return found


def each(x):
    found = [halved(v) for v in x]
    return np.array([v for v, _ in found]), np.array([n for _, n in found])


def carried(x):
    carry, seen = np.float32(0), []
    for v in x:
        seen.append(carry)
        carry = carry + v if v > 1 else carry / 2
    return carry, np.array(seen)


#: beside `jit`, `vmap` and `grad`, which test_programs.py tries
TRANSFORMED = {
    "jvp": (
        lambda x: jax.jvp(lambda x: rt.to_jax(halved)(x)[0], (x,), (jnp.ones(4),))[1],
        lambda x: np.full(4, 0.125),
    ),
    "hessian": (
        jax.jit(jax.hessian(rt.to_jax(smooth))),
        lambda x: np.diag(6 * x * (x > 0.4) * (np.arange(4) < 3)),
    ),
    "scan": (scanned, carried),
    "shard_map": (on_shards, each),
    "jit with shardings": (with_shardings, halved),
    "pmap": (lambda x: jax.tree.map(lambda y: y[0], jax.pmap(rt.to_jax(halved))(x[None])), halved),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformation(name):
    on_jax, plain = TRANSFORMED[name]
    close(on_jax(X), plain(X))


@pytest.mark.parametrize("derivative", [jax.grad, jax.jacfwd])
def test_a_branch_not_taken_has_no_part_in_the_derivative(derivative):
    """Both branches of an `if` that ends the loop are computed, and one has no finite slope here."""

    def roots(x):
        total = 0 * x[0]
        for v in x:
            if v <= 0:
                break
            total = total + np.sqrt(v)
        return total

    found = jax.jit(derivative(rt.to_jax(roots)))(jnp.array([4.0, 0.0, 1.0, -1.0]))
    assert found.tolist() == [0.25, 0, 0, 0]


# -- pytrees -----------------------------------------------------------------------------------------------


@dataclasses.dataclass
class State:
    x: np.ndarray
    rate: float


jax.tree_util.register_dataclass(State, ["x", "rate"], [])
Pair = collections.namedtuple("Pair", "first second")


def grown(state, limit):
    x = state.x
    while x.sum() < limit["most"][0]:
        x = x * state.rate
    return Pair(State(x, state.rate), {"most": [x.max()]})


def test_dicts_dataclasses_and_named_tuples():
    found = jax.jit(rt.to_jax(grown))(State(jnp.asarray(X), 1.5), {"most": [30]})
    expected = grown(State(X, 1.5), {"most": [30]})
    assert type(found) is Pair and type(found.first) is State
    close((found.first.x, found.second), (expected.first.x, expected.second))


class Dense(rt.Module):
    def __init__(self, n, m, kind):
        self.w = rt.Variable(np.linspace(-1, 1, n * m).reshape(n, m), name="w")
        self.calls = rt.Variable(0, trainable=False)
        self.kind = kind

    def __call__(self, x):
        self.calls.assign_add(1)
        return np.tanh(x @ self.w) if self.kind == "tanh" else x @ self.w


class Net(rt.Module):
    def __init__(self):
        self.layers = [Dense(4, 3, "tanh"), Dense(3, 1, "linear")]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def loss(net, x):
    return np.sum(net(x) ** 2), net


def test_modules_are_pytrees_of_their_variables():
    """What is assigned is in the module that comes out, and the one that went in is as it was."""
    net, x = Net(), np.linspace(0, 1, 8).reshape(2, 4)
    on_jax = rt.to_jax(loss)
    value, after = jax.jit(on_jax)(net, x)
    assert int(after.layers[0].calls.value) == 1 and int(net.layers[0].calls.value) == 0
    slopes = jax.jit(jax.grad(lambda net, x: on_jax(net, x)[0], allow_int=True))(net, x)
    step = lambda p, g: p - 0.1 * g if p.dtype.kind == "f" else p
    better = jax.tree.map(step, net, slopes)
    assert type(better) is Net and better.layers[0].w.name == "w"
    close(value, loss(net, x)[0])
    assert loss(better, x)[0] < float(value)


def test_a_variable_that_is_no_argument_is_not_written():
    net = Net()
    with pytest.raises(autograph.StagingError, match="is written, which is no argument"):
        jax.jit(rt.to_jax(lambda x: net(x)))(np.ones((1, 4)))
    assert int(net.layers[0].calls.value) == 0


# -- arrays of JAX's in and out ----------------------------------------------------------------------------


def test_arrays_of_jax_come_in_and_go_out():
    @rt.function(engine="jax")
    def f(x, more):
        return x * 2, x, float(x.sum()), more["b"][0] + 1

    x = jnp.asarray(X)
    twice, same, total, y = f(x, {"b": [jnp.arange(3)]})
    assert isinstance(twice, jax.Array) and same is x and type(total) is float and isinstance(y, jax.Array)
    close((twice, total, y), (X * 2, 5.25, [1, 2, 3]))
    assert type(f(X, {"b": [X]})[0]) is np.ndarray


def test_an_array_of_jax_is_not_written():
    @rt.function(engine="jax")
    def f(x):
        x[0] = 1.0
        return x

    with pytest.raises(ValueError, match="read-only"):
        f(jnp.asarray(X))


@pytest.mark.parametrize("make", [rt.function(engine="jax"), rt.to_jax])
def test_an_array_that_was_given_away(make):
    x = jnp.asarray(X)
    x.delete()
    with pytest.raises(autograph.ArgumentError, match="donated to another function"):
        make(lambda x: x + 1)(x)


def test_the_device_is_one_that_jax_chooses():
    with jax.default_device(jax.devices()[0]):
        found = rt.function(engine="jax")(lambda x: x + 1)(jnp.asarray(X))
    assert found.devices() == {jax.devices()[0]}


# -- exceptions of one item of many ------------------------------------------------------------------------


def quotient(x, table):
    if x < -5:
        raise ValueError(f"{x} is too small")
    quotient, item, power = 10 // int(x), table[x], 1
    for _ in range(x):
        power = power * 4
    return quotient + item + power


@pytest.mark.parametrize("wrong", [0, -7, 35, 32])
def test_vmap_raises_what_one_item_raises(wrong):
    """Division by zero, an exception of the function's, an index out of range, an int beyond 64 bits."""
    x, table = np.array([2, wrong, 3]), np.arange(34.0)
    with pytest.raises(Exception) as expected:
        rt.function(engine="numpy")(quotient)(x[1], table)
    with pytest.raises(expected.type) as raised:
        rt.vmap(quotient, in_axes=(0, None))(x, table)
    assert str(raised.value) == str(expected.value) and raised.value.__notes__ == ["of item 1"]


def test_vmap_of_many_items():
    found = rt.vmap(quotient, in_axes=(0, None))(np.array([2, 5]), np.arange(34.0))
    assert type(found) is np.ndarray and found.tolist() == [quotient(k, np.arange(34.0)) for k in (2, 5)]


def test_many_items_ask_once_whether_one_raises():
    x, table = np.arange(1, 20_000, dtype=np.int32) % 9 + 1, np.arange(34.0)
    on_jax = jax.jit(jax.vmap(rt.to_jax(quotient), (0, None)))
    assert on_jax.lower(x, table).as_text().count("custom_call") == 1
