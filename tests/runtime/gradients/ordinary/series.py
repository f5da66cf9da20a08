"""Programs about series of observations, prices and paths: likelihoods, filters, dynamic programming."""

from __future__ import annotations

import itertools

import numpy as np
import scipy.signal
import scipy.sparse.csgraph
import scipy.stats

from tests.runtime.gradients.differences import gradient
from tests.runtime.gradients.ordinary.cases import case

SERIES = np.array([0.3, 0.5, 0.1, 0.9, 1.2, 0.8, 1.5])


def likelihood_of_whole_series(noises, observed):
    """The series is one Gaussian vector: a random walk, seen with noise."""

    def likelihood(noises):
        n = np.arange(1, len(observed) + 1)
        covariance = noises[0] * np.minimum.outer(n, n) + 1.0 + noises[1] * np.eye(len(n))
        return scipy.stats.multivariate_normal(np.zeros(len(n)), covariance).logpdf(observed)

    return gradient(likelihood, [noises])


@case(np.array([0.3, 0.2]), SERIES, expected=likelihood_of_whole_series, rtol=1e-6)
def kalman_filter(noises, observed):
    """The logarithm of the likelihood of a random walk that is seen with noise."""
    state, variance = 0.0, 1.0
    total = 0.0
    for y in observed:
        variance += noises[0]
        spread = variance + noises[1]
        surprise = y - state
        total -= 0.5 * (np.log(2.0 * np.pi * spread) + surprise**2 / spread)
        gain = variance / spread
        state += gain * surprise
        variance *= 1.0 - gain
    return total


def likelihood_over_all_paths(transitions, emissions, seen):
    def likelihood(transitions):
        total = 0.0
        for path in itertools.product(range(2), repeat=len(seen)):
            p = 0.5 * emissions[path[0], seen[0]]
            for t in range(1, len(seen)):
                p = p * transitions[path[t - 1], path[t]] * emissions[path[t], seen[t]]
            total += p
        return np.log(total)

    return gradient(likelihood, [transitions])


@case(
    np.array([[0.8, 0.2], [0.3, 0.7]]),
    np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
    np.array([0, 2, 2, 1, 0, 1]),
    expected=likelihood_over_all_paths,
    rtol=1e-6,
)
def hidden_markov_model(transitions, emissions, seen):
    """The forward algorithm, with probabilities that are scaled in place at each step."""
    forward = np.full(2, 0.5) * emissions[:, seen[0]]
    total = 0.0
    for t in range(1, len(seen)):
        scale = forward.sum()
        total += np.log(scale)
        forward /= scale
        forward = (forward @ transitions) * emissions[:, seen[t]]
    return total + np.log(forward.sum())


@case(np.array([0.1, 0.2, 0.6]), SERIES)
def garch_likelihood(parameters, returns):
    """A variance that follows the squares before it."""
    omega, alpha, beta = parameters
    variance = np.zeros(len(returns))
    variance[0] = omega / (1.0 - alpha - beta)
    for t in range(1, len(returns)):
        variance[t] = omega + alpha * returns[t - 1] ** 2 + beta * variance[t - 1]
    return -0.5 * np.sum(np.log(variance) + returns**2 / variance)


@case(SERIES, np.array([0.1, 0.4, 0.3, 1.0, 0.9, 1.3]), 0.1)
def soft_dynamic_time_warping(x, y, gamma):
    """The cost of the softest path through a table that is filled cell by cell."""
    n, m = len(x), len(y)
    table = np.full((n + 1, m + 1), 1e10)
    table[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = table[i - 1, j], table[i, j - 1], table[i - 1, j - 1]
            low = min(a, b, c)
            terms = np.exp((low - a) / gamma) + np.exp((low - b) / gamma) + np.exp((low - c) / gamma)
            table[i, j] = (x[i - 1] - y[j - 1]) ** 2 + low - gamma * np.log(terms)
    return table[n, m]


GRAPH = np.array([[0.0, 4.0, 1.0, 9.9], [4.0, 0.0, 2.0, 1.0], [1.0, 2.0, 0.0, 5.0], [9.9, 1.0, 5.0, 0.0]])


def edges_of_path(weights):
    """SciPy's path from the first node to the last: each of its edges counts once."""
    before = scipy.sparse.csgraph.dijkstra(weights, indices=0, return_predecessors=True)[1]
    found, node = np.zeros_like(weights), len(weights) - 1
    while node != 0:
        found[before[node], node] = 1.0
        node = before[node]
    return found


@case(GRAPH, expected=edges_of_path)
def shortest_path(weights):
    """Floyd and Warshall's three loops; the distance between two nodes."""
    d = weights.copy()
    n = len(d)
    for i in range(n):
        d[i, i] = 0.0
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d[0, n - 1]


@case(100.0, 0.2, 95.0, 25, argnums=(0, 1))
def american_put(price, volatility, strike, steps):
    """A binomial tree, folded in place from its end: hold, or exercise early."""
    dt = 1.0 / steps
    up = np.exp(volatility * np.sqrt(dt))
    discount = np.exp(-0.05 * dt)
    q = (np.exp(0.05 * dt) - 1.0 / up) / (up - 1.0 / up)
    values = np.zeros(steps + 1)
    for j in range(steps + 1):
        values[j] = max(strike - price * up ** (2.0 * j - steps), 0.0)
    for i in range(steps - 1, -1, -1):
        for j in range(i + 1):
            hold = discount * (q * values[j + 1] + (1.0 - q) * values[j])
            values[j] = max(hold, strike - price * up ** (2.0 * j - i))
    return values[0]


def filtered_backwards(x, b, a):
    """The adjoint of a filter is the same filter, backwards."""
    y = scipy.signal.lfilter([b], [1.0, -a], x)
    return scipy.signal.lfilter([b], [1.0, -a], 2.0 * y[::-1])[::-1]


@case(SERIES, 0.4, 0.7, expected=filtered_backwards)
def recursive_filter(x, b, a):
    """An array that is filtered in place."""
    y = x.copy()
    y[0] *= b
    for i in range(1, len(y)):
        y[i] = b * y[i] + a * y[i - 1]
    return (y**2).sum()
