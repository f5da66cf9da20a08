"""Programs as people write them: the model that ONNX Runtime runs gives what the function gives."""

import math

import numpy as np
import onnxruntime
import pytest

import runtime as rt
from autograph.errors import StagingError
from runtime.export.onnx_model import onnx_model

RANDOM = np.random.default_rng(0)
TEXT = rt.TensorSpec([None], "int64")
VECTOR, MATRIX = rt.TensorSpec([None]), rt.TensorSpec([None, None])
V = np.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0])
M = RANDOM.uniform(-1, 1, (4, 5))
INTS = np.array([7, -7, 3, 0, 12, -1, 5])
PROGRAMS = []


def program(specs, *calls):
    """Register a function, the specs that it is exported with, and arguments to compare for."""

    def register(function):
        PROGRAMS.append(pytest.param(function, specs, calls, id=function.__name__))
        return function

    return register


def run(model, args):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    names = [one.name for one in session.get_inputs()]
    values = session.run(None, {n: np.asarray(a) for n, a in zip(names, args, strict=True)})
    return dict(zip([one.name for one in session.get_outputs()], values, strict=True))


def flat(result, name="result"):
    """The numbers and arrays of a structure by the ways that lead to them."""
    if isinstance(result, dict):
        return {k: v for key, part in result.items() for k, v in flat(part, f"{name}[{key!r}]").items()}
    if isinstance(result, list | tuple):
        return {k: v for i, part in enumerate(result) for k, v in flat(part, f"{name}[{i}]").items()}
    return {name: result}


def compare(function, specs, calls):
    model = onnx_model(function, *specs)
    for args in calls:
        expected = flat(rt.function(function, engine="numpy")(*args))
        got = run(model, args)
        assert list(got) == list(expected)
        for name, value in expected.items():
            assert got[name].shape == np.shape(value), name
            np.testing.assert_allclose(got[name], value, rtol=1e-9, atol=1e-12, err_msg=name)


# -- arrays ------------------------------------------------------------------------------------------------


@program([MATRIX], (M,), (M[:1],))
def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@program([MATRIX], (M,))
def layer_norm(x):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


@program([MATRIX], (M,))
def statistics(x):
    return {"std": x.std(axis=0, ddof=1), "range": np.ptp(x), "norm": np.linalg.norm(x, axis=1)}


@program([VECTOR, VECTOR], (V, V[::-1].copy()))
def cosine(x, y):
    return x @ y / (np.linalg.norm(x) * np.linalg.norm(y))


@program([MATRIX, MATRIX], (M, M[:2]))
def distances(x, y):
    return np.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=-1))


@program([MATRIX], (M,))
def slices(x):
    return x[1:, ::-1], x[-1], x[:, 1:-1:2], x[..., None, 0], x[0, 1]


@program([VECTOR], (V,))
def masks(x):
    return x[x > 0], np.where(x < 0, -x, 0.0), (x > 1).sum(), np.flatnonzero(x > 2)


@program([MATRIX, rt.TensorSpec([None], "int64")], (M, np.array([1, -1, 0])))
def index_arrays(x, i):
    return x[i], x[:, i], x[i, i], np.take(x, i, axis=1)


@program([VECTOR], (V[:0],))
def nothing(x):
    return x.sum(), np.prod(x), np.cumsum(x), np.sort(x), x[x > 0], np.linalg.norm(x), (x > 0).any()


# -- control flow on what only a run knows -------------------------------------------------------------------


@program([VECTOR], (V,), (-V,))
def branch(x):
    if x.sum() > 0:
        return x
    return 0 * x


@program([float], (2.5,), (-3.0,), (0.0,))
def several_branches(x):
    if x > 1:
        y = x * 2
    elif x < 0 and x > -10:
        y = -x
    else:
        y = 1.0
    return y


@program([int], (27,), (1,), (97,))
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@program([int, int], (1071, 462), (5, 0), (17, 5))
def greatest_common_divisor(a, b):
    while b:
        a, b = b, a % b
    return a


@program([float], (2.0,), (1e6,))
def newton_root(a):
    x = a
    while abs(x * x - a) > 1e-9 * a:
        x = (x + a / x) / 2
    return x


@program([float, float], (0.0, 2.0))
def bisection(low, high):
    while high - low > 1e-10:
        middle = (low + high) / 2
        if math.cos(middle) > middle:
            low = middle
        else:
            high = middle
    return low


@program([MATRIX, int], (M @ M.T, 50))
def power_iteration(a, most):
    v, i = np.ones(a.shape[0]), 0
    for i in range(most):
        w = a @ v
        w = w / np.linalg.norm(w)
        if np.abs(w - v).max() < 1e-8:
            break
        v = w
    return v, i


@program([VECTOR, float], (V, 4.0), (V, 100.0))
def first_above(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


@program([float, float, int], (0.3, 0.5, 40), (2.0, 2.0, 40))
def escape_time(a, b, most):
    x, y, n = 0.0, 0.0, 0
    while x * x + y * y <= 4.0 and n < most:
        x, y = x * x - y * y + a, 2 * x * y + b
        n += 1
    return n


@program([VECTOR, float], (np.sort(V), 2.5), (np.sort(V), 99.0))
def binary_search(x, value):
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        if x[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@program([float, int], (1.5, 10), (2.0, 0), (1.1, 25))
def power_by_squaring(x, n):
    result = 1.0
    while n > 0:
        if n % 2 == 1:
            result = result * x
        x, n = x * x, n // 2
    return result


@program([int], (0,), (1,), (30,))
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@program([int, int], (0, 10), (10, 0), (5, 5), (-7, 4))
def ranges(start, stop):
    total, last = 0, -1
    for i in range(start, stop, 3):
        total += i
        last = i
    for i in range(start, stop, -4):
        total -= i
    return total, last


@program([VECTOR, float], (V, 0.5))
def horner(coefficients, x):
    total = 0.0
    for c in coefficients:
        total = total * x + c
    return total


@program([VECTOR], (V,))
def skipping(x):
    total = 0.0
    for v in x:
        if v < 0:
            continue
        if v > 8:
            break
        total += v
    return total


# -- writes --------------------------------------------------------------------------------------------------


@program([int], (2,), (30,))
def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1
    return prime


@program([VECTOR, int], (V, 3))
def smoothing(x, rounds):
    for _ in range(rounds):
        y = x.copy()
        y[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
        x = y
    return x


@program([rt.TensorSpec([None], "int64"), int], (np.array([0, 2, 1, 2, 2]), 4))
def counting(items, n):
    counts = np.zeros(n, dtype=np.int64)
    for item in items:
        counts[item] += 1
    return counts


@program([VECTOR], (V,), (V[:1],))
def insertion_sort(values):
    x = values.copy()
    for i in range(1, len(x)):
        v, j = x[i], i - 1
        while j >= 0 and x[j] > v:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = v
    return x


@program(
    [rt.TensorSpec([None], "int64"), rt.TensorSpec([None], "int64")], (INTS, INTS[2:]), (INTS[:2], INTS[:1])
)
def edit_distance(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    table[:, 0] = np.arange(len(a) + 1)
    table[0] = np.arange(len(b) + 1)
    for i in range(len(a)):
        for j in range(len(b)):
            change = table[i, j] + (0 if a[i] == b[j] else 1)
            table[i + 1, j + 1] = min(change, table[i, j + 1] + 1, table[i + 1, j] + 1)
    return table[-1, -1], table


@program([MATRIX], (M,), (-M,))
def views(x):
    y = x.copy()
    row = y[1]
    row[0] = 5.0
    y.T[2] += 1
    if y.sum() > 0:
        row[1:] = 0
    y[y < -0.5] = -0.5
    return y, row


@program([rt.TensorSpec([None, None], "int64")], ((RANDOM.uniform(0, 1, (6, 6)) > 0.6).astype(int),))
def life(board):
    count = np.zeros_like(board)
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            if dx != 0 or dy != 0:
                count += np.roll(np.roll(board, dx, axis=0), dy, axis=1)
    return ((count == 3) | ((board == 1) & (count == 2))).astype(int)


# -- networks ------------------------------------------------------------------------------------------------


class Network(rt.Module):
    def __init__(self, *sizes):
        weights = np.random.default_rng(1)
        self.layers = [
            (rt.Variable(weights.normal(0, 0.5, shape)), rt.Variable(np.full(shape[1], 0.1)))
            for shape in zip(sizes, sizes[1:])
        ]

    def __call__(self, x):
        for w, b in self.layers[:-1]:
            x = np.tanh(x @ w + b)
        w, b = self.layers[-1]
        return softmax(x @ w + b)


network = Network(5, 8, 3)


@program([rt.TensorSpec([None, 5])], (M,), (M[:1],))
def two_layers(x):
    p = network(x)
    return {"probabilities": p, "class": np.argmax(p, axis=1)}


WX, WH, B = RANDOM.normal(0, 0.4, (5, 24)), RANDOM.normal(0, 0.4, (6, 24)), np.zeros(24)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@program([rt.TensorSpec([None, 5])], (M,), (M[:1],))
def lstm(xs):
    h, c = np.zeros(6), np.zeros(6)
    states = np.zeros((len(xs), 6))
    for t in range(len(xs)):
        gates = xs[t] @ WX + h @ WH + B
        i, f, o, g = gates[:6], gates[6:12], gates[12:18], gates[18:]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states[t] = h
    return states, c


@program([MATRIX, MATRIX, MATRIX], (M, M[:3], M[1:]))
def attention(q, k, v):
    return softmax(q @ k.T / math.sqrt(5.0)) @ v


test_program = pytest.mark.parametrize("function, specs, calls", PROGRAMS)(compare)


# -- what the file is, and what is refused -----------------------------------------------------------------


def test_the_file_says_what_goes_in_and_comes_out(tmp_path):
    def f(data, n, flag):
        return {"total": data["x"].sum() * n, "parts": [data["y"], 1.5]} if flag else {}

    specs = {"x": rt.TensorSpec([None, 3], "float32"), "y": rt.TensorSpec([2], "int32")}
    rt.export_onnx(tmp_path / "f.onnx", f, specs, int, True)
    session = onnxruntime.InferenceSession(tmp_path / "f.onnx")
    inputs = [(one.name, one.type, one.shape) for one in session.get_inputs()]
    assert inputs == [
        ("data['x']", "tensor(float)", ["data['x']_0", 3]),
        ("data['y']", "tensor(int32)", [2]),
        ("n", "tensor(int64)", []),
    ]
    assert [one.name for one in session.get_outputs()] == [
        "result['total']", "result['parts'][0]", "result['parts'][1]",
    ]  # fmt: skip


def test_a_number_that_the_trace_must_know_is_part_of_the_model():
    def f(result, n):
        return np.split(result, n)

    model = onnx_model(f, rt.TensorSpec([6]), 3)
    assert [one.name for one in model.graph.input] == ["result"]
    got = run(model, [np.arange(6.0)])
    assert {name: value.tolist() for name, value in got.items()} == {
        "returned[0]": [0, 1], "returned[1]": [2, 3], "returned[2]": [4, 5],
    }  # fmt: skip


def test_loaded_functions_and_methods_are_exported(tmp_path):
    class Scale(rt.Module):
        def __init__(self):
            self.by = rt.Variable(2.0)

        @rt.function
        def __call__(self, x):
            return x * self.by

    rt.save(tmp_path / "scale", Scale().__call__, VECTOR)
    for target, specs in ((rt.load(tmp_path / "scale"), ()), (Scale().__call__, (VECTOR,))):
        assert run(onnx_model(target, *specs), [V])["result"].tolist() == (V * 2).tolist()


def prints(x):
    print(x)
    return x


def raises(x):
    if x.sum() > 0:
        raise ValueError("too large")
    return x


def writes_its_argument(x):
    x[0] = 1
    return x


def appends(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    return found


def convolves(x):
    return np.convolve(x, x)


def chooses(x):
    y = np.zeros(3)
    z = x * 1 if x.sum() > 0 else y
    y[0] = 1
    return z


def texts(x):
    return f"{x.sum()}"


REFUSED = [
    (prints, "something is printed", "print(x)"),
    (raises, "an exception is raised", "raise ValueError"),
    (writes_its_argument, "`x` is written, which is an input", "x[0] = 1"),
    (appends, "a list whose length only a run knows has no form", "found"),
    (convolves, "convolve has no form", "np.convolve(x, x)"),
    (chooses, "an array that may be one of several is read after one of them was written", "chooses"),
    (texts, "format is about a string, for which ONNX has no form", 'f"{x.sum()}"'),
]


@pytest.mark.parametrize("function, words, line", REFUSED)
def test_what_has_no_form_is_refused_with_its_line(tmp_path, function, words, line):
    with pytest.raises(StagingError) as raised:
        rt.export_onnx(tmp_path / "f.onnx", function, rt.TensorSpec([3]))
    assert f"{function.__name__}() cannot be exported to ONNX: " in str(raised.value)
    assert words in str(raised.value) and line in raised.value.source_line
    assert list(tmp_path.iterdir()) == []
