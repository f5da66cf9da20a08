"""Train a network of two layers on the handwritten digits that scikit-learn ships, in one function.

The whole training, epochs, batches, gradients and updates in place, is one compiled function.

    python examples/train_network.py
"""

import numpy as np
from sklearn.datasets import load_digits

import runtime as rt
from beside import beside_python
from plots import show_plot


def scores(p, x):
    return np.tanh(x @ p["w"] + p["b"]) @ p["v"] + p["c"]


def loss(p, x, y):
    """The cross entropy of the scores; `y` has a one at the right digit."""
    z = scores(p, x)
    z = z - z.max(axis=1, keepdims=True)
    return np.mean(np.log(np.exp(z).sum(axis=1)) - (z * y).sum(axis=1))


@rt.function
def train(p, x, y, epochs, batch, rate):
    """Gradient descent with momentum; the parameters, and the mean loss of each epoch."""
    history = np.zeros(epochs)
    speed = {name: np.zeros_like(value) for name, value in p.items()}
    for epoch in range(epochs):
        for k in range(0, len(x) - batch + 1, batch):
            value, slope = rt.value_and_grad(loss)(p, x[k : k + batch], y[k : k + batch])
            for name in p:
                speed[name] *= 0.9
                speed[name] -= rate * slope[name]
                p[name] += speed[name]
            history[epoch] += value * batch / len(x)
    return p, history


def main(
    epochs: int = 30, hidden: int = 32, batch: int = 50, engine: str = "auto", picture: str | None = None
) -> float:
    """Returns the share of digits, none of them seen in the training, that are recognised."""
    pictures, digits = load_digits(return_X_y=True)
    x, y = pictures / 16.0, np.eye(10)[digits]
    draw = np.random.default_rng(0)
    p = {
        "w": 0.2 * draw.normal(size=(64, hidden)),
        "b": np.zeros(hidden),
        "v": 0.2 * draw.normal(size=(hidden, 10)),
        "c": np.zeros(10),
    }
    p, history = beside_python(
        train, p, x[:1500], y[:1500], epochs, batch, 0.1, engine=engine, tolerance=1e-6
    )
    right = float(np.mean(scores(p, x[1500:]).argmax(axis=1) == digits[1500:]))
    print(f"loss {history[0]:.3f} -> {history[-1]:.3f}; {right:.1%} of 297 other digits recognised")
    show_plot("loss by epoch", np.arange(epochs), {"loss": history}, picture)
    return right


if __name__ == "__main__":
    main(picture="train_network.png")
