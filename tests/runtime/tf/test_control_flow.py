"""Python's control flow over tensors in a `tf.function`, against the same function run as Python."""

import numpy as np
import pytest

import runtime.tf as tf

pytestmark = pytest.mark.usefixtures("engine")


def check(function, *calls):
    """The traced function gives what the plain one gives on eager tensors."""
    traced = tf.function(function)
    for arguments in calls:
        arguments = [tf.constant(a) for a in arguments]
        np.testing.assert_array_equal(traced(*arguments).numpy(), function(*arguments).numpy())


def test_collatz():
    def collatz(n):
        steps = tf.constant(0)
        while n > 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    check(collatz, [27], [1])


def test_early_return_and_chains():
    def sign(x):
        if x > 0:
            return x * 0 + 1
        elif x < 0:
            return x * 0 - 1
        return x

    check(sign, [5], [-5], [0], [2.5])


def test_breaks_continues_and_else():
    def total(x):
        s = tf.constant(0.0)
        for e in x:
            if e < 0:
                break
            if e == 1:
                continue
            s += e
        else:
            s = -s
        return s

    check(total, [[1.0, 2.0, 3.0]], [[5.0, -1.0, 7.0]], [np.zeros(0, np.float32)])


def test_and_or_not_and_conditional_expressions():
    def f(a, b):
        both = a > 0 and b > 0
        x = a if both or not b < 5 else b
        return x + (1 if a < b < 10 else 0)

    check(f, [1, 2], [1, -2], [-1, 7], [-1, 20])


def test_nested_loops():
    def f(x):
        total = tf.constant(0)
        for row in x:
            for item in row:
                if item % 2 == 0:
                    total += item
        return total

    check(f, [np.arange(12, dtype=np.int32).reshape(3, 4)])


def test_shapes_that_merge():
    @tf.function
    def f(flag):
        x = tf.ones([2]) if flag else tf.ones([3])
        return x, x.shape

    found, shape = f(tf.constant(True))
    assert found.shape == (2,) and shape == (None,)
    assert f(tf.constant(False))[0].shape == (3,)


def test_what_both_branches_need():
    @tf.function
    def undefined(x):
        if x > 0:
            y = x
        return y

    with pytest.raises(ValueError, match="'y' must also be initialized in the else branch"):
        undefined(tf.constant(1))

    @tf.function
    def types(x):
        y = 0
        if x > 0:
            y = 1.5
        return y

    with pytest.raises(TypeError, match="'y' has dtype"):
        types(tf.constant(1))

    @tf.function
    def none(x):
        y = None
        if x > 0:
            y = x
        return y

    with pytest.raises(ValueError, match="'y' is None at the end of the else branch"):
        none(tf.constant(1))


@pytest.mark.parametrize("shape", [[None], None])
def test_shapes_that_change_in_a_loop(shape):
    def grow(n, relaxed):
        x = tf.constant([1])
        for i in tf.range(n):
            if relaxed:
                tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape(shape))])
            x = tf.concat([x, [i]], 0)
        return x

    grow = tf.function(grow)
    with pytest.raises(ValueError, match=r"'x' has shape \(1,\) before the loop, but shape \(2,\)"):
        grow(tf.constant(3), False)
    np.testing.assert_array_equal(grow(tf.constant(3), True).numpy(), [1, 0, 1, 2])


def test_at_most_so_many_iterations():
    @tf.function
    def f(x):
        n = 0
        while x > 0:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            n += 1
        return n

    assert f(tf.constant(1)).numpy() == 3


def test_a_variable_of_the_last_iteration():
    @tf.function
    def last(n):
        for i in tf.range(n):
            y = i * 2
        return y

    assert last(tf.constant(4)).numpy() == 6


def test_loops_of_python_whose_end_a_tensor_decides():
    @tf.function
    def f(limit):
        total = 0
        for k in [1, 2, 3, 4]:
            if total > limit:
                break
            total += k
        return total

    assert [f(tf.constant(n)).numpy() for n in (0, 2, 100)] == [1, 3, 10]


def test_variables_in_branches_and_loops():
    v = tf.Variable(0)

    @tf.function
    def f(n):
        for i in tf.range(n):
            if i % 2 == 0:
                v.assign_add(i)
        return v.read_value()

    assert f(tf.constant(5)).numpy() == 6
    assert v.numpy() == 6


def test_a_loop_is_traced_once_and_prints_in_order(capfd):
    @tf.function
    def f(n):
        for i in tf.range(n):
            print("tracing")
            tf.print(i)

    f(tf.constant(3))
    out, err = capfd.readouterr()
    assert out == "tracing\n" and err == "0\n1\n2\n"


def test_tensor_arrays():
    @tf.function
    def squares(n):
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, i * i)
        return array.stack(), array.read(2), array.size()

    found, third, size = squares(tf.constant(4))
    np.testing.assert_array_equal(found.numpy(), [0, 1, 4, 9])
    assert third.numpy() == 4 and size.numpy() == 4


def test_control_flow_by_functions():
    def f(x):
        y = tf.cond(x > 0, lambda: x, lambda: -x)
        i, total = tf.while_loop(lambda i, t: i < y, lambda i, t: (i + 1, t + i), [0, 0])
        z = tf.switch_case(y % 3, [lambda: 10, lambda: 20, lambda: 30])
        return total + z

    check(f, [5], [-4], [0])
    doubled = tf.function(lambda x: tf.map_fn(lambda r: r * 2, x))(tf.range(20))
    np.testing.assert_array_equal(doubled.numpy(), np.arange(20) * 2)


def test_attributes_and_items_count_as_variables():
    class Counter:
        def __init__(self):
            self.n = tf.constant(0)
            self.table = {"odd": 0, "even": 0}

    def f(n):
        counter = Counter()
        for i in tf.range(n):
            counter.n += i
            if i % 2 == 0:
                counter.table["even"] += 1
            else:
                counter.table["odd"] += 1
        return counter.n * 100 + counter.table["even"] * 10 + counter.table["odd"]

    check(f, [5], [0])


def test_a_tensor_does_not_leave_a_loop_in_a_list():
    @tf.function
    def f(n):
        kept = []
        for i in tf.range(n):
            kept.append(i)
        return kept

    with pytest.raises(TypeError, match=r"out of scope.*tf\.TensorArray"):
        f(tf.constant(3))


def test_zip_and_enumerate_of_tensors_whose_length_varies():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        total = 0.0
        for k, item in enumerate(x):
            total += tf.cast(k, tf.float32) * item
        for a, b in zip(x, x):
            if a > 2:
                break
            total += a * b
        return total

    assert f(tf.constant([1.0, 2.0, 3.0])).numpy() == 8 + 5
    assert f(tf.constant([3.0])).numpy() == 0


def test_a_variable_that_a_loop_makes_needs_an_iteration():
    @tf.function
    def last(n):
        for i in tf.range(n):
            y = i * 2
        return y

    assert last(tf.constant(3)).numpy() == 4
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least once to initialize 'y'"):
        last(tf.constant(0))

    @tf.function
    def while_(n):
        while n > 0:
            n -= 1
            z = n
        return z

    assert while_(tf.constant(2)).numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="'z'"):
        while_(tf.constant(0))


def test_a_while_loop_of_functions_ends_after_so_many_iterations():
    run = tf.function(
        lambda n: tf.while_loop(
            lambda i, s: i < n, lambda i, s: (i + 1, s + i), (0, 0), maximum_iterations=tf.constant(3)
        )
    )
    assert [x.numpy() for x in run(tf.constant(10))] == [3, 3]
    assert [x.numpy() for x in run(tf.constant(2))] == [2, 1]


def test_a_tensor_array_of_fixed_size_has_an_end():
    @tf.function
    def write(k):
        return tf.TensorArray(tf.float32, size=2, element_shape=()).write(k, 1.0).stack()

    np.testing.assert_array_equal(write(tf.constant(1)).numpy(), [0, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="TensorArray"):
        write(tf.constant(2))


def test_a_path_without_a_return():
    @tf.function
    def f(x):
        if x > 0:
            return x

    with pytest.raises(ValueError, match="the else branch must also have a return statement"):
        f(tf.constant(1))


def test_a_dict_that_a_loop_changes():
    @tf.function
    def f(n):
        d = {"sum": tf.constant(0), "count": 0}
        for i in tf.range(n):
            d["sum"] += i
            d["count"] = d["count"] + 1
        return d["sum"], d["count"]

    assert [x.numpy() for x in f(tf.constant(4))] == [6, 4]


class Logs:
    """A dict that no variable of the function holds."""

    def __init__(self):
        self.held = {"sum": tf.constant(0)}


@pytest.mark.parametrize("of_object", [False, True])
@pytest.mark.parametrize("statement", ["if", "for"])
def test_a_dict_that_gains_a_key(statement, of_object):
    logs = Logs()

    def f(n):
        logs.held = {"sum": tf.constant(0)}
        d = {"sum": tf.constant(0)}
        same = logs.held if of_object else d
        if statement == "if":
            if n > 2:
                same["last"] = n
                same["sum"] += n
            else:
                same["last"] = n - 1
        else:
            for i in tf.range(n):
                same["last"] = i * 2
                same["sum"] += same["last"]
        return (logs.held if of_object else d)["last"] + 100 * same["sum"]

    check(f, [3], [1])


def test_a_key_that_is_not_always_there():
    @tf.function
    def branch(n):
        d = {}
        if n > 2:
            d["last"] = n
        return d

    @tf.function
    def loop(n):
        d = {}
        for i in tf.range(n):
            d["last"] = i
        return d["last"]

    with pytest.raises(ValueError, match=r"'the dict\['last'\]' must also be initialized in the else branch"):
        branch(tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"at least once to initialize 'd\['last'\]'"):
        loop(tf.constant(0))


def test_another_name_of_what_a_loop_changes_sees_the_change():
    @tf.function
    def f(n):
        d, rows = {"sum": tf.constant(0), "rows": [tf.constant(1)]}, [tf.constant(0)]
        same, row, last = d, d["rows"], rows
        for i in tf.range(n):
            d["sum"] += i
            d["rows"][0] = d["rows"][0] * 2
            rows[0] = i
        return d["sum"], same["sum"], row[0], last[0]

    assert [x.numpy() for x in f(tf.constant(4))] == [6, 6, 16, 3]

    @tf.function
    def g(n):
        d = {"sum": tf.constant(0)}
        before = d
        for i in tf.range(n):
            d = {"sum": d["sum"] + i}
        return d["sum"], before["sum"]

    assert [x.numpy() for x in g(tf.constant(4))] == [6, 0]


def test_a_tensor_array_that_is_written_on_one_path():
    @tf.function
    def primes(n):
        found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for k in tf.range(2, n):
            prime = True
            for d in tf.range(2, k):
                if k % d == 0:
                    prime = False
                    break
            if prime:
                found = found.write(found.size(), k)
        return found.stack()

    np.testing.assert_array_equal(primes(tf.constant(20)).numpy(), [2, 3, 5, 7, 11, 13, 17, 19])


@pytest.mark.parametrize(("x", "n"), [(1.0, 3), (2.0, 1), (-1.0, 4)])
def test_a_tensor_array_among_the_variables_of_a_while_loop(x, n):
    @tf.function
    def filled(x, n):
        more = lambda i, found: (i + 1, found.write(i, x * 2.0))
        start = (0, tf.TensorArray(tf.float32, size=n))
        return tf.while_loop(lambda i, found: i < n, more, start)[1].stack()

    np.testing.assert_array_equal(filled(tf.constant(x), n).numpy(), np.full(n, 2 * x, np.float32))


def test_rows_of_different_lengths():
    rows = tf.ragged.constant([[1, 2, 3], [], [4, 5]])
    assert rows.to_list() == [[1, 2, 3], [], [4, 5]] and rows.shape == (3, None) and rows.dtype == tf.int32
    assert rows.row_lengths().numpy().tolist() == [3, 0, 2]

    def f(most):
        total = tf.constant(0)
        for row, weight in zip(rows, tf.constant([1, 10, 100])):
            if tf.size(row) > most:
                continue
            for x in row:
                total += x * weight
        for k, row in enumerate(rows):
            total += k * tf.reduce_sum(row)
        return total

    check(f, [5], [2])
    with pytest.raises(NotImplementedError, match="pad rows of rows to one length"):
        tf.ragged.constant([[[1]]])
    with pytest.raises(AttributeError, match="tf.ragged has no 'stack' here"):
        tf.ragged.stack
