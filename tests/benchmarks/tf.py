"""TensorFlow's spelling: a call of a small Function, tracing an LSTM cell, an epoch of three networks.

Beside TensorFlow itself where it is installed in the same environment.
"""

import importlib
import importlib.util
import os
from collections.abc import Callable
from typing import Any

import numpy as np

import runtime.tf as ours
from tests.benchmarks.measure import median, paired, readable, report

Program = Callable[[], object]


def main(rounds: int = 30) -> None:
    tiny = rounds <= 2
    theirs = _tensorflow(tiny)
    for what, make, repeat, target in (
        ("a call of a small Function", small_call, 500, 5e-6),
        ("tracing an LSTM cell", lstm_trace, 1, 30e-3),
    ):
        time = median(make(ours), rounds, 2 if tiny else repeat)
        beside = "" if theirs is None else f" ({readable(median(make(theirs), rounds, repeat))})"
        report(f"{what} (TensorFlow's)", readable(time) + beside, f"< {readable(target)}", time < target)
    for what, model, shape, examples in (
        ("two dense layers", dense, (784,), 2048),
        ("a convolutional network", convolutional, (28, 28, 1), 2048),
        ("a network for small digits", for_digits, (8, 8, 1), 1437),
    ):
        text, rounds = f"an epoch of {what} (TensorFlow's)", min(rounds, 7)
        mine, *other = [
            epoch(tf, model(tf), shape, 64 if tiny else examples) for tf in (ours, theirs) if tf is not None
        ]
        if not other:
            report(text, readable(median(mine, rounds)), "none, without it", True)
            continue
        found = paired(what, mine, *other, rounds)
        times = f"{readable(found.ours)} ({readable(found.theirs)})"
        report(text, times, "TensorFlow's", found.ours < found.theirs)


def _tensorflow(tiny: bool) -> Any:
    """TensorFlow, where it is there and numbers are asked for."""
    if tiny or importlib.util.find_spec("tensorflow") is None:
        return None
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    return importlib.import_module("tensorflow")


def small_call(tf: Any) -> Program:
    function = tf.function(lambda x: x + 1.0)
    x = tf.constant([1.0, 2.0, 3.0])
    return lambda: function(x)


def lstm_trace(tf: Any) -> Program:
    cell = tf.keras.layers.LSTMCell(10)
    cell.build((None, 4))
    x, state = tf.ones([2, 4]), [tf.zeros([2, 10]), tf.zeros([2, 10])]

    def step(x: Any, state: Any) -> Any:
        return cell(x, state)

    return lambda: tf.function(step).get_concrete_function(x, state)


def dense(tf: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential([layers.Dense(128, activation="relu"), layers.Dense(10)])


def convolutional(tf: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Conv2D(16, [3, 3], activation="relu"),
            layers.Conv2D(16, [3, 3], activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(10),
        ]
    )


def for_digits(tf: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Conv2D(16, 3, activation="relu", padding="same"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, activation="relu", padding="same"),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )


def epoch(tf: Any, model: Any, shape: tuple[int, ...], examples: int) -> Program:
    """One pass over a data set, in batches of 32."""
    random = np.random.default_rng(0)
    images = random.random((examples, *shape), np.float32)
    labels = random.integers(0, 10, examples)
    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(examples).batch(32)
    optimizer = tf.keras.optimizers.Adam()
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    def run() -> None:
        for x, y in dataset:
            step(x, y)

    return run
