"""A convolutional network learns real images of digits, and predicts the same in a fresh process."""

import subprocess
import sys

import numpy as np
import pytest

import runtime.tf as tf

layers = tf.keras.layers

AGAIN = """
import sys
import numpy as np
import runtime.tf as tf
model = tf.keras.models.load_model(sys.argv[1])
np.save(sys.argv[3], model.predict(np.load(sys.argv[2]), verbose=0))
"""


def test_digits(tmp_path):
    digits = pytest.importorskip("sklearn.datasets").load_digits()
    images = (digits.images[..., None] / 16).astype(np.float32)
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential(
        [
            layers.Conv2D(16, 3, activation="relu", input_shape=(8, 8, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam(0.003)
    mean = tf.keras.metrics.Mean("loss")

    @tf.function
    def epoch(dataset):
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = loss_of(y, model(x, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
            mean.update_state(loss)

    training = (
        tf.data.Dataset.from_tensor_slices((images[:1500], digits.target[:1500])).shuffle(1500).batch(32)
    )
    losses = []
    for _ in range(4):
        mean.reset_state()
        epoch(training)
        losses.append(float(mean.result()))
    assert losses == sorted(losses, reverse=True)

    predicted = model.predict(images[1500:], verbose=0)
    assert np.mean(predicted.argmax(1) == digits.target[1500:]) > 0.85
    model.save(tmp_path / "digits.keras")
    np.save(tmp_path / "images.npy", images[1500:])
    paths = [str(tmp_path / name) for name in ("digits.keras", "images.npy", "predicted.npy")]
    subprocess.run([sys.executable, "-c", AGAIN, *paths], check=True)
    np.testing.assert_array_equal(np.load(paths[-1]), predicted)
