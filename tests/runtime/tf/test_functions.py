"""`tf.function`: what is traced, when, and what happens at each call."""

import gc
import logging
import weakref

import numpy as np
import pytest

import runtime.tf as tf
from runtime.tf.before_runs import engine_for


def test_python_runs_while_tracing_and_tf_print_at_each_call(capfd):
    @tf.function
    def f(x):
        print("tracing")
        tf.print("x is", x)
        return x + 1

    assert f(tf.constant(1)).numpy() == 2
    assert f(tf.constant(5)).numpy() == 6
    out, err = capfd.readouterr()
    assert out == "tracing\n"
    assert err == "x is 1\nx is 5\n"
    tf.print(tf.constant([[22, 22], [23, 13]]), tf.constant([1]))
    assert capfd.readouterr().err == "[[22 22]\n [23 13]] [1]\n"
    tf.print(tf.constant([0.1, 1 / 3]), tf.constant(0.1, tf.float64), 2.5)
    assert capfd.readouterr().err == "[0.1 0.333333343] 0.1 2.5\n"


def test_signatures():
    traced = []

    @tf.function
    def f(x):
        traced.append(x)
        return x * 2

    for given in (tf.constant(1), tf.constant(2), tf.constant(1.0), tf.constant([1]), 3, 4, 3):
        f(given)
    assert len(traced) == 5
    assert type(f).__name__ == "Function"
    concrete = f.get_concrete_function(tf.constant(1))
    assert concrete is f.get_concrete_function(tf.constant(7))
    assert concrete(tf.constant(4)).numpy() == 8
    assert concrete.output_dtypes == tf.int32 and concrete.output_shapes == ()
    assert (
        "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.int32"
        in f.pretty_printed_concrete_signatures()
    )


def test_an_input_signature_and_lengths_that_vary():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def total(x):
        return tf.reduce_sum(x)

    assert total([1.0, 2.0]).numpy() == 3 and total(tf.ones([5])).numpy() == 5
    assert total.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="input_signature"):
        total(tf.ones([2, 2]))

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def of_any_rank(x):
        return tf.reduce_sum(x)

    assert of_any_rank(2.0).numpy() == 2 and of_any_rank(tf.ones([2, 3])).numpy() == 6
    assert of_any_rank([1.0, 2.0]).numpy() == of_any_rank([3.0]).numpy() == 3
    assert of_any_rank.experimental_get_tracing_count() == 3
    with pytest.raises(TypeError, match=r"shape=<unknown>, dtype=tf\.float32"):
        of_any_rank(tf.constant(1))
    with pytest.raises(NotImplementedError, match="unknown number of dimensions"):
        of_any_rank.get_concrete_function()

    @tf.function(reduce_retracing=True)
    def twice(x):
        return x * 2

    for n in (1, 2, 3, 4):
        assert twice(tf.ones([n])).shape == (n,)
    assert twice.experimental_get_tracing_count() == 2


def test_structures_and_named_arguments():
    @tf.function
    def f(pair, *, scale):
        return {"sum": (pair[0] + pair[1]) * scale, "none": None}

    found = f((tf.constant(1.0), tf.constant(2.0)), scale=tf.constant(3.0))
    assert found["sum"].numpy() == 9 and found["none"] is None


def test_variables_keep_program_order():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign(v * 2)
        before = v + 0.0
        v.assign_add(x)
        return before, v

    before, after = f(tf.constant(10.0))
    assert (before.numpy(), after.numpy(), v.numpy()) == (2, 12, 12)


def test_variables_made_at_the_first_call():
    class Scale(tf.Module):
        def __init__(self):
            super().__init__()
            self.factor = None

        @tf.function
        def __call__(self, x):
            if self.factor is None:
                self.factor = tf.Variable(3.0)
            return x * self.factor

    scale = Scale()
    assert scale(tf.constant(2.0)).numpy() == 6
    scale.factor.assign(5.0)
    assert scale(tf.constant(2.0)).numpy() == 10
    assert Scale()(tf.constant(2.0)).numpy() == 6  # each object has variables of its own

    @tf.function
    def always(x):
        return tf.Variable(1.0) + x

    with pytest.raises(ValueError, match=r"[Vv]ariable.*first call"):
        always(tf.constant(1.0))


def test_functions_call_functions_and_share_variables():
    v = tf.Variable(0)

    @tf.function
    def count():
        v.assign_add(1)
        return v.read_value()

    @tf.function
    def twice(x):
        return count() + count() * x

    assert twice(tf.constant(10)).numpy() == 21
    assert v.numpy() == 2


def test_checks_happen_at_each_call():
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x, message="must be positive")
        assert x < 10.0, "small"
        return tf.sqrt(x)

    assert f(tf.constant(4.0)).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be positive"):
        f(tf.constant(-1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="small"):
        f(tf.constant(11.0))


def test_what_is_not_used_does_not_run():
    @tf.function
    def f(x):
        tf.gather(x, [10])
        return x[0]

    assert f(tf.constant([1, 2])).numpy() == 1


def test_symbolic_tensors_have_no_value():
    @tf.function
    def f(x):
        with pytest.raises(NotImplementedError):
            x.numpy()
        with pytest.raises(NotImplementedError, match="NumPy"):
            np.sin(x)
        assert not tf.executing_eagerly()
        return x

    f(tf.constant(1.0))
    assert tf.executing_eagerly()


def test_eager_functions():
    seen = []

    @tf.function
    def f(x):
        seen.append(x)
        return x

    tf.config.run_functions_eagerly(True)
    try:
        f(tf.constant(1))
        f(tf.constant(1))
        assert tf.config.functions_run_eagerly()
    finally:
        tf.config.run_functions_eagerly(False)
    assert [x.numpy() for x in seen] == [1, 1]


def test_a_function_that_is_traced_now_and_then_does_not_warn(caplog):
    @tf.function
    def seldom(x):
        return x

    with caplog.at_level(logging.WARNING):
        for k in range(6):
            for _ in range(20):
                seldom(tf.ones([k]))
    assert not caplog.records


def test_a_function_that_is_traced_again_and_again_warns(caplog):
    @tf.function
    def often(x):
        return x

    with caplog.at_level(logging.WARNING):
        for k in range(5):
            often(k)
    (record,) = caplog.records
    text = record.getMessage()
    assert "often" in text and "(1)" in text and "(2)" in text and "(3)" in text


def test_random_numbers_are_new_at_each_call():
    @tf.function
    def draw(n):
        return tf.random.uniform([n, 2])

    first, second = draw(tf.constant(3)), draw(tf.constant(3))
    assert first.shape == (3, 2) and not np.array_equal(first.numpy(), second.numpy())
    assert draw(tf.constant(4)).shape == (4, 2)


def test_the_graph_of_a_concrete_function():
    @tf.function
    def f(x):
        with tf.name_scope("layer_one"):
            return tf.matmul(x, x, name="product") + 1.0

    graph = f.get_concrete_function(tf.ones([2, 2])).graph
    assert [op.type for op in graph.get_operations()] == [
        "Placeholder",
        "MatMul",
        "Const",
        "AddV2",
        "Identity",
    ]
    assert [op.name for op in graph.get_operations()][1:] == [
        "layer_one/product",
        "layer_one/Const",
        "layer_one/add",
        "Identity",
    ]


def test_the_first_value_of_a_variable_may_be_an_argument():
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.value = None

        @tf.function
        def __call__(self, x):
            if self.value is None:
                self.value = tf.Variable(x)
            return self.value.assign_add(1.0)

    first, second = Counter(), Counter()
    assert [first(tf.constant(5.0)).numpy(), first(tf.constant(9.0)).numpy()] == [6, 7]
    assert second(tf.constant(1.0)).numpy() == 2


def test_a_function_called_by_another_is_traced_once():
    traced = []

    @tf.function
    def inner(x):
        traced.append("inner")
        return x * 2

    outer = tf.function(lambda x: inner(x) + inner(x + 1))
    assert outer(tf.constant(1)).numpy() == 6 and inner(tf.constant(4)).numpy() == 8
    assert traced == ["inner"]


def test_a_concrete_function_takes_plain_values_of_its_kind():
    concrete = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([2]))
    for given in ([1, 2], np.array([1.0, 2.0]), tf.constant([1.0, 2.0])):
        np.testing.assert_array_equal(concrete(given).numpy(), [2, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="traced for float32"):
        concrete(tf.constant([1, 2]))
    assert concrete.inputs[0].name == "x:0" and concrete.outputs[0].name == "Identity:0"

    class Doubling(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def double(self, x):
            return x * 2

    assert Doubling().double.get_concrete_function()(tf.constant(3.0)).numpy() == 6


def test_a_tensor_outside_its_function_is_refused():
    kept = []
    tf.function(lambda x: kept.append(x + 1))(tf.constant(1))
    with pytest.raises(TypeError, match=r"Tensor\(\"add:0\".* is out of scope"):
        kept[0] + 1


def test_shapes_that_do_not_fit_while_tracing_are_value_errors():
    for f in (
        lambda x: tf.matmul(x, x),
        lambda x: x + tf.ones([5]),
        lambda x: x[7],
        lambda x: tf.reshape(x, [5]),
    ):
        with pytest.raises(ValueError):
            tf.function(f)(tf.ones([2, 3]))


def test_print_may_be_an_operation(capsys):
    @tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.ALL)
    def f(x):
        print("x:", x, sep="")
        print("traced")
        return x

    f(tf.constant([1, 2]))
    f(tf.constant([3, 4]))
    assert capsys.readouterr().out == "traced\nx:[1 2]\nx:[3 4]\n"


def test_machine_code_is_made_where_operations_share_large_arrays():
    @tf.function
    def f(x):
        return tf.nn.relu(x + 1.0)

    few, many = [f.get_concrete_function(tf.TensorSpec([n], tf.float32)) for n in (10, 100_000)]
    assert [engine_for(c.optimized, jit=False) for c in (few, many)] == ["numpy", "auto"]
    x = np.linspace(-3, 3, 100_000, dtype=np.float32)
    np.testing.assert_array_equal(many(tf.constant(x)).numpy(), np.maximum(x + np.float32(1), 0))


def test_a_variable_that_is_an_argument_is_gone_with_its_last_reference():
    @tf.function
    def doubled(v):
        v.assign(v * 2.0)
        return v * 2.0

    variable = tf.Variable(3.0)
    concrete, held = doubled.get_concrete_function(variable), weakref.ref(variable)
    assert doubled(variable) == 12.0 and variable.numpy() == 6.0
    del variable
    gc.collect()
    assert held() is None
    with pytest.raises(tf.errors.FailedPreconditionError, match="a variable that is gone"):
        concrete._call([])
