"""What is restored before its variable is made waits for it."""

import numpy as np
import pytest

import runtime.tf as tf


class Scaled(tf.Module):
    def __init__(self, decorated):
        super().__init__()
        self.w, self.inner = None, None
        self.call = tf.function(self.scaled) if decorated else self.scaled

    def scaled(self, x):
        if self.w is None:
            self.w = tf.Variable(tf.ones([2]))
            self.inner = [tf.Variable(2.0)]
        return x * self.w + self.inner[0]


@pytest.mark.parametrize("decorated", [False, True])
@pytest.mark.parametrize("kept", [False, True], ids=["for the object alone", "kept"])
def test_a_variable_of_the_first_call_gets_its_value(decorated, kept, tmp_path):
    x = tf.constant([1.0, 2.0])
    first = Scaled(decorated)
    first.call(x)
    first.w.assign([3.0, 4.0])
    first.inner[0].assign(5.0)
    path = tf.train.Checkpoint(net=first).save(str(tmp_path / "saved"))
    second = Scaled(decorated)
    checkpoint = tf.train.Checkpoint(net=second)
    status = checkpoint.restore(path)
    with pytest.raises(AssertionError, match="no variable: net/inner/0, net/w"):
        status.assert_consumed()
    if not kept:
        del checkpoint, status
    assert second.call(x).numpy().tolist() == first.call(x).numpy().tolist() == [8.0, 13.0]
    if kept:
        status.assert_consumed()
    second.w.assign([0.0, 0.0])
    second.other = tf.Variable(np.float32(1))
    assert second.call(x).numpy().tolist() == [5.0, 5.0]
