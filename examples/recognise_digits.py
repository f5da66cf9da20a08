"""Train a convolutional network on real images of digits, in TensorFlow's spelling, and hand it on.

Scikit-learn ships 1,797 handwritten digits of 8 by 8 pixels. The network learns from 1,500 of them:
`tf.data` shuffles and batches, a `tf.function` with a tape is the step of training, and `tf.summary`
writes the loss for TensorBoard. Then the network leaves the process: `tf.saved_model` for a fresh Python,
which knows nothing of this program, and ONNX for a runtime without Python. All three see the same digits.

    python examples/recognise_digits.py
    tensorboard --logdir examples/digits/logs
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import runtime as rt
import runtime.tf as tf

FOLDER = Path(__file__).with_name("digits")

#: what the fresh process runs
AGAIN = """
import sys
import numpy as np
import runtime.tf as tf

folder = sys.argv[1]
network = tf.saved_model.load(folder + "/network")
np.save(folder + "/scores.npy", network(np.load(folder + "/images.npy")).numpy())
"""


def digits():
    """Images for training, images for tests: each with the digits that they show."""
    from sklearn.datasets import load_digits

    data = load_digits()
    images = (data.images[..., np.newaxis] / 16).astype(np.float32)
    return (images[:1500], data.target[:1500]), (images[1500:], data.target[1500:])


def made():
    """The network, not trained yet."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Conv2D(16, 3, activation="relu", padding="same", input_shape=(8, 8, 1), name="edges"),
            layers.MaxPooling2D(name="halved"),
            layers.Conv2D(32, 3, activation="relu", name="strokes"),
            layers.Flatten(name="flat"),
            layers.Dense(10, name="scores"),
        ],
        name="network",
    )


def train(network, images, targets, epochs, folder):
    """Fit the network; the loss of each step, and the graph of the step, go to files for TensorBoard."""
    batches = tf.data.Dataset.from_tensor_slices((images, targets)).shuffle(len(images)).batch(32)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, name="loss")
    optimizer = tf.keras.optimizers.Adam(0.003)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, network(x, training=True))
        gradients = tape.gradient(loss, network.trainable_variables)
        optimizer.apply_gradients(zip(gradients, network.trainable_variables, strict=True))
        return loss

    losses = []
    with tf.summary.create_file_writer(folder / "logs").as_default() as writer:
        for _ in range(epochs):
            for x, y in batches:
                losses.append(float(step(x, y)))
                tf.summary.scalar("loss", losses[-1], step=len(losses))
        tf.summary.graph(step.get_concrete_function(x, y).graph)
        writer.close()
    return losses


def scores_of_a_fresh_process(network, images, folder):
    """What another Python computes, which has the saved network and nothing else."""
    tf.saved_model.save(network, folder / "network")
    np.save(folder / "images.npy", images)
    subprocess.run([sys.executable, "-c", AGAIN, str(folder)], check=True)
    return np.load(folder / "scores.npy")


def scores_of_onnx(network, images, folder):
    """What ONNX Runtime computes, which needs no Python."""
    import onnxruntime

    path = folder / "network.onnx"
    predict = tf.function(lambda images: network(images, training=False))
    rt.export_onnx(path, predict, tf.TensorSpec([None, 8, 8, 1]))
    session = onnxruntime.InferenceSession(path)
    (scores,) = session.run(None, {"images": images})
    return scores


def main(epochs: int = 6, folder: Path = FOLDER) -> float:
    """Returns the share of digits, none of them seen in the training, that are recognised."""
    folder.mkdir(parents=True, exist_ok=True)
    tf.keras.utils.set_random_seed(0)
    (images, targets), (new_images, new_targets) = digits()
    network = made()

    start = time.perf_counter()
    losses = train(network, images, targets, epochs, folder)
    took = time.perf_counter() - start
    print(f"{len(losses)} steps in {took:.1f} s, loss {losses[0]:.2f} -> {losses[-1]:.2f}")

    scores = network.predict(new_images, verbose=0)
    share = float(np.mean(scores.argmax(axis=1) == new_targets))
    print(f"{share:.1%} of {len(new_images)} digits that it has not seen are recognised")
    for name, found in (
        ("a fresh process", scores_of_a_fresh_process(network, new_images, folder)),
        ("ONNX Runtime", scores_of_onnx(network, new_images, folder)),
    ):
        assert np.allclose(found, scores, atol=1e-4) and (found.argmax(1) == scores.argmax(1)).all()
        print(f"the same digits from {name}, scores differ by {np.abs(found - scores).max():.1g} at most")
    print(f"the loss and the graph: tensorboard --logdir {folder / 'logs'}")
    return share


if __name__ == "__main__":
    main()
