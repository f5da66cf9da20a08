"""Loaded functions take and give what the originals did."""

import copy
import subprocess
import sys
from collections import Counter, defaultdict, deque, namedtuple

import numpy as np
import pytest

import runtime as rt
from autograph.errors import ArgumentError, AutographError
from runtime.objects import entered

X = np.array([1.0, -2.0, 3.0])
Point = namedtuple("Point", "x y")


@pytest.fixture
def loaded(tmp_path):
    """Saves, and loads again."""

    def through_a_file(target, *specs, **named):
        rt.save(tmp_path / "saved", target, *specs, **named)
        return rt.load(tmp_path / "saved")

    return through_a_file


def test_every_signature_is_there_and_open_lengths_stay_open(loaded):
    @rt.function
    def f(x, n=2, *, power=1):
        for _ in range(n):
            x = x**power + 1
        return x

    f(X), f(X, 3), f(1.5, power=2), f.get_concrete_function(rt.TensorSpec([None, 2]), 2)
    g = loaded(f)
    assert len(g.concrete_functions) == 3
    assert str(g.__signature__) == "(x, n=2, *, power=1)"
    for args, kwargs in [((X,), {}), ((X, 3), {}), ((1.5,), {"power": 2}), ((np.ones((7, 2)),), {})]:
        expected = f.python_function(*args, **kwargs)
        np.testing.assert_array_equal(g(*args, **kwargs), expected)
        assert type(g(*args, **kwargs)) is type(expected)


def test_machine_code_takes_the_calls_that_are_made_often(loaded, monkeypatch):
    monkeypatch.setattr("runtime.functions.dispatch.OFTEN", 1)
    rate = rt.Variable(np.array([2.0, 3.0]))

    @rt.function
    def f(x, n=2):
        return x * n + rate

    f(X[:2], 3), f(1.5, 3)
    g = loaded(f)
    calls = [(X[:2], 3), (1.5, 3), (X, 3), (1.5,), ("a", 3), (X[:2], 3, 4), (np.float64(1.5), 3)]

    def outcome(args):
        try:
            return repr(g(*args))
        except (ArgumentError, TypeError) as error:
            return repr(error)

    before = [outcome(args) for args in calls]
    for _ in range(3):
        assert [outcome(args) for args in calls] == before
    assert hasattr(g, "_chain") or not entered.are_possible()
    (own,) = g.variables.values()
    own.assign([0.0, 0.0])
    assert g(X[:2], 3).tolist() == [3.0, -6.0] == copy.copy(g)(X[:2], 3).tolist()
    assert type("Has", (), {"call": g})().call is g  # no method


def test_specs_say_what_is_saved(loaded):
    @rt.function
    def f(x, n, flag):
        return x * n if flag else x

    g = loaded(f, rt.TensorSpec([None], "float32"), int, flag=True)
    np.testing.assert_array_equal(g(np.ones(5, "f4"), 3, True), np.full(5, 3, "f4"))
    with pytest.raises(ArgumentError) as raised:
        g(np.ones(5), 3, True)
    assert "f() was saved for (f32[None], int, True), and is called with (f64[5], int" in str(raised.value)


def test_the_gradient_through_a_loop_is_taken_after_loading(loaded):
    def f(x, n):
        for i in range(n):
            x = np.tanh(x) * x + i
        return x.sum()

    slope = rt.function(lambda x, n: rt.grad(f)(x, n))
    expected = slope(X, np.int64(3))
    with pytest.raises(AutographError, match=r"take rt\.grad of what rt\.load gives"):
        loaded(slope)
    compiled = rt.function(f)
    compiled(X, np.int64(3))
    np.testing.assert_array_equal(rt.grad(loaded(compiled))(X, np.int64(3)), expected)


def test_lists_that_are_buffers_are_saved(loaded):
    def f(x, n):
        rows, numbers = [x], [0.5]
        for i in range(n):
            rows.append(np.tanh(rows[-1]))
            numbers.append(numbers[-1] * 2.0 + i)
        return np.stack(rows) * max(numbers) + np.array(numbers)[1]

    compiled = rt.function(f)
    compiled(X, np.int64(3))
    np.testing.assert_array_equal(loaded(compiled)(X, np.int64(5)), f(X, 5))


@pytest.mark.parametrize(
    "function, args",
    [
        (
            lambda d, p: {"sum": d["a"] + d["b"][0], "p": Point(p.y, [p.x, p.x])},
            ({"a": X, "b": [X]}, Point(X, 2)),
        ),
        (lambda x: [x, None, "text", np.float32(2), (x, 1.5)], (X,)),
        (lambda t: (t * 2, t.numpy()), (rt.constant([1.0, 2.0]),)),
        (lambda x: (lambda items: [items, items])([x.sum()]), (X,)),
        (lambda x: "positive" if x.sum() > 0 else None, (X,)),
        (lambda z: z * 2j, (np.ones(2, ">c16"),)),
        (lambda items: items, ([1.0, X],)),
        (
            lambda x: (
                deque([x, x.sum()], maxlen=3),
                {1, 2},
                Counter("aab"),
                defaultdict(list, k=[x]),
                slice(1, x.size),
            ),
            (X,),
        ),
    ],
    ids=[
        "structures",
        "constants",
        "tensors",
        "shared lists",
        "one of several",
        "byte orders",
        "arguments",
        "other containers",
    ],
)
def test_structures_come_back(loaded, function, args):
    g = loaded(rt.function(function).get_concrete_function(*args))
    expected, got = function(*args), g(*args)
    assert repr(got) == repr(expected)
    if isinstance(expected, list) and len(expected) == 2 and expected[0] is expected[1]:
        assert got[0] is got[1]


def test_a_number_that_a_trace_holds_fixed_is_a_guard(loaded):
    @rt.function
    def f(x, n):
        return np.split(x, n)  # how many must be known

    x = np.arange(6.0)
    f(x, 2), f(x, 3)
    g = loaded(f)
    assert len(g(x, 2)) == 2 and len(g(x, 3)) == 3
    with pytest.raises(ArgumentError):
        g(x, 6)


def test_effects_and_exceptions_are_those_of_the_program(loaded, capsys):
    @rt.function
    def f(x):
        print("sum", x.sum())
        try:
            return 1 // int(x[0])
        except ZeroDivisionError:
            x[0] = 5
            raise ValueError("zero first") from None

    g = loaded(f, rt.TensorSpec([3]))
    x = np.array([2.0, 0, 0])
    assert g(x) == 0
    x[0] = 0
    with pytest.raises(ValueError, match="zero first"):
        g(x)
    assert x[0] == 5
    assert capsys.readouterr().out == "sum 2.0\nsum 0.0\n"


def test_functions_share_variables_and_keep_them(loaded):
    total, weights = rt.Variable(0.0, name="total"), np.ones(3)

    @rt.function
    def add(x):
        weights[0] += 1
        total.assign_add((x * weights).sum())
        return total.value

    @rt.function
    def read():
        return total.value * 1, weights * 1

    add.get_concrete_function(X), read.get_concrete_function()
    both = loaded({"add": add, "read": read})
    both["add"](X), both["add"](X)
    value, held = both["read"]()
    assert (value, held[0]) == (3.0 + 4.0, 3.0) and total.numpy() == 0 and weights[0] == 1
    assert both["add"].variables["total"] is both["read"].variables["total"]
    assert not both["add"].variables["total"].shape and both["add"].variables["total"].name == "total"


class Steps(rt.Module):
    def __init__(self):
        self.count = rt.Variable(0, trainable=False)
        self.parts = [rt.Variable(X), rt.Variable(2.0)]

    @rt.function
    def __call__(self, x):
        self.count.assign_add(1)
        return x * self.parts[1]

    @rt.function
    def never_called(self):
        return self.count.value


def test_a_module_comes_back_with_its_variables(loaded):
    module = Steps()
    module(X)
    again = loaded(module)
    assert isinstance(again, rt.Module) and list(again.functions) == ["__call__"]
    np.testing.assert_array_equal(again(X), X * 2)
    assert (
        list(again.named_variables()) == ["count", "parts[0]", "parts[1]"] == list(module.named_variables())
    )
    assert again.named_variables()["count"].numpy() == 2 and module.count.numpy() == 1
    assert [variable.shape for variable in again.trainable_variables] == [(3,), ()]


def test_a_method_is_saved_with_its_object(loaded):
    module = Steps()
    g = loaded(module.__call__, rt.TensorSpec([None]))
    np.testing.assert_array_equal(g(np.ones(5)), np.full(5, 2.0))


def test_loaded_functions_are_called_in_others_and_saved_again(loaded, tmp_path):
    scale = rt.Variable(2.0, name="scale")

    @rt.function
    def choose(x, flag):
        found, kind = -x, "none"
        if x.sum() > 0:
            found, kind = x * scale, "up" if flag else "down"
        return {"x": found, "kind": kind}

    inner = loaded(choose, rt.TensorSpec([None]), bool)

    @rt.function
    def outer(x):
        for _ in range(2):
            x = inner(x, True)["x"]
        return x, inner(x, False)["kind"]

    expected = (X * 4, "down")
    assert repr(outer(X)) == repr(expected)
    rt.save(tmp_path / "outer", outer)
    again = rt.load(tmp_path / "outer")
    assert repr(again(X)) == repr(expected)
    again.variables["scale"].assign(1.0)
    assert repr(again(X)) == repr((X, "down")) and repr(outer(X)) == repr(expected)
    rt.save(tmp_path / "again", again)
    assert repr(rt.load(tmp_path / "again")(X)) == repr((X, "down"))


def test_lists_of_the_run_become_arrays(loaded):
    @rt.function
    def positive(x):
        found = []
        for v in x:
            if v > 0:
                found.append(v)
        return np.array(found), np.stack([x, x]), found

    g = loaded(positive, rt.TensorSpec([None]))
    assert repr(g(X)) == repr(positive(X))


def test_recursion_is_a_function_of_the_graph(loaded):
    @rt.function
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    assert loaded(fib, int)(15) == 610


def test_loading_needs_neither_the_program_nor_its_module(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, runtime as rt\n"
        "@rt.function\n"
        "def collatz(n):\n"
        "    steps = 0\n"
        "    while n != 1:\n"
        "        n = n // 2 if n % 2 == 0 else 3 * n + 1\n"
        "        steps += 1\n"
        "    return steps\n"
        "rt.save('saved', collatz, int)\n"
    )
    subprocess.run([sys.executable, program], check=True, cwd=tmp_path, env=_environment())
    program.unlink()
    assert rt.load(tmp_path / "saved")(27) == 111
    texts = [file.read_bytes() for file in (tmp_path / "saved").rglob("*.*")]
    assert not any(str(tmp_path).encode() in text for text in texts)


def _environment():
    import os
    from pathlib import Path

    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}


class Own(Exception):
    pass


class Holder:
    value = 1.0


holder = Holder()
history = []
largest = 0.0


def stores(x):
    holder.value = x.sum()


def binds(x):
    global largest
    largest = x.max()


def raises(x):
    if x.sum() > 0:
        raise Own("no")


def appends(x):
    history.append(x.sum())


def calls(x):
    return np.cov(x)


def takes_objects(x, holder):
    return x * holder.value


REFUSED = [
    (stores, (X,), "a variable or an attribute that lives outside of it is changed", "holder.value ="),
    (binds, (X,), "a variable or an attribute that lives outside of it is changed", "largest = x.max()"),
    (raises, (X,), "Own is raised, a class of the program's own", "raise Own"),
    (appends, (X,), "it reads or changes `history`, a list outside of it", "def appends"),
    (calls, (X,), "Python code is called, which no file can hold", "np.cov(x)"),
    (
        takes_objects,
        (X, Holder()),
        "`holder` is no array, number, or structure of these",
        "def takes_objects",
    ),
]


@pytest.mark.parametrize(
    "function, args, words, line", REFUSED, ids=lambda item: getattr(item, "__name__", "")
)
def test_what_needs_python_is_refused_with_its_line(tmp_path, function, args, words, line):
    traced = rt.function(function)
    with pytest.raises(AutographError) as raised:
        rt.save(tmp_path / "f", traced.get_concrete_function(*args))
    assert f"{function.__name__}() cannot be saved" in str(raised.value) and words in str(raised.value)
    assert line in raised.value.source_line and raised.value.hint
    assert list(tmp_path.iterdir()) == []


def test_what_was_not_traced_says_how_to_say_it(tmp_path):
    @rt.function
    def f(x):
        return x

    with pytest.raises(ArgumentError, match=r"rt.save\(path, f, rt.TensorSpec\(\[None, 3\]\)\)"):
        rt.save(tmp_path / "f", f)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    with pytest.raises(ArgumentError, match="is no folder that this function has written"):
        rt.save(tmp_path / "mine", f, int)


def test_views_that_a_function_writes_stay_views_or_are_refused(tmp_path, loaded):
    base = np.zeros(4)
    part = base[1:]

    @rt.function
    def writes():
        part[0] = 1
        return base * 1

    @rt.function
    def reads():
        return base.sum() + part.sum()

    assert loaded(reads.get_concrete_function())() == 0
    with pytest.raises(ArgumentError, match="`base` and `part` share memory|`part` and `base` share memory"):
        rt.save(tmp_path / "f", writes.get_concrete_function())


def test_long_lists_are_saved_item_by_item(loaded):
    @rt.function
    def f(weights, xs):
        return sum((w * X).sum() for w in weights) + sum(xs)

    weights, xs = [X + i for i in range(40)], [0.5] * 33
    assert loaded(f, weights, xs)(weights, xs) == f(weights, xs)
    assert loaded(f)(weights, xs) == f(weights, xs)
    with pytest.raises(ArgumentError, match="f\\(\\) was saved for"):
        loaded(f)(weights, xs + xs)
