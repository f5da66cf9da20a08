"""An argument that is not supported is refused by name, and never ignored."""

import numpy as np
import pytest

import runtime.tf as tf

layers = tf.keras.layers


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: tf.nn.max_pool2d(tf.ones([1, 4, 4, 1]), 2, 2, "VALID", data_format="NCHW"), "data_format"),
        (lambda: tf.nn.embedding_lookup(tf.ones([2, 2]), [0], max_norm=1.0), "max_norm"),
        (lambda: tf.while_loop(lambda i: i < 1, lambda i: i + 1, [0], back_prop=False), "back_prop"),
        (lambda: tf.map_fn(lambda x: x, tf.ones([2]), infer_shape=False), "infer_shape"),
        (lambda: tf.case([(tf.constant(True), lambda: 1)], exclusive=True), "exclusive"),
        (lambda: tf.TensorArray(tf.float32, infer_shape=False), "infer_shape"),
        (lambda: tf.print("a", output_stream="file:///a"), "output_stream"),
        (lambda: tf.autograph.to_code(lambda x: x, recursive=False), "recursive"),
        (lambda: tf.compat.v1.Session("host", graph=tf.Graph()), "target"),
        (lambda: tf.data.Dataset.from_generator(lambda: [1], tf.int32, output_shapes=[]), "output_shapes"),
        (lambda: tf.GradientTape().jacobian(tf.ones([2]), [], unconnected_gradients="zero"), "unconnected"),
        (lambda: layers.Dense(1, dtype="float64"), "dtype"),
        (lambda: layers.Dense(1).add_weight("w", [1], regularizer="l2"), "regularizer"),
        (lambda: tf.keras.metrics.Mean(dtype=tf.float64), "dtype"),
        (lambda: tf.keras.models.load_model("m.keras", custom_objects={"a": 1}), "custom_objects"),
    ],
)
def test_refused(call, name):
    with pytest.raises(NotImplementedError, match=f"{name}.* is not supported here, only"):
        call()


def test_what_is_no_argument_at_all():
    for call in (
        lambda: layers.Dense(1, bogus=1),
        lambda: tf.function(len, bogus=1),
        lambda: tf.sort([1], bogus=1),
    ):
        with pytest.raises(TypeError, match="bogus"):
            call()
    with pytest.raises(TypeError, match="no tf.autograph.experimental.Feature"):
        tf.function(len, experimental_autograph_options="all")


def test_layers_on_inputs_are_refused_with_a_hint():
    with pytest.raises(NotImplementedError, match=r"write a subclass of tf\.keras\.Model"):
        layers.Dense(1)(tf.keras.Input(shape=(4,)))


def test_inputs_of_another_length_than_the_weights_were_made_for():
    dense = layers.Dense(2)
    dense(np.ones((1, 3), np.float32))
    with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 3"):
        dense(np.ones((1, 4), np.float32))
