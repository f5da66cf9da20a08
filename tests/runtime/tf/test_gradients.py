"""`tf.GradientTape`, eager and in functions, against derivatives that are known."""

import numpy as np
import pytest

import runtime.tf as tf

pytestmark = pytest.mark.usefixtures("engine")


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def everywhere(function, x):
    """Eager; of a Function; in a Function: the same gradient."""
    x = tf.constant(x)
    found = [
        gradient(function, x),
        gradient(tf.function(function), x),
        tf.function(lambda x: gradient(function, x))(x),
    ]
    for other in found[1:]:
        np.testing.assert_allclose(other.numpy(), found[0].numpy(), rtol=1e-6)
    return found[0].numpy()


def test_through_operations():
    assert everywhere(lambda x: x * x * x, 3.0) == 27
    np.testing.assert_allclose(everywhere(lambda x: tf.reduce_sum(tf.sin(x)), [0.0, 1.0]), np.cos([0, 1]))
    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    np.testing.assert_allclose(everywhere(lambda x: tf.reduce_sum(x @ x), x), (x.sum(1) + x.sum(0)[:, None]))
    np.testing.assert_allclose(everywhere(lambda x: tf.reduce_sum(x[:, 0] ** 2), x), [[2, 0], [6, 0]])


def test_through_branches_and_loops():
    @tf.function
    def f(x):
        if x > 0:
            y = x * x
        else:
            y = -x
        while y < 100.0:
            y = y * y
        return y

    assert gradient(f, tf.constant(3.0)).numpy() == 8 * 3.0**7
    assert gradient(f, tf.constant(-11.0)).numpy() == -2 * 11.0

    @tf.function
    def squares(x):
        array = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(3):
            array = array.write(i, x[i] * x[i])
        return tf.reduce_sum(array.stack())

    np.testing.assert_array_equal(gradient(squares, tf.constant([1.0, 2.0, 3.0])).numpy(), [2, 4, 6])


def test_of_variables_which_are_watched_by_themselves():
    w, fixed = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as tape:
        y = w * w * fixed
    dw, dfixed = tape.gradient(y, [w, fixed])
    assert dw.numpy() == 12 and dfixed is None
    assert tape.watched_variables() == (w,) or tape.watched_variables()[0] is w


def test_of_variables_read_in_a_loop_of_a_function():
    w = tf.Variable(2.0)

    @tf.function
    def power(n):
        y = tf.constant(1.0)
        for _ in tf.range(n):
            y = y * w
        return y

    with tf.GradientTape() as tape:
        y = power(tf.constant(3))
    assert tape.gradient(y, w).numpy() == 12

    @tf.function
    def inside(n):
        with tf.GradientTape() as tape:
            y = power(n)
        return tape.gradient(y, w)

    assert inside(tf.constant(4)).numpy() == 32


def test_a_tape_plays_once_unless_it_is_persistent():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(y, x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert tape.gradient(z, x).numpy() == 108 and tape.gradient(y, x).numpy() == 6
    dy, dx = tape.gradient(z, [y, x])
    assert (dy.numpy(), dx.numpy()) == (18, 108)


def test_tapes_in_tapes():
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            first = gradient(lambda x: x * x * x, x)
        return outer.gradient(first, x)

    assert second(tf.constant(3.0)).numpy() == 18
    assert tf.function(second)(tf.constant(3.0)).numpy() == 18


def test_what_is_not_connected():
    x, other = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = x * 2
    assert tape.gradient(y, other) is None
    assert tape.gradient(y, other, unconnected_gradients="zero").numpy() == 0
    assert gradient(lambda x: tf.stop_gradient(x) * x, tf.constant(3.0)).numpy() == 3


def test_custom_gradients():
    @tf.custom_gradient
    def scaled(x):
        def grad(dy):
            return dy * 7.0

        return x * 2, grad

    assert everywhere(scaled, 3.0) == 7
    assert everywhere(lambda x: scaled(x) * x, 3.0) == 6 + 21


def test_effects_are_not_repeated(capfd):
    @tf.function
    def f(x):
        tf.print("once")
        return x * x * tf.random.uniform([])

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    # the gradient belongs to the random number that was drawn
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 2 * y.numpy(), rtol=1e-6)
    assert capfd.readouterr().err == "once\n"


def test_jacobians():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    np.testing.assert_array_equal(tape.jacobian(y, x).numpy(), np.diag([2, 4]))


def test_what_does_not_depend_has_no_gradient():
    x, y = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape() as other:
        other.watch(x)
    with tf.GradientTape(persistent=True) as tape:
        plain = x * y
        stopped = tf.stop_gradient(y) * 2.0
        rounded = tf.cast(tf.cast(y, tf.int32), tf.float32)
    assert tape.gradient(plain, x) is None and tape.gradient(plain, y).numpy() == 2
    assert tape.gradient([stopped, rounded], y) is None
    zero = tape.gradient(stopped, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zero.numpy() == 0

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            z = tf.stop_gradient(y) * x
        return tape.gradient(z, [x, y]) == [None, None]

    assert inside(x)


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "traced"])
def test_a_gradient_of_ones_own_may_be_none(run):
    @tf.custom_gradient
    def product(x, y):
        return x * y, lambda up: [up * y, None]

    def gradients(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = product(x, y)
        return tape.gradient(z, [x, y])

    first, second = run(gradients)(tf.constant(2.0), tf.constant(3.0))
    assert first.numpy() == 3 and second is None


def test_slopes_where_two_are_equal():
    x = tf.constant([0.0, -1.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        relu, larger, clipped = tf.nn.relu(x), tf.maximum(x, 0.0), tf.clip_by_value(x, -1.0, 1.0)
    np.testing.assert_array_equal(tape.gradient(relu, x).numpy(), [0, 0, 1])
    np.testing.assert_array_equal(tape.gradient(larger, x).numpy(), [1, 0, 1])
    np.testing.assert_array_equal(tape.gradient(clipped, x).numpy(), [1, 1, 1])
    assert np.isnan(tf.maximum(np.float32("nan"), 1.0).numpy())


def test_the_first_of_equal_pixels_has_the_slope_of_a_pool():
    pixels = np.array([[1, 1, 0, 2], [1, 0, 2, 2]], np.float32).reshape(1, 2, 4, 1)
    found = everywhere(lambda x: tf.reduce_sum(tf.nn.max_pool2d(x, 2, 2, "VALID")), pixels)
    np.testing.assert_array_equal(found.reshape(2, 4), [[1, 0, 0, 1], [0, 0, 0, 0]])


def states(x):
    kept = tf.TensorArray(tf.float32, size=3)
    for k in tf.range(3):
        x = 2.0 * x
        kept = kept.write(k, x)
    return kept.stack()


@pytest.mark.parametrize("decorate", [lambda f: f, tf.function])
@pytest.mark.parametrize(("place", "wanted"), [(2, 8.0), (0, 2.0), (-1, 8.0)])
def test_an_item_of_a_stack(decorate, place, wanted):
    @decorate
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = states(x)[place]
        return tape.gradient(y, x)

    assert slope(tf.constant(3.0)).numpy() == wanted


def _used_behind_the_tape(x, v):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y * x, x)


def _not_recorded(x, v):
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            y = x * x
        z = y * x
    return tape.gradient(z, x)


def _watched_late(x, v):
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(x)
        z = y * x
    return tape.gradient(z, x)


def _made_before_the_tape(x, v):
    y = x * x
    with tf.GradientTape() as tape:
        z = y * x
    return tape.gradient(z, y)


def _forgotten(x, v):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = y * x
    return tape.gradient(z, x)


def _variable_assigned(x, v):
    with tf.GradientTape() as tape:
        y = v * v
        v.assign_add(1.0)
        z = y * v
    return tape.gradient(z, v)


def _asked_for_in_a_loop(x, v):
    total = tf.constant(0.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        for _ in tf.range(2):
            total += tape.gradient(y * x, x)
    return total


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        (_used_behind_the_tape, None),
        (_not_recorded, 9),
        (_watched_late, 9),
        (_made_before_the_tape, None),
        (_forgotten, 9),
        (_variable_assigned, 16),
        (_asked_for_in_a_loop, 54),
    ],
)
@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "traced"])
def test_what_a_tape_records(program, wanted, run):
    found = run(program)(tf.constant(3.0), tf.Variable(2.0))
    assert wanted is None is found or found.numpy() == wanted


def test_what_the_tape_of_a_function_cannot_tell_apart_is_refused():
    @tf.function
    def carried(x):
        total, y = tf.constant(0.0), x
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            for _ in tf.range(3):
                y = y * x
                total += tape.gradient(y, x)
        return total

    @tf.function
    def assigned_in_a_branch(x, v):
        with tf.GradientTape() as tape:
            if x > 1.0:
                v.assign(x)
            y = x * v
        return tape.gradient(y, v)

    with pytest.raises(NotImplementedError, match="what a loop carries"):
        carried(tf.constant(3.0))
    with pytest.raises(NotImplementedError, match="a loop or branch assigns"):
        assigned_in_a_branch(tf.constant(3.0), tf.Variable(2.0))
