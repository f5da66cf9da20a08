"""`engine="jax"`: what plain Python means, on JAX; and what JAX has not, refused with the line."""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph
import runtime as rt
from tests.long import some
from tests.ordinary.test_ordinary import CASES as ORDINARY
from tests.runtime.ops.test_registry import SAMPLES, split, value_of
from tests.runtime.samples import strange
from tests.semantics.test_cases import CASES as SEMANTICS


@pytest.mark.parametrize("name", some(sorted(SEMANTICS), 8))
def test_semantics(name):
    SEMANTICS[name].run("jax", may_refuse=True)


@pytest.mark.parametrize("name", some(sorted(set(ORDINARY) - {"game_of_life"}), 8))
def test_ordinary(name):
    ORDINARY[name].run("jax", may_refuse=True)


def compare(f, *calls):
    """Decorated for JAX and plain: results, identity with arguments, what arguments hold, exceptions."""
    on_jax = rt.function(engine="jax")(f)
    for arguments in calls:
        seen = []
        for function in (f, on_jax):
            given = copy.deepcopy(arguments)
            try:
                result = function(*given)
                what = type(result), np.asarray(result).tolist(), [result is x for x in given]
            except (ValueError, IndexError, ZeroDivisionError) as error:
                what = type(error), str(error), None
            seen.append((what, [np.asarray(x).tolist() for x in given]))
        assert seen[0] == seen[1]


X = np.array([3.0, -1.0, 4.0])


def test_a_result_is_the_argument_where_it_is_in_python():
    def doubled_or_not(x):
        if x[0] > 0:
            x = x * 2
        return x

    compare(doubled_or_not, (X,), (-X,))


SINGULAR, INDEFINITE, STRANGE = np.array([[[1.0, 2], [2, 4]], [[1, 2], [2, 1]], [[np.nan, 0], [0, 1]]])


@pytest.mark.parametrize(
    "f",
    [
        np.linalg.inv,
        np.linalg.cholesky,
        np.linalg.pinv,
        lambda a: np.linalg.solve(a, np.ones(2)),
        lambda a: np.linalg.matrix_power(a, -1),
        lambda a: np.linalg.svd(a)[1],
    ],
)
def test_matrices_that_numpy_refuses(f):
    for a in (SINGULAR, INDEFINITE, STRANGE):
        found = []
        for function in (f, rt.function(engine="jax")(lambda a: f(a))):
            try:
                found.append(function(a))
            except np.linalg.LinAlgError as error:
                found.append(str(error))
        if isinstance(found[0], str):
            assert found[0] == found[1]
        else:
            np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


def test_writes_into_arguments_and_through_views():
    def write(x, k):
        row = x[1:]
        row[k] = 7.0
        row += 1
        x[::-1][2] -= row.sum()
        return x[::-1].sum()

    compare(write, (X, 1), (X, -2))


def test_exceptions_come_from_the_reference_engine_and_nothing_is_written_before():
    def store(x, k):
        x[0] = 9.0
        if x[1] < 0 and k > 2:
            raise ValueError(f"{k} is too large")
        x[k] = 1.0
        return 1 // (k - 1)

    compare(store, (X, 0), (X, 2), (X, 3), (X, 1), (-X, 7))


def test_an_exception_that_is_caught():
    def caught(x, k):
        try:
            return x[k]
        except IndexError:
            return x[0] - 1

    compare(caught, (X, np.int64(1)), (X, np.int64(5)))


def test_ints_stay_within_64_bits_or_the_call_is_refused():
    def power(n):
        value = 1
        for _ in range(n):
            value = value * 2
        return value

    f = rt.function(engine="jax")(power)
    assert f(62) == 2**62
    with pytest.raises(OverflowError, match="does not fit in 64 bits"):
        f(63)


def test_lengths_of_ints_of_the_arguments():
    def triangle(n):
        x = np.zeros(n)
        for i in range(n):
            x[i] += i
        return x

    compare(triangle, (4,), (2,), (12,))


def test_slices_of_known_length_that_begin_where_a_run_says():
    """Beyond the ends they are shorter, or count from the end: the reference engine makes the call."""

    def windows(x, i):
        total = 0.0
        for k in range(12):
            total = total + x[k : k + 3].sum() * x[k + 1]
        x[i : i + 2] += 1
        x[i - 1 : i + 1] = 0
        return total + x[i : i + 2].sum()

    x = np.arange(14.0)
    compare(windows, *[(x, np.int64(i)) for i in (1, 3, 0, 13, 12)])


def test_loops_whose_items_are_selected_by_a_mask():
    def clipped(x):
        x[x < 0] *= -2
        return x[x > 2].sum() + x[x > 2].max()

    compare(clipped, (X,), (-X,), (X * 0,))


def test_gradients_inside():
    def slope(x):
        return rt.grad(lambda v: np.sum(np.sin(v) ** 2 if v[0] > 0 else v * v))(x)

    f = rt.function(engine="jax")(slope)
    for x in (X, -X):
        np.testing.assert_allclose(f(x), slope(x), rtol=1e-12)


def test_what_a_differentiated_function_raises():
    """The derivative alone runs it on JAX; the call that fails is made by the reference engine."""

    def slope(x, k):
        def loss(v):
            if v[1] > 0:
                raise ValueError("too large")
            return np.sum(v[k] * v)

        return rt.grad(loss)(x)

    f = rt.function(engine="jax")(slope)
    np.testing.assert_allclose(f(X, 1), slope(X, 1))
    for arguments in ((X, 3), (-X, 0)):
        with pytest.raises((ValueError, IndexError)) as expected:
            slope(*arguments)
        with pytest.raises(expected.type) as caught:
            f(*arguments)
        assert str(caught.value) == str(expected.value)


def rounded(x):
    return rt.grad(lambda v: v[0] if int(v[0]) > 2 else 1.0)(x)


def unrelated(x):
    return rt.grad(lambda v: float(int(v[0])))(x)


def paused(x):
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = x**3
        with tape.stop_recording():
            z = y * x
        w = y * z
    return tape.gradient(w, x)


def test_derivatives_that_are_refused():
    np.testing.assert_array_equal(rt.function(engine="jax")(rounded)(X), rounded(X))
    with pytest.raises(autograph.StagingError, match="does not depend on"):
        rt.function(engine="jax")(unrelated)(X)
    with pytest.raises(autograph.StagingError, match="no tape that stops to record"):
        rt.function(engine="jax")(paused)(rt.constant(X))


def test_arguments_that_share_memory():
    def shift(x, y):
        x[1:] = y
        return y

    base = np.arange(4.0)
    other = base.copy()
    shift(base, base[:-1])
    rt.function(engine="jax")(shift)(other, other[:-1])
    assert base.tolist() == other.tolist()


def test_to_jax_takes_structures_and_raises_where_python_would():
    def pick(state, k):
        return {"picked": state["x"][k], "scale": state["scale"] * 2}

    on_jax = jax.jit(rt.to_jax(pick))
    found = on_jax({"x": jnp.arange(3.0), "scale": jnp.float32(1.5)}, 1)
    assert (float(found["picked"]), float(found["scale"])) == (1.0, 3.0)
    with pytest.raises(RuntimeError, match="raises for these arguments"):
        jax.block_until_ready(on_jax({"x": jnp.arange(3.0), "scale": 1.5}, 7))
        jax.effects_barrier()
    ignoring = jax.jit(rt.to_jax(pick, errors="ignore"))
    assert float(ignoring({"x": jnp.arange(3.0), "scale": 1.5}, 7)["picked"]) == 2.0


def kept_and_dropped(x):
    kept, n = [], 0
    for i in range(12):
        if i % 3:
            kept.append((i, x[i % 4]))
        elif len(kept) > 2:
            n += kept.pop()[0]
    kept[0] = (7, np.float64(1.5))
    return kept, n, kept[-1], len(kept)


def questions(x):
    found = [int(v) for v in x if v > 0]
    return found.index(4), 2 in found, found.count(3), max(found), sum(found), found[-1]


def a_stack(x):
    stack, n = [0], 0
    for _ in range(50):
        if not stack:
            break
        k = stack.pop()
        n += k
        if k < 5:
            stack.append(k + 1)
            stack.append(k + 2)
    return n, len(stack)


def extended(x):
    found, more = [v for v in x if v > 0], [v * 2 for v in x if v < 3]
    found.extend(more)
    found.reverse()
    return found, np.array([x[0], *[k * x[1] for k in range(20)]])


def a_dict(x):
    table = {"a": x[0], "b": x[1]}
    for i in range(20):
        table["a"] = table["a"] + x[i % 4]
        if x[i % 4] > 2:
            table["b"] = table["b"] * 2
    return table, len(table), "c" in table, {"z": x[0], "a": x * 2}


def one_of_two(x):
    a, b = [x[0]], [x[1]]
    c = a if x[0] > 0 else b
    c.append(x[2])
    return len(c), c


def in_every_round(x):
    total = 0.0
    for i in range(20):
        items = [v for v in x if v > i]
        total += items[0] if items else sum(items, -1.0)
    return total


@pytest.mark.parametrize(
    "f", [kept_and_dropped, questions, a_stack, extended, a_dict, one_of_two, in_every_round]
)
def test_lists(f):
    """What they hold, as repr tells it, and what is raised."""
    for arguments in (np.array([3.0, -1.0, 4.0, 2.0]), -X[[0, 1, 2, 2]]):
        seen = []
        for function in (f, rt.function(engine="jax")(f)):
            try:
                seen.append(repr(function(arguments)))
            except ValueError as error:
                seen.append(str(error))
        assert seen[0] == seen[1]


class Meter:
    def __init__(self):
        self.total, self.n = 0.0, 0


def measured(meter, x):
    meter.n += 1
    for v in x:
        if v > 3:
            meter.total = meter.total + v
            meter.last = v
        elif v < -1:
            meter.last = 7
    if x[0] > 5:
        raise ValueError("too large")
    return meter.total


def test_attributes_are_stored_when_the_run_has_ended():
    x = np.linspace(-2, 4, 20)
    seen = []
    for function in (measured, rt.function(engine="jax")(measured)):
        meter, said = Meter(), []
        for given in (x, x * 2, -x, x + 8):
            try:
                said.append(function(meter, given))
            except ValueError as error:
                said.append(str(error))
            said.append(vars(meter).copy())
        seen.append(said)
    assert seen[0] == seen[1]


def grows(x):
    items = [x[0]]
    while sum(items) < x[2]:
        items.append(1.0)
    return len(items)


def alias_is_read(x):
    a, b = [x[0]], [x[1]]
    c = a if x[0] > 0 else b
    c.append(x[2])
    return len(a)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: print(x[0]), "acts on the world outside"),
        (lambda x: x[x > 0], "how many items"),
        (grows, "how often that is at most"),
        (lambda x: {"rest": x[1:]} if x[0] > 0 else {"rest": x * 2}, "may be seen elsewhere"),
        (alias_is_read, "one of several is read after one of them was changed"),
        (lambda x: np.zeros(int(x[0])), "known to a run only"),
    ],
)
def test_what_jax_has_not_is_refused_with_the_line(f, words):
    with pytest.raises(autograph.StagingError, match=words) as caught:
        rt.function(engine="jax")(f)(X)
    assert caught.value.line


#: NumPy's order of equal items, what memory happens to hold, what depends on a rank
NOT_THE_SAME = {"argsort", "empty", "linalg.lstsq", "argpartition", "partition"}


#: of sorted items, of symmetric matrices, of floats, of JAX's ints alone
OF_PLAIN = {"searchsorted", "linalg.eigh", "linalg.eigvalsh", "spacing", "kron"}


@pytest.mark.parametrize("name", some(sorted(set(SAMPLES) - NOT_THE_SAME), 6))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_operation(name):
    """The first sample of each operation that has a form: the kernel's values and dtype."""
    check_operation(name, lambda spec, k: value_of(spec, "float64", k), 1e-9)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", some(sorted(set(SAMPLES) - NOT_THE_SAME - OF_PLAIN), 6))
def test_small_numbers_that_overflow(name):
    check_operation(
        name, lambda spec, k: strange(spec, "uint8", k) if isinstance(spec, tuple) else spec, 1e-2
    )


def check_operation(name, make, close):
    from runtime.engines.jax_engine.operations import Call, Masked, made
    from runtime.graph import Operation, Value
    from runtime.graph.versions import NoForm
    from runtime.ops import REGISTRY
    from runtime.types import type_of

    definition = REGISTRY[name]
    specs, attributes = split(SAMPLES[name][0])
    arguments = [make(spec, k) for k, spec in enumerate(specs)]
    try:
        with np.errstate(all="ignore"):
            expected = definition.kernel(*copy.deepcopy(arguments), **attributes)
    except (TypeError, ValueError):
        return
    if expected is None:  # a write
        return
    types = tuple(map(type_of, arguments))
    results = definition.infer(types, **attributes)
    results = results if isinstance(results, tuple) else (results,)
    failed = []
    with jax.enable_x64(True):
        try:
            found = made(
                Call(Operation(name, tuple(map(Value, types)), results, attributes), failed.append), arguments
            )
        except (NoForm, jax.errors.JAXTypeError):
            return
        if any(isinstance(x, Masked) for x in found):
            return
        for a, b in zip(found, expected if isinstance(expected, tuple | list) else (expected,), strict=True):
            np.testing.assert_allclose(a, b, rtol=close, atol=close / 1000)
            assert np.asarray(a).dtype == np.asarray(b).dtype and np.shape(a) == np.shape(b)
    assert not np.any([np.any(np.asarray(condition)) for condition in failed])
