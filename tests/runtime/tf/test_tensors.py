"""Tensors, variables and functions on them, in TensorFlow's spelling. Expected values are NumPy's."""

import numpy as np
import pytest

import runtime.tf as tf


def test_python_numbers_become_float32_and_int32_and_arrays_keep_their_type():
    assert tf.constant(1.5).dtype == tf.float32
    assert tf.constant([1, 2]).dtype == tf.int32
    assert tf.constant(np.array([1.0])).dtype == tf.float64
    assert tf.constant(True).dtype == tf.bool
    assert (tf.constant(2) + 3).dtype == tf.int32
    assert (tf.constant(2.0) * 3).dtype == tf.float32


def test_texts():
    assert str(tf.constant([1.0, 0.0])) == "tf.Tensor([1. 0.], shape=(2,), dtype=float32)"
    assert repr(tf.constant(11)) == "<tf.Tensor: shape=(), dtype=int32, numpy=11>"
    variable = tf.Variable(2.0, name="weight")
    assert repr(variable) == "<tf.Variable 'weight:0' shape=() dtype=float32, numpy=2.0>"
    assert f"{tf.constant(2.5):.2f}" == "2.50"


def test_operators_with_python_lists_and_arrays():
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    n = a.numpy()
    for found, wanted in [
        (a + 1, n + 1),
        (2 - a, 2 - n),
        (a / 2, n / 2),
        (a // 2, n // 2),
        (a % 2, n % 2),
        (a**2, n**2),
        (-a, -n),
        (a + [[1.0, 2.0]], n + [[1.0, 2.0]]),
        (np.ones((2, 2), np.float32) + a, n + 1),
        (a @ a, n @ n),
        (a > 2, n > 2),
        (a[1], n[1]),
        (a[:, 0], n[:, 0]),
        (a[..., tf.newaxis], n[..., None]),
    ]:
        assert isinstance(found, tf.Tensor)
        np.testing.assert_array_equal(found.numpy(), wanted)
    assert type(np.multiply(a, a)) is np.ndarray
    assert np.sum(a) == 10


def test_division_of_integers_and_means():
    assert (tf.constant(7) / 2).dtype == tf.float64
    assert tf.reduce_mean(tf.constant([1, 2, 4])).numpy() == 2
    assert tf.reduce_sum(tf.constant([2**31 - 1, 1])).numpy() == -(2**31)


@pytest.mark.parametrize("name", ["exp", "tanh", "sqrt", "square", "sin", "abs"])
def test_functions_of_one_tensor(name):
    x = np.linspace(0.1, 2, 5, dtype=np.float32)
    np.testing.assert_allclose(getattr(tf, name)(x).numpy(), getattr(np, name)(x), rtol=1e-6)


def test_shapes():
    x = tf.reshape(tf.range(6), [2, -1])
    assert x.shape == (2, 3) and x.shape.as_list() == [2, 3] and tf.rank(x).numpy() == 2
    assert tf.concat([x, x], 0).shape == (4, 3)
    assert tf.stack([x, x], axis=-1).shape == (2, 3, 2)
    assert [part.shape for part in tf.split(x, [1, 2], axis=1)] == [(2, 1), (2, 2)]
    np.testing.assert_array_equal(tf.transpose(x).numpy(), x.numpy().T)
    np.testing.assert_array_equal(tf.pad(x, [[1, 0], [0, 1]]).numpy(), np.pad(x.numpy(), [(1, 0), (0, 1)]))
    np.testing.assert_array_equal(tf.gather(x, [2, 0], axis=1).numpy(), x.numpy()[:, [2, 0]])
    np.testing.assert_array_equal(tf.one_hot([1, 0], 3).numpy(), np.eye(3)[[1, 0]])
    np.testing.assert_array_equal(tf.where(x > 2, x, 0).numpy(), np.where(x.numpy() > 2, x.numpy(), 0))
    np.testing.assert_array_equal(tf.boolean_mask(x, x > 2).numpy(), [3, 4, 5])


def test_what_does_not_fit_is_an_error_of_tf_errors():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[1,2\], In\[1\]: \[1,2\]"):
        tf.linalg.matmul([[1.0, 2.0]], [[1.0, 2.0]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather([1, 2], [5])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1.0) + tf.constant(1)
    with pytest.raises(TypeError):
        tf.constant(1) + 1.5


def test_variables_are_assigned_and_what_was_read_stays():
    variable = tf.Variable([1.0, 2.0])
    before = variable.read_value()
    variable.assign_add([1.0, 1.0])
    variable[0].numpy()
    np.testing.assert_array_equal(variable.numpy(), [2, 3])
    np.testing.assert_array_equal(before.numpy(), [1, 2])
    with pytest.raises(ValueError, match="Shape mismatch"):
        variable.assign([1.0])


def test_modules_collect_variables():
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(1.0)
            self.steps = tf.Variable(0, trainable=False)

    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Layer(), Layer()]

    net = Net()
    assert len(net.variables) == 4 and len(net.trainable_variables) == 2 and len(net.submodules) == 2
    assert net.variables[:2] == (net.layers[0].steps, net.layers[0].w)  # by name


def test_unknown_names_say_the_nearest_known_one():
    with pytest.raises(AttributeError, match=r"nearest name that there is: tf\.reduce_sum"):
        tf.reduce_summ
    with pytest.raises(AttributeError, match=r"tf\.keras\.layers\.Dense"):
        tf.keras.layers.Dence
    with pytest.raises(AttributeError, match="sparse tensors are not supported"):
        tf.sparse


def test_arguments_that_are_not_supported_are_refused_by_name():
    with pytest.raises(NotImplementedError, match="adjoint=True"):
        tf.linalg.inv([[1.0]], adjoint=True)
    with pytest.raises(TypeError, match="sorted_how"):
        tf.sort([1], sorted_how=2)


def test_random_numbers_follow_from_the_seed():
    tf.random.set_seed(3)
    first = tf.random.normal([4])
    tf.random.set_seed(3)
    np.testing.assert_array_equal(first.numpy(), tf.random.normal([4]).numpy())
    drawn = tf.random.uniform([1000], minval=-1, maxval=2, dtype=tf.int32).numpy()
    assert set(drawn) == {-1, 0, 1}


def test_devices():
    with tf.device("/cpu:0"):
        assert tf.identity(tf.constant(1.0)).device.endswith("CPU:0")
    with pytest.raises(tf.errors.InvalidArgumentError, match="there are /device:CPU:0"), tf.device("/gpu:0"):
        pass
    assert tf.config.list_physical_devices("GPU") == []


def test_convolutions_and_pools_are_sums_over_windows():
    random = np.random.default_rng(0)
    x, k = random.normal(size=(2, 5, 6, 3)), random.normal(size=(3, 2, 3, 4))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 2), axis=(1, 2))
    np.testing.assert_allclose(
        tf.nn.conv2d(x, k, 1, "VALID").numpy(), np.einsum("nhwcij,ijco->nhwo", windows, k)
    )
    np.testing.assert_allclose(
        tf.nn.conv2d(x, k, 2, "VALID").numpy(), np.einsum("nhwcij,ijco->nhwo", windows, k)[:, ::2, ::2]
    )
    assert tf.nn.conv2d(x, k, 2, "SAME").shape == (2, 3, 3, 4)
    pooled = np.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(1, 2))[:, ::2, ::2]
    np.testing.assert_array_equal(tf.nn.max_pool2d(x, 2, 2, "VALID").numpy(), pooled.max((-1, -2)))
    np.testing.assert_allclose(tf.nn.avg_pool2d(x, 2, 2, "VALID").numpy(), pooled.mean((-1, -2)))


def test_how_tensors_are_shown():
    assert str(tf.constant([1.0, 0.0])) == "tf.Tensor([1. 0.], shape=(2,), dtype=float32)"
    assert str(tf.ones([2, 1])) == "tf.Tensor(\n[[1.]\n [1.]], shape=(2, 1), dtype=float32)"
    assert repr(tf.constant(11)) == "<tf.Tensor: shape=(), dtype=int32, numpy=11>"
    assert repr(tf.range(2)) == "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 1], dtype=int32)>"
    assert f"{tf.constant(11)} {tf.constant(2.5):.2f}" == "11 2.50"


def test_equality_of_shapes_that_do_not_fit():
    assert not (tf.ones([2]) == tf.ones([3])) and tf.ones([2]) != tf.ones([3])


def test_a_mask_as_an_index():
    x = tf.constant([[1, 2], [3, 4]])
    np.testing.assert_array_equal(x[x > 2].numpy(), [3, 4])


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "traced"])
def test_integers_are_divided_by_what_is_not_zero(run):
    divide, rest = run(lambda a, b: a // b), run(lambda a, b: a % b)
    assert divide(tf.constant(7), tf.constant(-2)).numpy() == -4
    for f in (divide, rest):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            f(tf.constant([1, 2]), tf.constant([1, 0]))
    assert np.isinf(divide(tf.constant(1.0), tf.constant(0.0)).numpy())


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "traced"])
def test_gather_takes_indices_that_are_there(run):
    take = run(lambda x, k: tf.gather(x, k))
    for k in (2, -1):
        with pytest.raises(tf.errors.InvalidArgumentError):
            take(tf.constant([1, 2]), tf.constant([k]))
    x, k = np.arange(24).reshape(2, 3, 4), np.array([[2, 0], [1, 1]])
    found = run(lambda x, k: tf.gather(x, k, batch_dims=1))(tf.constant(x), tf.constant(k))
    np.testing.assert_array_equal(found.numpy(), [x[0, [2, 0]], x[1, [1, 1]]])
    found = run(lambda x, k: tf.gather(x, k, axis=2, batch_dims=1))(tf.constant(x), tf.constant(k))
    np.testing.assert_array_equal(found.numpy(), [x[0][:, [2, 0]], x[1][:, [1, 1]]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="index"):
        run(lambda x, k: tf.gather(x, k, batch_dims=1))(tf.constant(x), tf.constant(k + 3))


def test_functions_of_floats_refuse_integers():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"exp: .* int32, and has to be a float"):
        tf.exp(1)
    with pytest.raises(TypeError, match="sqrt"):
        tf.function(lambda x: tf.sqrt(x))(tf.constant(4))
    with pytest.raises(tf.errors.InvalidArgumentError, match="truth values are not added"):
        tf.reduce_sum([True, False])
    with pytest.raises(tf.errors.InvalidArgumentError, match="truth values are no numbers"):
        tf.constant(True) + tf.constant(True)


def test_sums_so_far_and_one_hot_along_an_axis():
    x = [[1, 2, 3], [4, 5, 6]]
    np.testing.assert_array_equal(tf.cumsum(x, axis=1, exclusive=True).numpy(), [[0, 1, 3], [0, 4, 9]])
    both = tf.cumsum(x, axis=1, exclusive=True, reverse=True)
    np.testing.assert_array_equal(both.numpy(), [[5, 3, 0], [11, 6, 0]])
    np.testing.assert_array_equal(tf.math.cumprod([2, 3, 4], exclusive=True).numpy(), [1, 2, 6])
    np.testing.assert_array_equal(tf.one_hot([0, 2], 3, axis=0).numpy(), np.eye(3)[:, [0, 2]])
    marked = tf.one_hot([1], 2, on_value=5, off_value=-1)
    assert marked.dtype == tf.int32 and marked.numpy().tolist() == [[-1, 5]]


def test_a_range_leads_from_start_to_limit():
    for bounds in ((0, 3, 0), (3, 1), (0, 3, -1)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.range"):
            tf.range(*bounds)


def test_tensors_know_the_device_that_was_asked_for(monkeypatch):
    monkeypatch.setattr(tf.config, "_parts", 2)
    assert [d.name for d in tf.config.list_logical_devices("CPU")] == ["/device:CPU:0", "/device:CPU:1"]
    with tf.device("/cpu:1"):
        x, v = tf.constant(1.0), tf.Variable(1.0)
        assert (x + 1).device.endswith("CPU:1") and v.device.endswith("CPU:1")
    assert (x + 1).device.endswith("CPU:0") and x.device.endswith("CPU:1")

    @tf.function
    def f(x):
        with tf.device("/cpu:1"):
            y = x * 2.0
        return y + 1.0

    operations = f.get_concrete_function(x).graph.get_operations()
    assert {op.device for op in operations if op.type == "Mul"} == {"/device:CPU:1"}
    assert {op.device for op in operations if op.type == "AddV2"} == {""}
