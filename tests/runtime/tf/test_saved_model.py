"""`tf.saved_model`: an object with its functions and variables in a folder, and back."""

import subprocess
import sys

import numpy as np
import pytest

import runtime as rt
import runtime.tf as tf
from autograph.errors import StagingError
from runtime.saving.folders import LoadError


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.weight = tf.Variable([1.0, 2.0], name="weight")
        self.calls = tf.Variable(0, trainable=False)
        self.offsets = [tf.Variable(5.0)]
        self.table = tf.constant([10.0, 20.0, 30.0])
        self.inner = None

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def __call__(self, x):
        self.calls.assign_add(1)
        return x * self.weight + self.offsets[0]

    @tf.function
    def step(self, n, mode="twice"):
        total = tf.constant(0.0)
        for i in tf.range(n):
            if self.table[i] > 15.0:
                total += self.table[i]
        if mode == "twice":
            total = total * 2.0
        return {"total": total, "parts": (total, mode)}


@pytest.fixture
def model():
    made = Model()
    made.step(2)
    made.step(2, mode="once")
    made.step(tf.constant(3))
    return made


def test_functions_and_variables_come_back(model, tmp_path):
    tf.saved_model.save(model, tmp_path / "model")
    restored = tf.saved_model.load(tmp_path / "model")
    x = tf.constant([[1.0, 1.0]])
    np.testing.assert_array_equal(restored(x), model(x))
    assert restored.calls.numpy() == 1 and restored.offsets[0].numpy() == 5
    for args in [(2,), (2, "once"), (tf.constant(3),), (tf.constant(1),)]:
        found, expected = restored.step(*args), model.step(*args)
        assert float(found["total"]) == float(expected["total"])
        assert found["parts"][1] == expected["parts"][1]
    with pytest.raises(ValueError, match=r"Could not find matching .* step\(\) was called with"):
        restored.step("many")

    restored.weight.assign([0.0, 0.0])
    np.testing.assert_array_equal(restored(x), [[5, 5]])
    np.testing.assert_array_equal(model(x), [[6, 7]])


def test_a_restored_function_is_part_of_gradients_functions_and_further_files(model, tmp_path):
    tf.saved_model.save(model, tmp_path / "model")
    restored = tf.saved_model.load(tmp_path / "model")
    x = tf.ones([3, 2])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(restored(x))
    np.testing.assert_array_equal(tape.gradient(loss, restored.weight), [3, 3])
    outer = tf.function(lambda x: restored(x) + 1.0)
    np.testing.assert_array_equal(outer(x), model(x) + 1.0)
    assert restored.calls.numpy() == 2
    tf.saved_model.save(restored, tmp_path / "again")
    np.testing.assert_array_equal(tf.saved_model.load(tmp_path / "again")(x), model(x))


def test_signatures_take_names_and_give_dicts(model, tmp_path):
    serve = tf.function(lambda x, h: {"out": model(x) + h})
    concrete = serve.get_concrete_function(tf.TensorSpec([None, 2]), tf.TensorSpec([]))
    tf.saved_model.save(model, tmp_path / "model", signatures={"serving_default": concrete})
    found = tf.saved_model.load(tmp_path / "model").signatures["serving_default"]
    np.testing.assert_array_equal(found(x=tf.ones([1, 2]), h=tf.constant(1.0))["out"], [[7, 8]])
    single = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([2])])
    tf.saved_model.save(model, tmp_path / "model", signatures=single)
    found = tf.saved_model.load(tmp_path / "model").signatures["serving_default"]
    np.testing.assert_array_equal(found(x=tf.ones([2]))["output_0"], [2, 2])


def test_prints_checks_and_random_numbers_are_saved(tmp_path, capfd):
    noisy = tf.Module()

    @tf.function
    def draw(x):
        tf.print("draws", x)
        tf.debugging.assert_positive(x)
        return tf.random.uniform([2]) + x

    noisy.draw = draw
    noisy.draw(tf.constant(1.0))
    tf.saved_model.save(noisy, tmp_path / "noisy")
    restored = tf.saved_model.load(tmp_path / "noisy")
    capfd.readouterr()
    first, second = restored.draw(tf.constant(2.0)), restored.draw(tf.constant(2.0))
    assert capfd.readouterr().err == "draws 2\ndraws 2\n"
    assert np.all(first.numpy() >= 2) and np.any(first.numpy() != second.numpy())
    with pytest.raises(tf.errors.InvalidArgumentError):
        restored.draw(tf.constant(-1.0))


def test_a_keras_model_is_a_function_in_a_fresh_process(tmp_path):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Dense(4, "relu", input_shape=(3,)), layers.Dropout(0.5), layers.BatchNormalization()]
    )
    tf.saved_model.save(model, tmp_path / "model")
    np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
    again = (
        "import sys, numpy as np, runtime.tf as tf; folder = sys.argv[1];"
        "y = tf.saved_model.load(folder + '/model')(np.load(folder + '/x.npy')).numpy();"
        "np.save(folder + '/y.npy', y)"
    )
    subprocess.run([sys.executable, "-c", again, str(tmp_path)], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), model(np.ones((2, 3), np.float32)))


def test_what_no_file_can_hold_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no function of this Module has been traced"):
        tf.saved_model.save(tf.Module(), tmp_path / "nothing")
    looped = tf.Module()

    @tf.function
    def total(data):
        result = 0.0
        for x in data:
            result += x
        return result

    looped.total = total
    looped.total(tf.data.Dataset.from_tensor_slices([1.0, 2.0]))
    with pytest.raises((StagingError, ValueError), match=r"total\(\) cannot be saved"):
        tf.saved_model.save(looped, tmp_path / "looped")
    with pytest.raises(NotImplementedError, match="options="):
        tf.saved_model.save(looped, tmp_path / "looped", options=object())
    assert not (tmp_path / "looped").exists()


def test_a_damaged_folder_is_refused(model, tmp_path):
    tf.saved_model.save(model, tmp_path / "model")
    file = next((tmp_path / "model").rglob("step.*.graph"))
    file.write_text(file.read_text().replace("multiply", "divide"))
    with pytest.raises(LoadError, match="its contents are not those that were saved"):
        tf.saved_model.load(tmp_path / "model")
    (tmp_path / "model" / "manifest.json").write_text('{"format": "saved functions", "version": 1}')
    with pytest.raises(LoadError, match="rt.load reads saved functions"):
        tf.saved_model.load(tmp_path / "model")


def test_rt_save_and_rt_load_take_a_function_with_its_variables_as_they_are(model, tmp_path):
    f = tf.function(lambda x: x * model.weight)
    rt.save(tmp_path / "f", f, tf.TensorSpec([None, 2]))
    np.testing.assert_array_equal(rt.load(tmp_path / "f")(np.ones((1, 2), np.float32)), [[1, 2]])
    with pytest.raises(StagingError, match="assigns the variable"):
        rt.save(tmp_path / "g", model.__call__, tf.TensorSpec([None, 2]))
