"""Layers, losses, optimizers and metrics, against formulas in NumPy; models that are trained and saved."""

import numpy as np
import pytest

import runtime.tf as tf

layers = tf.keras.layers


@pytest.fixture(autouse=True)
def seeded():
    tf.keras.utils.set_random_seed(1)


def points():
    x = np.random.default_rng(0).normal(size=(256, 4)).astype(np.float32)
    return x, (x.sum(1) > 0).astype(np.int64)


def classifier():
    model = tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(4,)), layers.Dense(2)])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=tf.keras.optimizers.Adam(learning_rate=0.02), loss=loss, metrics=["accuracy"])
    return model


def test_dense():
    dense = layers.Dense(3, activation="tanh")
    x = np.ones((2, 4), np.float32)
    found = dense(x)
    kernel, bias = dense.get_weights()
    np.testing.assert_allclose(found.numpy(), np.tanh(x @ kernel + bias), rtol=1e-6)
    assert kernel.shape == (4, 3) and len(dense.trainable_variables) == 2


def test_an_lstm_cell_computes_its_formula():
    cell = layers.LSTMCell(10)
    cell.build((None, 4))
    kernel, recurrent, bias = cell.get_weights()
    assert kernel.shape == (4, 40) and recurrent.shape == (10, 40)
    np.testing.assert_array_equal(bias, np.repeat([0, 1, 0, 0], 10))
    random = np.random.default_rng(0)
    x, h, c = [random.normal(size=(2, n)).astype(np.float32) for n in (4, 10, 10)]
    output, (h1, c1) = cell(x, [tf.constant(h), tf.constant(c)])
    sigmoid = lambda z: 1 / (1 + np.exp(-z))
    i, f, g, o = np.split(x @ kernel + h @ recurrent + bias, 4, -1)
    wanted = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    np.testing.assert_allclose(c1.numpy(), wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(output.numpy(), sigmoid(o) * np.tanh(wanted), rtol=1e-5, atol=1e-6)


def test_an_lstm_is_the_same_eager_and_in_a_function():
    lstm = layers.LSTM(5)
    x = tf.random.normal([2, 7, 3])

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(lstm(x) ** 2)
        return loss, tape.gradient(loss, lstm.trainable_variables)

    loss, gradients = step(x)
    traced_loss, traced_gradients = tf.function(step)(x)
    np.testing.assert_allclose(loss.numpy(), traced_loss.numpy(), rtol=1e-6)
    for a, b in zip(gradients, traced_gradients, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


def test_batch_normalization_learns_the_mean_in_training():
    norm = layers.BatchNormalization(momentum=0.5)
    x = tf.constant([[1.0], [3.0]])
    np.testing.assert_allclose(norm(x, training=True).numpy(), [[-1], [1]], atol=1e-3)
    np.testing.assert_allclose(norm.moving_mean.numpy(), [1.0])
    np.testing.assert_allclose(norm(x).numpy(), ([[0], [2]] / np.sqrt(norm.moving_variance.numpy() + 1e-3)))


def test_dropout_acts_in_training_only():
    drop = layers.Dropout(0.5)
    x = tf.ones([1000])
    np.testing.assert_array_equal(drop(x).numpy(), np.ones(1000))
    assert set(drop(x, training=True).numpy()) == {0.0, 2.0}


def test_losses():
    logits = np.array([[1.0, 2.0], [3.0, 0.0]], np.float32)
    labels = np.array([0, 1])
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    wanted = -log_p[[0, 1], labels].mean()
    sparse = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    np.testing.assert_allclose(sparse(labels, logits).numpy(), wanted, rtol=1e-6)
    dense = tf.keras.losses.CategoricalCrossentropy(from_logits=True)
    np.testing.assert_allclose(dense(np.eye(2)[labels], logits).numpy(), wanted, rtol=1e-6)
    binary = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    z, x = np.array([[1.0, 0.0]]), np.array([[2.0, -1.0]])
    p = 1 / (1 + np.exp(-x))
    np.testing.assert_allclose(binary(z, x).numpy(), -(z * np.log(p) + (1 - z) * np.log(1 - p)).mean())
    assert tf.keras.losses.MeanSquaredError()([[1.0, 2.0]], [[2.0, 4.0]]).numpy() == 2.5


def test_optimizers():
    momentum = tf.keras.optimizers.SGD(learning_rate=0.1, momentum=0.9)
    adam = tf.keras.optimizers.Adam(0.1)
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    for gradient in (1.0, 0.5):
        momentum.apply_gradients([(tf.constant(gradient), v)])
        adam.apply_gradients([(tf.constant(gradient), w)])
    np.testing.assert_allclose(v.numpy(), 1 - 0.1 - (0.09 + 0.05), rtol=1e-6)
    x, m, s = 1.0, 0.0, 0.0
    for t, g in ((1, 1.0), (2, 0.5)):
        m, s = 0.9 * m + 0.1 * g, 0.999 * s + 0.001 * g * g
        x -= 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(s / (1 - 0.999**t)) + 1e-7)
    np.testing.assert_allclose(w.numpy(), x, rtol=1e-4)
    assert adam.iterations.numpy() == 2


def test_metrics():
    mean = tf.keras.metrics.Mean("loss")
    assert mean(3.0).numpy() == 3 and mean(5.0).numpy() == 4 and mean.name == "loss"
    mean.reset_state()
    assert mean.result().numpy() == 0
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    accuracy.update_state([0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])
    np.testing.assert_allclose(accuracy.result().numpy(), 2 / 3, rtol=1e-6)


def test_a_model_is_trained_evaluated_and_saved(tmp_path):
    x, y = points()
    model = classifier()
    history = model.fit(x, y, batch_size=32, epochs=8, validation_split=0.2, verbose=0).history
    assert sorted(history) == ["accuracy", "loss", "val_accuracy", "val_loss"]
    assert history["loss"][-1] < 0.5 * history["loss"][0]
    loss, accuracy = model.evaluate(x, y, verbose=0)
    assert accuracy > 0.9
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))
    assert again.evaluate(x, y, verbose=0) == [loss, accuracy]


def test_callbacks(tmp_path):
    x, y = points()
    model = classifier()
    stop = tf.keras.callbacks.EarlyStopping(monitor="loss", min_delta=100.0, patience=2)
    keep = tf.keras.callbacks.ModelCheckpoint(
        str(tmp_path / "{epoch}.weights"), monitor="loss", save_weights_only=True
    )
    history = model.fit(x, y, epochs=10, verbose=0, callbacks=[stop, keep]).history
    assert len(history["loss"]) == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1.weights", "2.weights", "3.weights"]


def test_a_subclassed_model_in_a_loop_of_ones_own():
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.conv = layers.Conv2D(4, [3, 3], activation="relu")
            self.pool = layers.GlobalAveragePooling2D()
            self.out = layers.Dense(3)

        def call(self, inputs):
            x = self.pool(self.conv(inputs))
            if tf.reduce_sum(x) < 0:
                x = -x
            return self.out(x)

    images = np.random.default_rng(0).normal(size=(12, 8, 8, 1)).astype(np.float32)
    labels = np.arange(12) % 3
    model, optimizer = Net(), tf.keras.optimizers.Adam(0.05)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    data = tf.data.Dataset.from_tensor_slices((images, labels)).batch(6)
    losses = [float(step(x, y)) for _ in range(15) for x, y in data]
    assert losses[-1] < losses[0] and optimizer.iterations.numpy() == 30
    assert [v.shape for v in model.trainable_variables] == [(3, 3, 1, 4), (4,), (4, 3), (3,)]


def test_mnist_is_read_from_a_file_or_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"mnist\.npz"):
        tf.keras.datasets.mnist.load_data()
    images = np.zeros((2, 28, 28), np.uint8)
    (tmp_path / "datasets").mkdir()
    labels = np.array([1, 2], np.uint8)
    np.savez(
        tmp_path / "datasets" / "mnist.npz", x_train=images, y_train=labels, x_test=images, y_test=labels
    )
    (x, y), _ = tf.keras.datasets.mnist.load_data()
    assert x.shape == (2, 28, 28) and y.tolist() == [1, 2]


def test_a_saved_model_goes_on_with_its_optimizer(tmp_path):
    x = np.random.default_rng(0).normal(size=(32, 3)).astype(np.float32)
    y = x.sum(1, keepdims=True)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(4, "tanh", input_shape=(3,)), tf.keras.layers.Dense(1)]
    )
    model.compile(tf.keras.optimizers.Adam(0.05), "mse")
    model.fit(x, y, verbose=0)
    model.save(tmp_path / "m.keras")
    again = tf.keras.models.load_model(tmp_path / "m.keras")
    for each in (model, again):
        each.fit(x, y, epochs=3, shuffle=False, verbose=0)
    np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))
    with pytest.raises(FileExistsError, match="overwrite=False"):
        model.save(tmp_path / "m.keras", overwrite=False)


def test_initializers_with_a_seed_give_the_same_each_time():
    made = tf.keras.initializers.GlorotUniform(seed=3)
    np.testing.assert_array_equal(
        made([4, 4]).numpy(), tf.keras.initializers.GlorotUniform(3)([4, 4]).numpy()
    )
    assert not np.array_equal(made([4]).numpy(), tf.keras.initializers.GlorotUniform(4)([4]).numpy())
