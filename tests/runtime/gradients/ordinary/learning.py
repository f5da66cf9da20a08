"""Programs that learn. Their gradients are compared with scikit-learn's and JAX's, where these can."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from sklearn.datasets import load_digits
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.linear_model import LogisticRegression

import runtime as rt
from tests.runtime.gradients.ordinary.cases import case

RANDOM = np.random.default_rng(7)
POINTS = RANDOM.normal(size=(20, 3))
LABELS = (POINTS @ [1.0, -2.0, 0.5] + 0.5 * RANDOM.normal(size=20) > 0).astype(float)


def by_jax(function):
    """The gradient of a function written with `jax.numpy`, of its first argument, in 64 bits."""

    def expected(*args):
        with jax.enable_x64(True):
            found = jax.grad(function)(*[jax.tree.map(jnp.asarray, a) for a in args])
            return jax.tree.map(np.asarray, found)

    return expected


def zero_at_scikits_solution(weights, points, labels):
    return np.zeros(3)


def solution_of_scikit():
    model = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-12, max_iter=10_000)
    return model.fit(POINTS, LABELS).coef_[0]


@case(solution_of_scikit(), POINTS, LABELS, expected=zero_at_scikits_solution, rtol=1e-5)
def logistic_regression(weights, points, labels):
    """The loss that scikit-learn minimises, point by point; at its solution the slope is zero."""
    loss = 0.5 * (weights @ weights)
    for k in range(len(points)):
        z = points[k] @ weights
        margin = z if labels[k] > 0.5 else -z
        if margin > 0:
            loss += np.log1p(np.exp(-margin))
        else:
            loss += np.log1p(np.exp(margin)) - margin
    return loss


def evidence_by_scikit(logarithms, points, y):
    kernel = kernels.ConstantKernel(1.0) * kernels.RBF(1.0) + kernels.WhiteKernel(1.0)
    model = GaussianProcessRegressor(kernel, optimizer=None).fit(points, y)
    model.alpha = model.alpha_ = 1e-10
    return model.log_marginal_likelihood(logarithms, eval_gradient=True, clone_kernel=False)[1]


@case(
    np.log([1.5, 0.8, 0.1]),
    POINTS[:8],
    np.sin(POINTS[:8, 0]),
    expected=evidence_by_scikit,
    rtol=1e-6,
)
def gaussian_process(logarithms, points, y):
    """The logarithm of the evidence, by Cholesky's decomposition in place."""
    variance, length, noise = np.exp(logarithms)
    n = len(points)
    k = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            k[i, j] = variance * np.exp(-0.5 * np.sum((points[i] - points[j]) ** 2) / length**2)
        k[i, i] += noise + 1e-10
    z = y.copy()
    total = -0.5 * n * np.log(2.0 * np.pi)
    for j in range(n):
        k[j, j] = np.sqrt(k[j, j] - np.sum(k[j, :j] ** 2))
        for i in range(j + 1, n):
            k[i, j] = (k[i, j] - k[i, :j] @ k[j, :j]) / k[j, j]
        z[j] = (z[j] - k[j, :j] @ z[:j]) / k[j, j]
        total -= 0.5 * z[j] ** 2 + np.log(k[j, j])
    return total


def digits(count):
    pictures, kinds = load_digits(return_X_y=True)
    return pictures[:count] / 16.0, np.eye(10)[kinds[:count]]


def network(hidden):
    """The weights of two layers, to begin with."""
    draw = np.random.default_rng(0)
    return {"w": 0.3 * draw.normal(size=(64, hidden)), "v": 0.3 * draw.normal(size=(hidden, 10))}


def loss_in_jax(p, x, y):
    z = jnp.tanh(x @ p["w"]) @ p["v"]
    return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(z), axis=1))


def rate_by_jax(rate, x, y, p, batch, epochs):
    """The same training as a scan over batches."""

    def training(rate):
        def step(p, part):
            g = jax.grad(loss_in_jax)(p, *part)
            return jax.tree.map(lambda a, b: a - rate * b, p, g), None

        parts = [np.tile(v, (epochs, 1)).reshape(-1, batch, v.shape[1]) for v in (x, y)]
        return loss_in_jax(jax.lax.scan(step, p, tuple(parts))[0], x, y)

    with jax.enable_x64(True):
        return float(jax.jit(jax.grad(training))(rate))


def loss_of_network(p, x, y):
    z = np.tanh(x @ p["w"]) @ p["v"]
    z = z - z.max(axis=1, keepdims=True)
    return np.mean(np.log(np.exp(z).sum(axis=1)) - (z * y).sum(axis=1))


@case(0.5, *digits(120), network(6), 15, 3, expected=rate_by_jax, rtol=1e-6)
def network_trained_on_digits(rate, x, y, p, batch, epochs):
    """The loss after a whole training, which is one function; its gradient is of the learning rate."""
    w, v = p["w"].copy(), p["v"].copy()
    for _ in range(epochs):
        for k in range(0, len(x), batch):
            g = rt.grad(loss_of_network)({"w": w, "v": v}, x[k : k + batch], y[k : k + batch])
            w -= rate * g["w"]
            v -= rate * g["v"]
    return loss_of_network({"w": w, "v": v}, x, y)


def recurrent_weights(inputs, size):
    draw = np.random.default_rng(1)
    return {
        "w": 0.4 * draw.normal(size=(inputs + size, 4 * size)),
        "b": 0.1 * draw.normal(size=4 * size),
        "out": draw.normal(size=size),
    }


def lstm_in_jax(p, x, y):
    size = len(p["out"])

    def step(carry, xt):
        h, c = carry
        gates = jnp.concatenate([xt, h]) @ p["w"] + p["b"]
        i, f, o = [1.0 / (1.0 + jnp.exp(-gates[k * size : (k + 1) * size])) for k in range(3)]
        c = f * c + i * jnp.tanh(gates[3 * size :])
        h = o * jnp.tanh(c)
        return (h, c), h @ p["out"]

    outputs = jax.lax.scan(step, (jnp.zeros(size), jnp.zeros(size)), x)[1]
    return jnp.mean((outputs - y) ** 2)


WAVE = np.sin(np.arange(16.0)).reshape(-1, 1)


@case(recurrent_weights(1, 5), WAVE[:-1], WAVE[1:, 0], expected=by_jax(lstm_in_jax))
def lstm_with_a_list(p, x, y):
    """Long short-term memory, whose outputs are appended to a list."""
    size = len(p["out"])
    h, c = np.zeros(size), np.zeros(size)
    outputs = []
    for t in range(len(x)):
        gates = np.concatenate([x[t], h]) @ p["w"] + p["b"]
        i = 1.0 / (1.0 + np.exp(-gates[:size]))
        f = 1.0 / (1.0 + np.exp(-gates[size : 2 * size]))
        o = 1.0 / (1.0 + np.exp(-gates[2 * size : 3 * size]))
        c = f * c + i * np.tanh(gates[3 * size :])
        h = o * np.tanh(c)
        outputs.append(h @ p["out"])
    return np.mean((np.array(outputs) - y) ** 2)


@dataclass
class Layer:
    weights: np.ndarray
    bias: np.ndarray
    activation: str


def layers():
    draw = np.random.default_rng(2)
    sizes = [(3, 4, "tanh"), (4, 4, "relu"), (4, 1, "none")]
    return [Layer(draw.normal(size=(m, n)), 0.1 * draw.normal(size=n), kind) for m, n, kind in sizes]


def layers_by_jax(layers, x, y):
    def loss(parameters):
        h = x
        for (w, b), kind in zip(parameters, ("tanh", "relu", "none"), strict=True):
            h = h @ w + b
            h = jnp.tanh(h) if kind == "tanh" else jax.nn.relu(h) if kind == "relu" else h
        return jnp.mean((h[:, 0] - y) ** 2)

    with jax.enable_x64(True):
        found = jax.grad(loss)([(jnp.asarray(k.weights), jnp.asarray(k.bias)) for k in layers])
    return [Layer(np.asarray(w), np.asarray(b), None) for w, b in found]


@case(layers(), POINTS, LABELS, expected=layers_by_jax)
def layers_in_a_list_of_dataclasses(layers, x, y):
    h = x
    for layer in layers:
        h = h @ layer.weights + layer.bias
        if layer.activation == "tanh":
            h = np.tanh(h)
        elif layer.activation == "relu":
            h = np.maximum(h, 0.0)
    return np.mean((h[:, 0] - y) ** 2)


def attention_in_jax(p, x):
    q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]
    scores = jnp.where(jnp.tril(jnp.ones((len(x), len(x)))) > 0, q @ k.T / jnp.sqrt(len(p["q"])), -jnp.inf)
    return jnp.sum((jax.nn.softmax(scores) @ v) ** 2)


@case(
    {name: RANDOM.normal(size=(4, 4)) for name in ("q", "k", "v")},
    RANDOM.normal(size=(6, 4)),
    expected=by_jax(attention_in_jax),
)
def causal_attention(p, x):
    """Each place looks at those before it, which are kept in growing caches."""
    keys, values = np.zeros((len(x), 4)), np.zeros((len(x), 4))
    total = 0.0
    for t in range(len(x)):
        keys[t] = x[t] @ p["k"]
        values[t] = x[t] @ p["v"]
        scores = keys[: t + 1] @ (x[t] @ p["q"]) / np.sqrt(len(p["q"]))
        weights = np.exp(scores - scores.max())
        weights /= weights.sum()
        total += np.sum((weights @ values[: t + 1]) ** 2)
    return total


def adam_in_jax(start, x, y, steps):
    p, m, v = start, jnp.zeros(3), jnp.zeros(3)
    for t in range(1, steps + 1):
        g = 2.0 * x.T @ (x @ p - y) / len(x)
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        p = p - 0.1 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.99**t)) + 1e-8)
    return jnp.mean((x @ p - y) ** 2)


def start_by_jax(start, x, y, steps):
    with jax.enable_x64(True):
        return np.asarray(jax.grad(adam_in_jax)(jnp.asarray(start), x, y, steps))


@case(np.array([0.2, -0.1, 0.4]), POINTS, LABELS, 8, expected=start_by_jax)
def adam_by_hand(start, x, y, steps):
    """An optimiser whose state is written in place; the gradient is of where it begins."""
    p, m, v = start.copy(), np.zeros(3), np.zeros(3)

    def loss(p):
        return np.mean((x @ p - y) ** 2)

    for t in range(1, steps + 1):
        g = rt.grad(loss)(p)
        m *= 0.9
        m += 0.1 * g
        v *= 0.99
        v += 0.01 * g * g
        p -= 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-8)
    return loss(p)


@case(
    RANDOM.normal(size=(4, 2)),
    RANDOM.normal(size=(5, 2)),
    np.array([[0, 1, 4.0], [2, 3, 1.0], [3, 0, 5.0], [1, 4, 2.0], [0, 3, 3.0], [2, 1, 4.5]]),
    argnums=(0, 1),
)
def ratings_factorised(users, films, seen):
    """Stochastic descent over ratings: two rows are written for each of them."""
    users, films = users.copy(), films.copy()
    for _ in range(3):
        for k in range(len(seen)):
            u, f = int(seen[k, 0]), int(seen[k, 1])
            error = seen[k, 2] - users[u] @ films[f]
            row = users[u].copy()
            users[u] += 0.05 * error * films[f]
            films[f] += 0.05 * error * row
    total = 0.0
    for k in range(len(seen)):
        total += (seen[k, 2] - users[int(seen[k, 0])] @ films[int(seen[k, 1])]) ** 2
    return total
