"""Programs that follow something through time: differential equations, contact, sampling."""

from __future__ import annotations

import math

import numpy as np

import runtime as rt
from tests.runtime.gradients.ordinary.cases import case


def logistic_slopes(parameters, y0, end, tolerance):
    """Of r and K in the closed form of logistic growth."""
    r, k = parameters
    e = math.exp(-r * end)
    a = k / y0 - 1.0
    y = k / (1.0 + a * e)
    return np.array([y * y / k * a * end * e, y / k - y * y / k * e / y0])


@case(np.array([1.1, 3.0]), 0.4, 2.0, 1e-10, expected=logistic_slopes, rtol=1e-5)
def adaptive_runge_kutta(parameters, y0, end, tolerance):
    """Bogacki and Shampine's pair of orders 3 and 2, whose steps are accepted or rejected."""
    r, k = parameters[0], parameters[1]
    t, y, h = 0.0, y0, 0.5
    steps = 0
    while t < end and steps < 5000:
        steps += 1
        h = min(h, end - t)
        k1 = r * y * (1.0 - y / k)
        y2 = y + 0.5 * h * k1
        k2 = r * y2 * (1.0 - y2 / k)
        y3 = y + 0.75 * h * k2
        k3 = r * y3 * (1.0 - y3 / k)
        new = y + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
        k4 = r * new * (1.0 - new / k)
        error = abs(h * (-5.0 * k1 / 72.0 + k2 / 12.0 + k3 / 9.0 - k4 / 8.0))
        if error <= tolerance:  # accepted
            t = t + h
            y = new
        h = h * min(2.0, max(0.2, 0.9 * (tolerance / (error + 1e-300)) ** (1.0 / 3.0)))
    return y


def bounces_by_hand(height, restitution, end):
    """Of the height and the restitution, differentiating the closed form between two bounces."""
    g = 9.81
    fall = math.sqrt(2.0 * height / g)
    speed, at = restitution * g * fall, fall
    d_fall = np.array([fall / (2.0 * height), 0.0])
    d_speed, d_at = restitution * g * d_fall + [0.0, g * fall], d_fall
    while at + 2.0 * speed / g < end:
        at, d_at = at + 2.0 * speed / g, d_at + 2.0 * d_speed / g
        speed, d_speed = restitution * speed, restitution * d_speed + [0.0, speed]
    left = end - at
    return tuple(d_speed * left - speed * d_at + g * left * d_at)


@case(2.0, 0.8, 3.1, argnums=(0, 1), expected=bounces_by_hand)
def bouncing_ball(height, restitution, end):
    """From contact to contact; the time of the next one is solved for."""
    g = 9.81
    t, y, v = 0.0, height, 0.0
    while True:
        contact = (v + math.sqrt(v * v + 2.0 * g * y)) / g
        if t + contact >= end:
            break
        t += contact
        v = restitution * (g * contact - v)
        y = 0.0
    left = end - t
    return y + v * left - 0.5 * g * left * left


def amplitude_after(a, n, steps):
    """The lowest mode of the discrete heat equation shrinks by one factor a step."""
    mode = 4.0 * math.sin(math.pi / (2 * (n - 1))) ** 2
    total = np.sin(np.pi * np.arange(n) / (n - 1)).sum()
    return -steps * mode * (1.0 - a * mode) ** (steps - 1) * total


@case(0.2, 12, 25, expected=amplitude_after)
def heat_with_two_buffers(a, n, steps):
    """Each step reads one buffer and fills the other; then they change places."""
    u = np.sin(np.pi * np.arange(n) / (n - 1))
    new = np.zeros(n)
    for _ in range(steps):
        for i in range(1, n - 1):
            new[i] = u[i] + a * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u, new = new, u
    return u.sum()


@case(np.array([[1.0, 0.0], [-0.5, 0.8], [0.2, -0.9]]), np.array([[0.0, 0.4], [0.3, 0.0], [-0.3, -0.2]]), 30)
def three_bodies(places, speeds, steps):
    """Leapfrog, in place; how far the first body gets from the second."""
    places, speeds = places.copy(), speeds.copy()
    h = 0.02
    for _ in range(steps):
        forces = np.zeros_like(places)
        for i in range(3):
            for j in range(3):
                if i != j:
                    apart = places[j] - places[i]
                    forces[i] += apart / (apart @ apart + 0.1) ** 1.5
        speeds += h * forces
        places += h * speeds
    return np.sqrt(np.sum((places[0] - places[1]) ** 2))


def moves_with_the_mean(mean, *_):
    """A target that is moved, and a start that moves with it, give moved samples."""
    return np.full(2, 0.5)


@case(
    np.array([0.3, -0.2]),
    np.random.default_rng(3).normal(size=(12, 2)),
    np.random.default_rng(4).uniform(size=12),
    expected=moves_with_the_mean,
)
def hamiltonian_monte_carlo(mean, momenta, uniforms):
    """Samples of a Gaussian and their mean. The gradient of the density is `rt.grad`'s."""

    def energy(q):
        d = q - mean
        return 0.5 * (d[0] ** 2 + 2.0 * d[1] ** 2 + d[0] * d[1])

    force = rt.grad(energy)
    q = mean + 1.0
    samples = np.zeros(momenta.shape)
    for i in range(len(momenta)):
        new, p = q.copy(), momenta[i].copy()
        before = energy(q) + 0.5 * (p @ p)
        p -= 0.15 * force(new)
        for _ in range(5):
            new += 0.3 * p
            p -= 0.3 * force(new)
        p += 0.15 * force(new)
        if np.log(uniforms[i]) < before - energy(new) - 0.5 * (p @ p):
            q = new
        samples[i] = q
    return samples.mean()


@case(np.array([0.5, -0.3, 0.8, 0.1]), 40)
def cart_with_limits(controls, steps):
    """A cart between two walls under controls that are piecewise constant."""
    x, v, cost = 0.0, 0.0, 0.0
    for k in range(steps):
        force = controls[k * len(controls) // steps]
        v = 0.98 * v + 0.1 * force
        x += 0.2 * v
        if x > 1.0:
            x, v = 2.0 - x, -0.5 * v
        elif x < -1.0:
            x, v = -2.0 - x, -0.5 * v
        cost += (x - 0.7) ** 2 + 0.01 * force**2
    return cost
