"""Seeds of random numbers: `set_seed` gives the same ones again; that of a single call is refused by name."""

import numpy as np
import pytest

import runtime.tf as tf


def test_the_same_seed_gives_the_same_numbers():
    tf.random.set_seed(3)
    first = tf.random.normal([4]).numpy()
    tf.random.set_seed(3)
    np.testing.assert_array_equal(tf.random.normal([4]).numpy(), first)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: tf.random.normal([2], seed=1),
        lambda: tf.random.uniform([2], seed=1),
        lambda: tf.random.truncated_normal([2], seed=1),
        lambda: tf.random.shuffle([1, 2], seed=1),
        lambda: tf.nn.dropout(tf.ones([2]), 0.5, seed=1),
    ],
)
def test_the_seed_of_a_single_call_is_refused(draw):
    with pytest.raises(TypeError, match=r"`seed=` .* call tf\.random\.set_seed first"):
        draw()
