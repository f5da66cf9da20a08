"""Variables: read, assigned and shared, by plain Python and by decorated functions, on both engines."""

import copy
import pickle

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import ENGINES, attempt
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario

X = np.array([1.0, 2.0])


@scenario
def operators(function):
    v, k = rt.Variable(X), rt.Variable(3)

    @function
    def f(x):
        arithmetic = v + x, x - v, 2 * v, v / x, x**v, v @ x, -v, abs(v), divmod(v, 2), 7 // k, k | 4, ~k
        comparisons = v > 1, x == v, v != x, 1.5 <= v
        mixed = np.float64(2) * v, x.sum() * v, [1.0, 2.0] + v, v + [1.0, 2.0], k + v
        return arithmetic, comparisons, mixed

    return f(X * 3)


@scenario
def functions_of_numpy(function):
    v, w, k = rt.Variable(X), rt.Variable([3.0, 1.0]), rt.Variable(1)

    @function
    def f(x):
        made = np.sin(v), np.stack([v, x, w]), np.where(v > 1, v, x), np.dot(x, v), x.dot(v), np.sum([v, w])
        read = v.sum(), v.mean(), v.T, v.reshape(1, 2), v.max(), v.shape, v.dtype, v.ndim, len(v), v.tolist()
        index = x[k], x[k:], v[k], np.zeros(k), [i for i in range(k)]
        x[...] = v
        x[0] = k
        return made, read, index, np.add(v, 1, out=x), np.linalg.norm(w)

    return f(X * 3)


@scenario
def as_a_number(function):
    c, k = rt.Variable(2.5), rt.Variable(2)

    @function
    def f(x):
        if c:
            c.assign(c * x)
        return float(c), int(k), round(c.item(), 1), f"{c:.2f}", 5.0 in c.reshape(1), c > 3

    return f(2.0), f(0.0), f(1.0)


@scenario
def in_place(function):
    v, k = rt.Variable(X), rt.Variable([1, 2])

    @function
    def f(x):
        nonlocal v
        v += x
        v *= 2
        v[0] -= 1
        v[1:] = [7]
        k[...] = 4
        k[0] <<= 1
        v[...] = v.value[::-1]
        np.multiply(v, 2, out=v)
        return v

    return f(X), k


@scenario
def branches(function):
    v, w = rt.Variable(X), rt.Variable(X * 10)

    @function
    def f(x):
        chosen = v if x.sum() > 0 else w
        chosen.assign_add(x)
        if x[0] > 0:
            v[0] = 5.0
        elif x[1] > 0:
            w.assign(v)
            v.assign_sub(x)
        else:
            return chosen.value
        return v + w

    return [f(np.array(x)) for x in ([1.0, 1.0], [-1.0, 3.0], [-3.0, 1.0], [-1.0, -1.0])], v, w


@scenario
def many_in_one_loop(function):
    held = [rt.Variable(float(i)) for i in range(40)]

    @function
    def f(x):
        for v in held:
            if v > 20:
                v.assign_sub(x)
            else:
                v.assign_add(x)
        return sum(v + 0 for v in held)

    return f(1.0), f(2.0), held


@scenario
def exceptions_halfway(function):
    v, done = rt.Variable(X), rt.Variable(0)

    @function
    def f(x, n):
        try:
            v.assign_add(x)
            if n > 2:
                raise ValueError("too many")
            v[n] = 9.0
            done.assign_add(1)
        except IndexError:
            v.assign_sub(x)
        finally:
            done.assign_add(10)
        return v + done

    return [attempt(f, X, n) for n in (0, 2, 3, 1)], v, done


@scenario
def passed_as_arguments(function):
    @function
    def swap(a, b):
        before = a.numpy()
        a.assign(b)
        b.assign(before)
        return a + b

    a, b, c = rt.Variable(X), rt.Variable(X * 3), rt.Variable(X * 5, name="c")
    return swap(a, b), swap(b, c), swap(a, a), swap(a, b), [a, b, c]


@scenario
def made_for_each_object(function):
    class Layer:
        w = None

        @function
        def __call__(self, x):
            if self.w is None:
                self.w = rt.Variable(np.full(len(x), 0.5))
                self.calls = rt.Variable(0)
            self.calls.assign_add(1)
            return self.w * x

    a, b = Layer(), Layer()
    return a(X), a(X), b(X), b(X), a(X), a, b


@scenario
def wrong_values(function):
    v, k = rt.Variable(X, name="v"), rt.Variable(0)

    @function
    def shape(x):
        v.assign(x)

    @function
    def broadcast():
        v.assign_add(1.0)

    @function
    def dtype(x):
        k.assign(x)

    @function
    def item(x):
        k[...] = x

    @function
    def name(x):
        return rt.Variable(x, name=3)

    @function
    def some(x):
        v.assign(x[x > 0])

    @function
    def rows(x):
        v.assign([x[x > 0].sum(), x[0]])

    @function
    def caught(x):
        try:
            v.assign_sub(x)
        except ValueError as error:
            return str(error)

    wrong = (
        attempt(shape, np.ones(3)),
        attempt(shape, np.ones((1, 2))),
        attempt(broadcast),
        attempt(dtype, 1.5),
    )
    return wrong, attempt(item, 2.5), attempt(name, 1.0), caught(np.ones(3)), v, k


@scenario
def casts_within_a_kind(function):
    narrow, whole = rt.Variable(X, dtype="float32"), rt.Variable([1, 2], dtype="int8")
    bits = rt.Variable(0, dtype="uint8")

    @function
    def f(x):
        narrow.assign(x)
        narrow.assign_add([1, 2])
        whole.assign([3, 4])
        whole[0] = 5
        bits.assign(7)
        return narrow + 1, whole + 1, bits + 0

    def overflow(x):
        whole[1] = x

    def wrong_sign(x):
        bits.assign(x)

    wrong = attempt(function(overflow), 300), attempt(function(wrong_sign), np.int64(3))
    return f(X / 3), wrong, narrow, whole, bits


test_program = PROGRAMS.test()


def test_what_a_variable_says_and_checks():
    v = rt.Variable([1, 2], name="v")
    assert repr(v) == "Variable([1, 2], shape=(2,), dtype=int64, name='v')"
    assert (v.trainable, v.name, v.size, rt.Variable(v).name) == (True, "v", 2, None)
    assert rt.Variable(X).value is not X
    for restored in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        restored.assign_add([1, 1])
        assert (restored.tolist(), restored.name, v.tolist()) == ([2, 3], "v", [1, 2])
    with pytest.raises(TypeError, match="class Own has a `__array_ufunc__` of its own"):
        type("Own", (rt.Variable,), {"__array_ufunc__": None})
    with pytest.raises(TypeError, match="unhashable type"):
        hash(v)
    for attribute in ("asign", "name", "shape"):
        with pytest.raises(AttributeError):
            setattr(v, attribute, 3)
    for wrong, message in (
        ({"name": 3}, "the name of a variable is a string, not int"),
        ({"trainable": "no"}, "`trainable` is True or False, not str"),
        ({"dtype": object}, "a variable of dtype object cannot be made"),
    ):
        with pytest.raises(TypeError, match=message):
            rt.Variable(1.0, **wrong)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_variable_of_each_call_is_refused_from_the_second_on(engine):
    @rt.function(engine=engine)
    def f(x):
        v = rt.Variable(x)
        return v.assign_add(x).value

    assert f(X).tolist() == [2.0, 4.0]
    for argument in (X, np.ones(3)):  # the same trace, and a new one
        with pytest.raises(StagingError, match="made here by each call") as caught:
            f(argument)
        assert caught.value.source_line.strip() == "v = rt.Variable(x)"
        for words in ("create it outside and pass it in", "if self.v is None", "rt.Module"):
            assert words in caught.value.hint


def test_a_variable_on_a_condition_of_the_run_is_refused():
    @rt.function
    def f(x):
        if x.sum() > 0:
            v = rt.Variable(x)
            return v + 1
        return x

    with pytest.raises(StagingError, match="only a run knows whether") as caught:
        f(X)
    assert caught.value.source_line.strip() == "v = rt.Variable(x)"


def test_check_first_runs_the_plain_function_beside():
    v = rt.Variable(0.0)

    @rt.function(check="first")
    def f(x):
        v.assign_add(x)
        return v + 0

    assert [f(1.0), f(1.0), v.item()] == [1.0, 2.0, 2.0]


def test_eager_and_decorated_functions_share_a_variable():
    v = rt.Variable(0.0)
    f = rt.function(lambda x: v.assign_add(x).value)
    assert f(1.0) is v.value
    v.assign(5)
    rt.run_functions_eagerly(True)
    try:
        assert f(1.0) is v.value
    finally:
        rt.run_functions_eagerly(False)
    assert f(1.0).item() == 7.0
