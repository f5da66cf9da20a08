"""`tf.data.Dataset`, iterated in Python and in functions."""

import numpy as np
import pytest

import runtime.tf as tf

Dataset = tf.data.Dataset


def values(dataset):
    return [np.asarray(x).tolist() for x in dataset.as_numpy_iterator()]


def test_pipelines():
    assert values(Dataset.range(5).map(lambda x: x * 2)) == [0, 2, 4, 6, 8]
    assert values(Dataset.range(5).batch(2)) == [[0, 1], [2, 3], [4]]
    assert values(Dataset.range(5).batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert values(Dataset.range(5).filter(lambda x: x % 2 == 0).take(2)) == [0, 2]
    assert values(Dataset.range(2).repeat(2).prefetch(tf.data.AUTOTUNE).cache()) == [0, 1, 0, 1]
    assert values(Dataset.range(6).skip(4)) == [4, 5]
    assert len(Dataset.range(5).batch(2)) == 3
    pairs = Dataset.zip((Dataset.range(2), Dataset.range(5, 9)))
    assert [(a.numpy(), b.numpy()) for a, b in pairs] == [(0, 5), (1, 6)]


def test_shuffle_is_anew_each_pass():
    dataset = Dataset.range(50).shuffle(1000, seed=1)
    first, second = values(dataset), values(dataset)
    assert sorted(first) == sorted(second) == list(range(50)) and first != second


def test_slices_of_structures():
    x, y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 2])
    (a, b), *_ = Dataset.from_tensor_slices((x, y)).batch(2)
    assert a.shape == (2, 2) and b.numpy().tolist() == [0, 1] and a.dtype == tf.float64
    (first,) = Dataset.from_tensor_slices({"x": x}).take(1)
    assert first["x"].numpy().tolist() == [0, 1]


def test_iterated_in_a_function():
    @tf.function
    def total(dataset):
        s = tf.constant(0, tf.int64)
        for batch in dataset:
            s += tf.reduce_sum(batch)
            if s > 20:
                break
        return s

    assert total(Dataset.range(10)).numpy() == 21
    assert total(Dataset.range(10).batch(3)).numpy() == 36


def test_an_iterator_in_a_function_and_its_end():
    @tf.function
    def first_two(dataset):
        iterator = iter(dataset)
        return next(iterator) - next(iterator)

    assert first_two(Dataset.range(10, 0, -1)).numpy() == 1
    with pytest.raises(tf.errors.OutOfRangeError):
        first_two(Dataset.range(1))


def test_the_seed_of_all_random_numbers_is_that_of_a_shuffle_too():
    def orders():
        tf.random.set_seed(3)
        data = tf.data.Dataset.range(20).shuffle(20)
        return [values(data), values(data)]

    first, again = orders(), orders()
    assert first == again and first[0] != first[1]


def test_lists_are_tensors_and_tuples_and_dicts_are_structures():
    (first, _) = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ([1.0, 2.0], [[1], [2]])})
    assert first["a"].numpy() == 1 and first["b"][0].dtype == tf.float32 and first["b"][1].shape == (1,)


def test_a_pass_that_is_begun_outside_goes_on_in_functions(capfd):
    numbers = iter(tf.data.Dataset.range(10))

    @tf.function
    def following(numbers):
        return next(numbers)

    @tf.function
    def up_to(numbers, last):
        total = tf.constant(0, tf.int64)
        for k in numbers:
            total += k
            if k == last:
                break
        return total

    assert [following(numbers).numpy(), next(numbers).numpy(), following(numbers).numpy()] == [0, 1, 2]
    assert up_to(numbers, tf.constant(5, tf.int64)).numpy() == 3 + 4 + 5
    assert following(numbers).numpy() == 6  # a `break` takes none away
    assert up_to(numbers, tf.constant(99, tf.int64)).numpy() == 7 + 8 + 9
    with pytest.raises(tf.errors.OutOfRangeError):
        following(numbers)


def test_builtins_over_data_sets_in_a_function():
    @tf.function
    def weighted(numbers, others):
        total = tf.constant(0, tf.int64)
        for k, x in enumerate(numbers, 1):
            total += k * x
        for x, y in zip(numbers, others):
            total += x * y
        return total

    numbers, others = Dataset.range(4), tf.data.Dataset.range(5, 9)
    assert weighted(numbers, others).numpy() == (2 + 6 + 12) + (6 + 14 + 24)
    for gone_over in (
        list,
        sum,
        lambda numbers: [x for x in numbers],
        lambda numbers: enumerate(iter(numbers)),
    ):
        with pytest.raises((TypeError, AttributeError)):
            tf.function(lambda numbers: gone_over(numbers))(numbers)


def test_the_last_of_many_batches_may_be_shorter():
    @tf.function
    def shapes(dataset):
        total = tf.constant(0)
        for batch in dataset:
            total += tf.shape(batch)[0]
        return total

    numbers = tf.data.Dataset.range(1001).batch(5).map(lambda x: x * 2)
    assert numbers.element_spec.shape == [None] and len(numbers) == 201
    assert shapes(numbers).numpy() == 1001


def test_rows_are_chosen_as_other_elements_are():
    x, y = np.arange(12.0, dtype=np.float32).reshape(6, 2), np.arange(6)
    slices = Dataset.from_tensor_slices({"x": x, "y": (y,)})
    others = Dataset.from_generator(lambda: iter(slices))
    seen = []
    for dataset in slices, others:
        chosen = dataset.shuffle(4, seed=1).repeat(2).skip(1).take(9)
        batches = list(chosen.batch(4).as_numpy_iterator())
        seen.append(([e["x"].tolist() for e in batches], [e["y"][0].tolist() for e in batches]))
        assert batches[0]["x"].dtype == np.float32 and batches[0]["y"][0].dtype == np.int64
        assert [e["y"][0].numpy().shape for e in chosen] == [()] * 9
    assert seen[0] == seen[1] and [len(labels) for labels in seen[0][1]] == [4, 4, 1]
