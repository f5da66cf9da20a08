"""`rt.GradientTape`: outside of decorated functions, inside, and around calls of them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.special

import runtime as rt
from autograph.errors import AutographError
from tests.differential import ENGINES

X = np.array([0.5, -2.0])


class State:
    """Variables that each run of a program begins with anew."""

    def __init__(self) -> None:
        self.w = rt.Variable([1.0, 2.0])
        self.b = rt.Variable(0.5)
        self.mean = rt.Variable([0.0, 0.0], trainable=False)


def ways(program: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """As it is, and decorated."""
    yield program
    for engine in ENGINES:
        yield rt.function(program, engine=engine)


def same(found: Any, wanted: Any) -> None:
    """Equal structures; what is no None is a Tensor."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key, item in wanted.items():
            same(found[key], item)
    elif isinstance(wanted, list | tuple):
        assert type(found) is type(wanted) and len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            same(one, other)
    elif wanted is None:
        assert found is None
    else:
        assert isinstance(found, rt.Tensor)
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)
        assert found.shape == np.shape(wanted)


def dense(s, x):
    with rt.GradientTape() as tape:
        y = np.tanh(x * s.w + s.b)
        loss = (y * y).sum()
    return tape.gradient(loss, {"w": s.w, "b": [s.b]})


def branches_and_loops(s, x):
    with rt.GradientTape() as tape:
        y = s.w * x
        for k in range(4):
            if y.sum() > 1:
                y = y * s.w
            else:
                y = y + s.w * k
        loss = y.sum()
    return tape.gradient(loss, s.w)


def writes(s, x):
    with rt.GradientTape() as tape:
        y = s.w * x
        y[0] = y[1] * y[1]
        y += s.w
        loss = (y * y).sum()
    return tape.gradient(loss, s.w)


def assignments(s, x):
    """With respect to what the variable held when the tape began."""
    with rt.GradientTape() as tape:
        s.w.assign_add(s.w * x)
        s.w[0] = 3 * s.w[1]
        s.mean.assign(s.w * 2)
        loss = (s.w * s.mean).sum()
    return tape.gradient(loss, s.w)


def second_order(s, x):
    x = rt.constant(x)
    with rt.GradientTape() as outer:
        outer.watch(x)
        with rt.GradientTape() as inner:
            inner.watch(x)
            y = (x**3).sum()
        slope = inner.gradient(y, x)
        total = slope.sum()
    return slope, outer.gradient(total, x)


def second_order_of_what_is_linear(s, x):
    with rt.GradientTape() as outer:
        with rt.GradientTape() as inner:
            y = (s.w * x).sum()
        slope = inner.gradient(y, s.w)
    return outer.gradient(slope, s.w)


def persistent(s, x):
    x = rt.constant(x)
    with rt.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * x
    return tape.gradient(z, x), tape.gradient(z, [y, x]), tape.jacobian(z, x), tape.gradient(y, z)


def several_targets(s, x):
    with rt.GradientTape(persistent=True) as tape:
        y = s.w * x
        z = s.w.reshape(2, 1) @ s.w.reshape(1, 2)
    weights = np.array([1.0, 10.0])
    return tape.gradient([y, z], s.w), tape.gradient(y, s.w, output_gradients=weights)


def unconnected(s, x):
    with rt.GradientTape(persistent=True) as tape:
        loss = (s.w * s.w).sum()
        steps = np.floor(s.w).sum()
    after = loss * 2
    zeros = tape.gradient(loss, [s.b, s.mean], unconnected_gradients="zero")
    return tape.gradient(loss, s.mean), zeros, tape.gradient(steps, s.w), tape.gradient(after, s.w)


def stopped(s, x):
    with rt.GradientTape() as tape:
        a = s.w * s.w
        for _ in range(2):
            with tape.stop_recording():
                b = s.w * a
        loss = (a * b).sum()
    return tape.gradient(loss, s.w)


def only_watched(s, x):
    with rt.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(s.b)
        loss = (s.w * s.b).sum()
    return tape.gradient(loss, [s.w, s.b]), [v.numpy() for v in tape.watched_variables()]


def training(s, x):
    for _ in range(40):
        with rt.GradientTape() as tape:
            loss = ((s.w * x - 1.0) ** 2).sum()
        s.w.assign_sub(0.1 * tape.gradient(loss, s.w))
    return s.w * 1.0


def starts_as_an_int(s, x):
    with rt.GradientTape() as tape:
        total = 0
        for v in x:
            if v > 0:
                total = total + v * s.b
    return tape.gradient(total, s.b)


def in_a_try(s, x):
    try:
        with rt.GradientTape() as tape:
            loss = (s.w * x).sum()
            if loss > 100:
                raise ValueError
        slope = tape.gradient(loss, s.w)
    except ValueError:
        slope = s.w * 1.0
    return slope


U = np.tanh(X * [1.0, 2.0] + 0.5)
DU = 2 * U * (1 - U**2)
W = np.array([1.0, 2.0])

WANTED: list[tuple[Callable[..., Any], Any]] = [
    (dense, {"w": DU * X, "b": [DU.sum()]}),
    (branches_and_loops, 2 * W * X + 6 * W),
    (writes, np.array([2 * (16 + 1), 2 * 17 * 2 * -4 * -2 + 2 * -2 * -1])),
    (assignments, np.array([0.0, 2 * 2 * (9 + 1) * 2 * (1 - 2) ** 2])),
    (second_order, (3 * X**2, 6 * X)),
    (second_order_of_what_is_linear, np.zeros(2)),
    (persistent, (3 * X**2, [X, 3 * X**2], np.diag(3 * X**2), None)),
    (several_targets, (X + 2 * W.sum(), X * [1, 10])),
    (unconnected, (None, [0.0, np.zeros(2)], None, None)),
    (stopped, 2 * W * W**3),
    (starts_as_an_int, 0.5),
    (in_a_try, X),
]


@pytest.mark.parametrize(("program", "wanted"), WANTED, ids=[p.__name__ for p, _ in WANTED])
def test_gradients(program, wanted):
    for run in ways(program):
        same(run(State(), X), wanted)


class Lazy(rt.Module):
    """Makes its variables when it is first called, as layers do."""

    def __init__(self):
        self.w = None

    def __call__(self, x):
        if self.w is None:
            self.w = rt.Variable(np.ones(x.shape))
        return (self.w * x * self.w).sum()


def test_variables_that_are_made_inside_of_the_tape():
    def step(model, x):
        with rt.GradientTape() as tape:
            loss = model(x)
        return tape.gradient(loss, model.w)

    for run in ways(step):
        model = Lazy()
        same(run(model, X), 2 * X)
        model.w.assign([3.0, 5.0])
        same(run(model, X), 2 * X * [3, 5])


@pytest.mark.parametrize("engine", ENGINES)
def test_variables_that_a_decorated_function_makes_at_its_first_call(engine):
    model = Lazy()
    call = rt.function(lambda x: model(x), engine=engine)
    for _ in range(3):
        with rt.GradientTape() as tape:
            loss = call(X)
        same(tape.gradient(loss, model.trainable_variables), [2 * X])


def test_what_is_watched():
    for run in ways(only_watched):
        found, watched = run(State(), X)
        same(found, [None, 3.0])
        assert watched == [0.5]


def test_a_training_loop():
    results = [np.asarray(run(State(), X)) for run in ways(training)]
    np.testing.assert_allclose(results, [results[0]] * 3)
    np.testing.assert_allclose(results[0][1], -0.5, atol=1e-6)


# -- decorated functions inside a tape ----------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_a_decorated_function_is_one_step_and_runs_once(engine, capsys):
    s = State()

    @rt.function(engine=engine)
    def normalised(x):
        print("run")
        y = s.w * x
        s.mean.assign(0.9 * s.mean + 0.1 * y)
        return y

    with rt.GradientTape() as tape:
        y = normalised(X)
        loss = (y * y).sum() + s.mean.sum()
    assert [v is s.w for v in tape.watched_variables()] == [True]
    same(tape.gradient(loss, s.w), 2 * W * X**2 + 0.1 * X)
    assert capsys.readouterr().out == "run\n"
    np.testing.assert_allclose(s.mean, 0.1 * W * X)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_decorated_function_that_writes_into_its_argument(engine):
    s, t = State(), rt.constant(X)

    @rt.function(engine=engine)
    def scale(t):
        t *= s.w
        return t.sum()

    with rt.GradientTape() as tape:
        tape.watch(t)
        loss = scale(t) + 3 * t.sum()
    same(tape.gradient(loss, [t, s.w]), [4 * W, 4 * X])


@pytest.mark.parametrize("engine", ENGINES)
def test_higher_derivatives_through_decorated_functions(engine):
    s = State()

    @rt.function(engine=engine)
    def cubes():
        return (s.w**3).sum()

    @rt.function(engine=engine)
    def slope():
        with rt.GradientTape() as inner:
            y = cubes()
        return inner.gradient(y, s.w)

    with rt.GradientTape(persistent=True) as outer:
        with rt.GradientTape() as inner:
            y = cubes()
        first, second = inner.gradient(y, s.w), slope()
    same(first, 3 * W**2)
    same(outer.jacobian(first, s.w), np.diag(6 * W))
    same(outer.jacobian(second, s.w), np.diag(6 * W))


def test_values_of_the_call_count_not_those_of_the_gradient():
    s = State()
    with rt.GradientTape(persistent=True) as tape:
        loss = (s.w * s.w).sum()
    s.w.assign([5.0, 5.0])
    same(tape.gradient(loss, s.w), 2 * W)


def test_random_numbers_are_not_drawn_again():
    s, rng = State(), np.random.default_rng(0)

    @rt.function
    def dropout(x):
        return (s.w * x * rng.normal(size=2)).sum()

    with rt.GradientTape() as tape:
        loss = dropout(X)
    with pytest.raises(AutographError, match="would run this function a second time") as error:
        tape.gradient(loss, s.w)
    assert "use the tape inside of the decorated function" in str(error.value)


# -- what is refused ----------------------------------------------------------------------------------------


def used_twice(s, x):
    with rt.GradientTape() as tape:
        loss = s.w.sum()
    tape.gradient(loss, s.w)
    return tape.gradient(loss, s.w)


def of_an_array(s, x):
    with rt.GradientTape() as tape:
        tape.watch(x)
    return x


def of_ints(s, x):
    with rt.GradientTape() as tape:
        place = np.argmax(s.w)
    return tape.gradient(place, s.w)


def of_a_number(s, x):
    with rt.GradientTape() as tape:
        loss = float(s.w[0])
    return tape.gradient(loss, s.w)


def wrong_weights(s, x):
    with rt.GradientTape() as tape:
        y = s.w * 2
    return tape.gradient(y, s.w, output_gradients=np.ones(3))


def of_a_module(s, x):
    with rt.GradientTape() as tape:
        y = s.w.sum()
    return tape.gradient(y, rt.Module())


REFUSED = [
    (used_twice, r"used already, and is not persistent(?s:.*)GradientTape\(persistent=True\)"),
    (of_an_array, r"`tensor` is .*, which no tape follows(?s:.*)rt.constant"),
    (of_ints, "derivatives are of floats"),
    (of_a_number, "which no tape follows(?s:.*)leave the tape"),
    (wrong_weights, r"has shape \(3,\), its target \(2,\)"),
    (of_a_module, "`sources` is a Module(?s:.*)trainable_variables"),
]


@pytest.mark.parametrize(("program", "words"), REFUSED, ids=[p.__name__ for p, _ in REFUSED])
def test_refused(program, words):
    for run in ways(program):
        with pytest.raises(AutographError, match=words):
            run(State(), X)


def test_a_tape_from_outside_is_refused_in_a_decorated_function():
    s, tape = State(), rt.GradientTape()

    @rt.function
    def late(x):
        return tape.gradient(x.sum(), s.w)

    with pytest.raises(AutographError, match="a tape that was made outside"):
        late(X)


def test_a_view_that_was_written_is_not_taken_for_what_it_was():
    s = State()
    with rt.GradientTape() as tape:
        view = s.w[0:1]
        s.w.assign(s.w * 3)
        y = view * 2
    same(tape.gradient(y, s.w), np.array([6.0, 0.0]))


def test_a_gradient_in_a_branch_is_refused():
    s = State()

    @rt.function
    def sometimes(x):
        with rt.GradientTape() as tape:
            loss = (s.w * x).sum()
        if loss > 0:
            return tape.gradient(loss, s.w)
        return s.w * 0.0

    with pytest.raises(AutographError, match="in another loop, branch or `try` than that of its `with`"):
        sometimes(X)


OPERATIONS = {
    "eigh": lambda w: np.linalg.eigh(w).eigenvalues[0] * 1.0,
    "solve": lambda w: np.linalg.solve(w, np.ones(2)).sum(),
    "places": lambda w: (w[[0, 1], [1, 1]] ** 2).sum(),
    "mask": lambda w: (w * w)[w > 1.5].sum(),
    "rows": lambda w: sum([row.sum() * k for k, row in enumerate(w)]),
    "views": lambda w: (-w[::-1, 0]).dot(np.ones(2)) + w.T[1].sum() + w.reshape(-1)[2] ** 2,
    "split": lambda w: np.split(w, 2)[0].sum() + np.vstack([w, 2 * w]).mean(),
    "special": lambda w: scipy.special.erf(w).sum(),
    "axes": lambda w: np.sum(w, axis=0, keepdims=True)[0, 1] + w.cumsum(axis=1).sum() + w.std(ddof=1),
    "numbers": lambda w: min(w[0, 0], w[1, 1]) * 2 + abs(w - 1.5).sum() + (2.0**w).sum() / w.shape[0],
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_on_a_tape_have_the_derivatives_that_they_have_in_a_graph(name):
    operation, matrix = OPERATIONS[name], np.array([[2.0, 1.0], [1.0, 3.0]])

    def program(w):
        with rt.GradientTape() as tape:
            y = operation(w)
        return tape.gradient(y, w)

    for run in ways(program):
        same(run(rt.Variable(matrix)), rt.grad(operation)(matrix))


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_loss_that_is_added_up(rows):
    w, x, y = rt.Variable([1.0, 2.0]), np.arange(2.0 * rows).reshape(rows, 2), np.ones(rows)

    def program(x, y):
        with rt.GradientTape() as tape:
            loss = 0.0
            for k in range(len(x)):
                error = x[k] @ w - y[k]
                loss += error * error
            loss /= len(x)
        return tape.gradient(loss, w)

    for run in ways(program):
        same(run(x, y), 2 * x.T @ (x @ [1.0, 2.0] - y) / rows)
