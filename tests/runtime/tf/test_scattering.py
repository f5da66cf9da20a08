"""Items at places that are data, scans, segments, bits: the values that TensorFlow documents, both ways."""

import numpy as np
import pytest

import runtime.tf as tf

ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)


def f4(*values):
    return np.array(values, np.float32)


CASES = {
    "gather_nd": (tf.gather_nd, [ROWS, [[0, 1], [1, 2]]], [1.0, 5.0]),
    "gather_nd of rows": (tf.gather_nd, [ROWS, [[1], [0]]], ROWS[[1, 0]].tolist()),
    "scatter_nd": (
        lambda i, u: tf.scatter_nd(i, u, [4]), [[[1], [3], [1]], f4(1, 2, 3)], [0.0, 4.0, 0.0, 2.0],
    ),
    "scatter_nd of rows": (
        lambda i, u: tf.scatter_nd(i, u, [3, 3]), [[[1], [0]], ROWS], [[3, 4, 5], [0, 1, 2], [0] * 3],
    ),
    "tensor_scatter_nd_add": (tf.tensor_scatter_nd_add, [f4(1, 1), [[1], [1]], f4(2, 3)], [1.0, 6.0]),
    "tensor_scatter_nd_sub": (tf.tensor_scatter_nd_sub, [f4(1, 1), [[1], [1]], f4(2, 3)], [1.0, -4.0]),
    "tensor_scatter_nd_update": (
        tf.tensor_scatter_nd_update, [ROWS, [[0, 2], [1, 0]], f4(9, 8)], [[0, 1, 9], [8, 4, 5]],
    ),
    "the last of several": (
        tf.tensor_scatter_nd_update, [f4(0, 0), [[1], [0], [1]], f4(1, 2, 3)], [2.0, 3.0],
    ),
    "infinities that are replaced": (
        tf.tensor_scatter_nd_update, [f4(np.inf, np.nan), [[0], [1]], f4(1, 2)], [1.0, 2.0],
    ),
    "truth values": (
        tf.tensor_scatter_nd_update, [np.array([True, False]), [[0]], np.array([False])], [False, False],
    ),
    "unique": (tf.unique, [[3, 1, 3, 2, 1]], [[3, 1, 2], [0, 1, 0, 2, 1]]),
    "unique_with_counts": (tf.unique_with_counts, [[3, 1, 3]], [[3, 1], [0, 1, 0], [2, 1]]),
    "top_k": (lambda x: tf.math.top_k(x, 2), [f4(1, 5, 3)], [[5.0, 3.0], [1, 2]]),
    "segment_sum": (tf.math.segment_sum, [ROWS, [0, 0]], [[3.0, 5.0, 7.0]]),
    "unsorted_segment_sum": (
        lambda x, i: tf.math.unsorted_segment_sum(x, i, 3), [f4(1, 2, 3), [2, 0, -1]], [2.0, 0.0, 1.0],
    ),
    "scan": (lambda x: tf.scan(lambda a, b: a + b, x), [f4(1, 2, 3)], [1.0, 3.0, 6.0]),
    "scan from a value": (lambda x: tf.scan(lambda a, b: a * 2 + b, x, 1.0), [f4(1, 2, 3)], [3.0, 8.0, 19.0]),
    "scan, reversed": (
        lambda x: tf.scan(lambda a, b: a + b, x, reverse=True), [f4(1, 2, 3)], [6.0, 5.0, 3.0],
    ),
    "foldl": (lambda x: tf.foldl(lambda a, b: a * 2 + b, x), [f4(1, 2, 3)], 11.0),
    "foldr": (lambda x: tf.foldr(lambda a, b: a * 2 + b, x), [f4(1, 2, 3)], 17.0),
    "map_fn": (lambda x: tf.map_fn(lambda v: v * 2, x), [f4(1, 2)], [2.0, 4.0]),
    "map_fn of several": (
        lambda x: tf.map_fn(lambda v: (v[0] + v[1], v[1] > 2), (x, x), dtype=(tf.float32, tf.bool)),
        [f4(1, 2, 3)], [[2.0, 4.0, 6.0], [False, False, True]],
    ),
    "foldl of several": (
        lambda x: tf.foldl(lambda s, v: (s[0] + v, s[1] * v), x, (0.0, 1.0)), [f4(1, 2, 3, 4)], [10.0, 24.0],
    ),
    "scan of several": (
        lambda x: tf.scan(lambda s, v: (s[0] + v[0], s[1] * v[1]), (x, x)), [f4(1, 2, 3)],
        [[1.0, 3.0, 6.0], [1.0, 2.0, 6.0]],
    ),
    "left_shift": (tf.bitwise.left_shift, [[1, 2], [3, 1]], [8, 4]),
    "right_shift": (tf.bitwise.right_shift, [[-8, 2], [1, 1]], [-4, 1]),
    "invert": (tf.bitwise.invert, [[1, -2]], [-2, 1]),
    "bitwise_xor": (tf.bitwise.bitwise_xor, [[1, 2], [3, 3]], [2, 1]),
    "empty": (lambda: tf.constant([], tf.int32), [], []),
    "empty rows": (lambda: tf.constant([[], []], tf.int64) + 1, [], [[], []]),
    "no truth values": (lambda: tf.constant([], tf.bool), [], []),
    "a sum of nothing": (lambda: tf.reduce_sum(tf.constant([], tf.int32)), [], 0),
}  # fmt: skip


@pytest.mark.parametrize("way", [lambda f: f, tf.function], ids=["eager", "traced"])
@pytest.mark.parametrize("name", CASES)
def test_values(name, way):
    function, args, wanted = CASES[name]
    found = way(lambda *args: function(*args))(*map(tf.constant, args))
    several = isinstance(found, tuple | list)
    assert ([x.numpy().tolist() for x in found] if several else found.numpy().tolist()) == wanted


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int32, np.int64, np.float16, np.float32, np.float64, np.bool_]
)
@pytest.mark.parametrize("shape", [[], [[], []]])
def test_empty_tensors_have_any_dtype(shape, dtype):
    assert tf.constant(shape, dtype).numpy().dtype == dtype and tf.constant(shape).dtype == tf.float32


@pytest.mark.parametrize("index", [[[2]], [[-1]]])
def test_a_place_that_is_not_there(index):
    for way in (lambda f: f, tf.function):
        for call in (
            lambda i: tf.gather_nd(ROWS, i),
            lambda i: tf.scatter_nd(i, f4(1), [2]),
            lambda i: tf.tensor_scatter_nd_update(f4(1, 1), i, f4(1)),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError):
                way(call)(tf.constant(index))


def test_gradients():
    @tf.function
    def slopes(p, u):
        with tf.GradientTape() as tape:
            tape.watch([p, u])
            picked = tf.gather_nd(p, [[0, 1], [1, 2]])
            y = tf.reduce_sum(picked**2) + tf.reduce_sum(tf.tensor_scatter_nd_update(p[0], [[1]], u) ** 2)
        return tape.gradient(y, [p, u])

    p, u = slopes(tf.constant(ROWS), tf.constant(f4(7)))
    assert p.numpy().tolist() == [[0.0, 2.0, 4.0], [0.0, 0.0, 10.0]] and u.numpy().tolist() == [14.0]


EMPTY = tf.data.Dataset.from_tensor_slices(tf.zeros([0, 3]))
NUMBERS = tf.data.Dataset.range(5)
DATASETS = [
    (EMPTY, (3,), tf.float32),
    (EMPTY.map(lambda x: tf.reduce_sum(x)), (), tf.float32),
    (EMPTY.batch(4).shuffle(3).cache().repeat(2).prefetch(1), (None, 3), tf.float32),
    (EMPTY.batch(4, drop_remainder=True), (4, 3), tf.float32),
    (tf.data.Dataset.range(0), (), tf.int64),
    (NUMBERS.filter(lambda x: x > 9), (), tf.int64),
    (NUMBERS.take(0), (), tf.int64),
    (NUMBERS.skip(9).map(lambda x: tf.cast(x, tf.float32)), (), tf.float32),
]


@pytest.mark.parametrize("dataset, shape, dtype", DATASETS)
def test_an_empty_data_set_keeps_its_spec(dataset, shape, dtype):
    assert (tuple(dataset.element_spec.shape), dataset.element_spec.dtype) == (shape, dtype)
    assert list(dataset) == []


def test_deprecated_spellings_of_function():
    f = tf.function(lambda x: x * 2, experimental_compile=True, experimental_relax_shapes=True)
    assert f(tf.constant(2.0)).numpy() == 4.0
    with pytest.raises(NotImplementedError, match="experimental_implements='a'"):
        tf.function(lambda x: x, experimental_implements="a")


def test_the_graph_is_made_of_tensorflows_classes():
    graph = tf.function(lambda x: x * 2.0 + 1.0).get_concrete_function(tf.TensorSpec([2])).graph
    operations = graph.get_operations()
    assert isinstance(graph, tf.Graph) and operations
    assert all(isinstance(op, tf.Operation) and op.graph is graph for op in operations)


@pytest.mark.parametrize("name", ["frobnicate", "imge", "contribution", "seed", "testing", "nests"])
def test_a_name_that_is_like_none_has_no_silly_neighbour(name):
    with pytest.raises(AttributeError, match="^runtime.tf has no '[a-z]+'$"):
        getattr(tf, name)
    with pytest.raises(AttributeError, match="nearest name that there is: tf.reduce_sum"):
        tf.reduce_summ


class Case(tf.test.TestCase):
    def runTest(self):
        a, b = tf.constant([1.0, 2.0]), np.array([1.0, 2.0], np.float32)
        for right in (
            lambda: self.assertAllEqual(a, b), lambda: self.assertAllEqual({"x": [a, 3]}, {"x": [b, 3]}),
            lambda: self.assertAllClose(a, b + 1e-7), lambda: self.assertNotAllEqual(a, b + 1),
            lambda: self.assertNotAllClose(a, b + 1), lambda: self.assertAllInRange(a, 1, 2),
            lambda: self.assertAllGreater(a, 0), lambda: self.assertAllLessEqual(a, 2),
            lambda: self.assertAllInSet(a, [1, 2]), lambda: self.assertShapeEqual(a, b),
            lambda: self.assertDTypeEqual(a, tf.float32), lambda: self.assertNear(a[0], 1.1, 0.2),
            lambda: self.assertArrayNear(a, b, 1e-6), lambda: self.assertAllCloseAccordingToType(a, b),
            lambda: self.assertEmpty([]), lambda: self.assertNotEmpty([1]),
            lambda: self.assertBetween(1, 0, 2),
            lambda: self.assertStartsWith("ab", "a"), lambda: self.assertAllLess(a, 3),
            lambda: self.assertAllGreaterEqual(a, 1),
            lambda: self.assertEqual(self.evaluate([a])[0].tolist(), [1, 2]),
        ):  # fmt: skip
            right()
        for wrong in (
            lambda: self.assertAllEqual(a, [1.0, 3.0]), lambda: self.assertAllEqual(a, [[1.0, 2.0]]),
            lambda: self.assertAllEqual({"x": a}, {"y": b}), lambda: self.assertAllEqual([a, a], [a]),
            lambda: self.assertAllClose(a, b + 1e-3), lambda: self.assertNotAllEqual(a, b),
            lambda: self.assertNotAllClose(a, b), lambda: self.assertAllInRange(a, 1, 1.5),
            lambda: self.assertAllGreater(a, 1), lambda: self.assertAllLessEqual(a, 1),
            lambda: self.assertAllInSet(a, [1]), lambda: self.assertShapeEqual(a, b[:1]),
            lambda: self.assertDTypeEqual(a, tf.float64), lambda: self.assertNear(a[0], 1.3, 0.2),
            lambda: self.assertEmpty([1]), lambda: self.assertNotEmpty([]),
            lambda: self.assertBetween(3, 0, 2),
        ):  # fmt: skip
            with self.assertRaises(AssertionError):
                wrong()


def test_assertions_about_tensors():
    Case().debug()
