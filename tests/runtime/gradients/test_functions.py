"""``rt.grad`` and its kin: structures of arguments, composition, inside of decorated functions, errors."""

from dataclasses import dataclass

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError

X = np.array([1.0, 2.0, 3.0])


def linear(p, y):
    return ((p["w"] @ y + p["b"]) ** 2).sum()


def test_structures_keep_their_shape():
    p = {"w": np.ones((2, 3)), "b": 0.5}
    of_p, of_y = rt.grad(linear, argnums=(0, 1))(p, X)
    np.testing.assert_allclose(of_p["w"], [[13.0, 26.0, 39.0]] * 2)
    assert of_p["b"] == 26.0 and type(of_p["b"]) is float
    np.testing.assert_allclose(of_y, [26.0, 26.0, 26.0])


@dataclass
class Line:
    slope: float
    points: np.ndarray
    name: str = "line"


def test_a_dataclass_has_a_gradient_of_its_class():
    found = rt.grad(lambda line: line.slope * line.points.sum())(Line(2.0, X))
    assert type(found) is Line and found.slope == 6.0 and found.name is None
    np.testing.assert_array_equal(found.points, [2.0, 2.0, 2.0])


def test_auxiliary_results_and_values():
    def f(x):
        return (x * x).sum(), {"first": x[0]}

    (value, aux), gradient = rt.value_and_grad(f, has_aux=True)(X)
    assert (value, aux) == (14.0, {"first": 1.0})
    np.testing.assert_array_equal(gradient, 2 * X)
    assert rt.grad(f, has_aux=True)(X)[1] == {"first": 1.0}


def test_tensors_have_gradients_that_are_tensors():
    found = rt.grad(lambda x: x.sum())(rt.constant(X))
    assert isinstance(found, rt.Tensor)


def test_training_inside_of_a_decorated_function():
    @rt.function
    def fit(w, y, steps):
        def loss(w):
            return ((w * y - 1.0) ** 2).sum()

        for _ in range(steps):
            w = w - 0.02 * rt.grad(loss)(w)
        return w

    np.testing.assert_allclose(fit(np.zeros(3), X, 400), 1 / X, rtol=1e-6)


def test_what_the_function_closes_over_is_constant_for_the_inner_gradient():
    def outer(x):
        return rt.grad(lambda z: (z**3 * x).sum())(x).sum()

    np.testing.assert_allclose(rt.grad(outer)(X), 9 * X**2)


def test_any_order():
    f = lambda x: np.sin(x) * x
    g = f
    for _ in range(4):
        g = rt.grad(g)
    assert g(1.3) == pytest.approx(1.3 * np.sin(1.3) - 4 * np.cos(1.3))


def test_jacobian_by_rows_and_by_columns():
    def wide(x):
        y = np.zeros(2)
        y[0] = x[0] * x[1]
        y[1] = x[2]
        return y

    np.testing.assert_array_equal(rt.jacobian(wide)(X), [[2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = rt.jacobian(lambda x: x[:, None] * x)(X)
    np.testing.assert_allclose(
        found, np.einsum("ik,j->ijk", np.eye(3), X) + np.einsum("jk,i->ijk", np.eye(3), X)
    )
    nested = rt.jacobian(lambda p: {"u": p["a"] * p["b"], "t": p["b"].sum()})({"a": 2.0, "b": X})
    np.testing.assert_array_equal(nested["u"]["b"], 2 * np.eye(3))
    np.testing.assert_array_equal(nested["t"]["b"], np.ones(3))


def test_hessian_and_its_product_with_a_vector():
    f = lambda x: (x**3).sum() * x[0]
    hessian = rt.hessian(f)(X)
    np.testing.assert_allclose(hessian, [[48.0 - 36.0, 12.0, 27.0], [12.0, 12.0, 0.0], [27.0, 0.0, 18.0]])
    np.testing.assert_allclose(rt.hvp(f, (X,), (np.ones(3),)), hessian.sum(axis=1))


def test_a_pullback_may_be_called_again():
    value, pullback = rt.vjp(lambda x, y: (x * y, y.sum()), X, 2 * X)
    np.testing.assert_array_equal(value[0], 2 * X * X)
    for cotangent in (np.ones(3), X):
        of_x, of_y = pullback((cotangent, 1.0))
        np.testing.assert_array_equal(of_x, 2 * X * cotangent)
        np.testing.assert_array_equal(of_y, X * cotangent + 1)


def test_stopped_and_replaced_gradients():
    assert rt.grad(lambda x: x * rt.stop_gradient(x))(3.0) == 3.0

    @rt.custom_gradient
    def root(x):
        y = np.sqrt(x)
        return y, lambda g: g * 0.5 / y

    assert root(4.0) == 2.0 and rt.grad(root)(4.0) == 0.25
    assert rt.grad(rt.grad(root))(4.0) == pytest.approx(-0.25 * 4**-1.5)
    assert rt.jvp(root, (4.0,), (1.0,)) == (2.0, 0.25)


def repeated(x, n):
    s = 0.1
    for i in range(n):
        s = np.sin(s) * x + 0.5 * i / n
    return s


def repeated_while(x, n):
    s, k = 0.1, 0
    while k < n:
        s = np.sin(s) * x + 0.5
        k += 1
    return s


@pytest.mark.parametrize("f", [repeated, repeated_while])
@pytest.mark.parametrize("n", [1, 10, 23])
def test_checkpoints_change_no_gradient(f, n):
    expected = rt.grad(f)(0.7, n)
    assert rt.grad(rt.remat(f))(0.7, n) == pytest.approx(expected)
    assert rt.grad(rt.remat(f, every=5))(0.7, n) == pytest.approx(expected)
    assert rt.grad(rt.grad(rt.remat(f, every=5)))(0.7, n) == pytest.approx(rt.grad(rt.grad(f))(0.7, n))


def test_stacks_grow_with_a_long_loop():
    found = rt.grad(rt.function(repeated, engine="native"))(0.7, 20_000)
    assert found == pytest.approx(rt.grad(rt.function(repeated, engine="numpy"))(0.7, 20_000))


def test_arrays_that_share_memory_are_refused_where_one_is_written():
    def f(x, y):
        x[0] = y[1] * 2
        return (x * y).sum()

    of_x, of_y = rt.grad(f, argnums=(0, 1))(X.copy(), X.copy())
    np.testing.assert_array_equal(of_x, [0.0, 2.0, 3.0])
    np.testing.assert_array_equal(of_y, [4.0, 4.0, 3.0])
    shared = X.copy()
    with pytest.raises(StagingError, match="two arrays that share memory"):
        rt.grad(f, argnums=(0, 1))(shared, shared[::-1])


def test_what_a_recursion_did_before_it_raised_has_no_gradient():
    def falling(y, k):
        y[k] = y[k] * y[0]
        return y[k] if k < 0 else falling(y, k + 1)

    def f(x):
        y = x * 2.0
        try:
            y[0] = falling(y, int(x[0]) - 1)
        except IndexError:
            y[2] = 0.0
        return y.sum()

    line = f.__code__.co_firstlineno + 3
    with pytest.raises(rt.GradientError, match=f":{line}:.* what a `try` did before it raised"):
        rt.grad(f)(X.copy())


def test_effects_happen_once(capsys):
    def f(x):
        print("x is", x)
        x[0] = 5.0
        return (x * x).sum()

    x = X.copy()
    np.testing.assert_array_equal(rt.grad(f)(x), [0.0, 4.0, 6.0])
    assert x[0] == 5.0 and capsys.readouterr().out == "x is [1. 2. 3.]\n"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rt.grad(lambda x: x * 2)(3), "`x` is int; derivatives are of floats"),
        (lambda: rt.grad(lambda x: str(x))(3.0), "returns a value of type str"),
        (lambda: rt.grad(lambda x: x * 2)(X), r"returns an array, f64\[3\]"),
        (lambda: rt.grad(lambda x: None)(X), "returns nothing"),
        (lambda: rt.grad(lambda x: 1.0)(X), "returns the constant 1.0"),
        (lambda: rt.grad(lambda x, y: y.sum())(X, X), "does not depend on `x`"),
        (lambda: rt.grad(lambda x: float(x > 0.5))(3.0), "through `greater|through `py.gt"),
        (lambda: rt.grad(lambda x: x, argnums=1)(3.0), "argnums is 1"),
        (lambda: rt.hessian(lambda x: x, argnums="x")(3.0), "rt.hessian: argnums is 'x'"),
        (lambda: rt.grad(3.0), "the first argument is 3.0, not a function"),
        (lambda: rt.jvp(lambda x: x, (3.0,), (1.0, 2.0)), "1 primals and 2 tangents"),
        (lambda: rt.remat(lambda x: x, every=0), "every is 0"),
        (lambda: rt.vjp(lambda x: print(x) or x, 3.0), "its pullback would do it again"),
    ],
)
def test_wrong_calls(call, words):
    with pytest.raises((rt.GradientError, TypeError), match=words):
        call()


def test_an_argument_of_another_type_on_each_path_is_refused_and_float_helps():
    def bowl(x):
        return np.sin(x) * x

    def descend(x):
        while abs(x) > 0.1:
            x = x - 0.2 * np.float64(rt.grad(bowl)(x))
        return x

    def descend_on_floats(x):
        while abs(x) > 0.1:
            x = x - 0.2 * np.float64(rt.grad(bowl)(float(x)))
        return x

    with pytest.raises(TypeError, match=r"`x` is of another type on each path(?s:.*)write float\(x\)"):
        rt.function(descend)(0.5)
    assert rt.function(descend_on_floats)(0.5) == pytest.approx(descend(0.5))


def test_a_gradient_that_is_asked_for_again_is_the_same_and_keeps_its_traces():
    class Model:
        def __init__(self, scale):
            self.scale = scale

        def loss(self, x):
            return self.scale * x * x

    model, other = Model(2.0), Model(3.0)
    assert rt.grad(model.loss) is rt.grad(model.loss) is not rt.grad(other.loss)
    assert [rt.grad(m.loss)(1.5) for m in (model, other, model)] == [6.0, 9.0, 6.0]
    assert rt.grad(model.loss, argnums=[0])(1.5) == (6.0,)


def test_an_infinite_slope_at_a_maximum_stays_with_that_item():
    def f(x):
        y = x * 1.0
        y[0] = 0.0
        return np.sqrt(y.max()) + x.sum()

    np.testing.assert_array_equal(rt.grad(f)(np.array([0.3, -0.7, -1.2])), [1.0, 1.0, 1.0])
