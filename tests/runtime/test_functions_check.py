"""``check="first"``: the plain function runs beside the compiled one, and the effects happen once."""

import collections
import logging
import random
import types
import warnings
from dataclasses import replace

import numpy as np
import pytest

import runtime as rt
import runtime.functions.functions
from tests.modules import module_of

X = np.array([1.0, -2.0, 3.0])


@pytest.fixture(params=["numpy", "native"])
def checked(request):
    """`rt.function` with the check, on either engine."""
    return lambda f, **options: rt.function(f, engine=request.param, check="first", **options)


@pytest.fixture
def wrong(monkeypatch):
    """Makes the tracer trace another function than the one it is given."""

    def plant(other):
        original = runtime.functions.functions.trace_function
        monkeypatch.setattr(
            runtime.functions.functions,
            "trace_function",
            lambda request, *rest: original(replace(request, function=other), *rest),
        )

    return plant


def test_a_function_that_agrees(checked, capsys):
    @checked
    def f(x):
        print("sum", x.sum())
        if x.sum() > 0:
            return x * 2
        return x

    for _ in range(3):
        assert f(X).tolist() == [2.0, -4.0, 6.0]
    assert capsys.readouterr().out == "sum 2.0\n" * 3


def test_globals_cells_attributes_and_containers_change_once(checked):
    count = 0
    model = types.SimpleNamespace(steps=0)
    history, table = [], {"n": 0}

    @checked
    def f(x):
        nonlocal count
        count += 1
        model.steps += 1
        history.append(x.sum())
        table["n"] = table["n"] + 1
        return x

    f(X)
    assert (count, model.steps, len(history), table) == (1, 1, 1, {"n": 1})
    f(X)
    assert (count, model.steps, len(history), table) == (2, 2, 2, {"n": 2})


def test_an_exception_is_the_same_and_what_came_before_it_happened_once(checked, capsys):
    log = []

    @checked
    def f(x):
        log.append(1)
        print("before")
        if x.sum() > 0:
            raise ValueError("too large")
        return x

    with pytest.raises(ValueError, match="too large"):
        f(X)
    assert (log, capsys.readouterr().out) == ([1], "before\n")


def test_warnings_are_shown_once(checked):
    @checked
    def f(x):
        if x.sum() > 0:
            warnings.warn("positive")
        return x

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f(X)
    assert [str(w.message) for w in caught] == ["positive"]


def test_log_records_are_handled_once(checked, caplog):
    log = logging.getLogger("checked")

    @checked
    def f(x):
        log.warning("here")
        return x

    with caplog.at_level(logging.WARNING):
        f(X)
    assert [record.message for record in caplog.records] == ["here"]


def test_each_trace_is_checked_at_its_first_call(checked, wrong):
    f = checked(lambda x: x * 2)
    f(X)
    wrong(lambda x: x * 3)
    assert f(X).tolist() == [2.0, -4.0, 6.0]  # a trace that agreed
    with pytest.raises(rt.CheckError):
        f(X[:2])


def test_a_wrong_value(checked, wrong):
    wrong(lambda x: np.where(x < 0, x * 3, x * 2))
    f = checked(lambda x: x * 2)
    with pytest.raises(rt.CheckError) as caught:
        f(X)
    first, plain, compiled, trace, rest = str(caught.value).splitlines()
    assert first == (
        "<lambda>(f64[3]): the result[1] is np.float64(-4.0) in plain Python and np.float64(-6.0) compiled"
    )
    assert plain == "  plain Python returned the array float64[3] [ 2., -4.,  6.]"
    assert compiled == "  compiled     returned the array float64[3] [ 2., -6.,  6.]"
    assert trace.startswith("  the trace is <lambda>(x: f64[3]), on the n")
    assert rest.startswith("  Nothing was changed or printed.")


held = types.SimpleNamespace(n=0)
PLAIN = 'print("hello"); held.n += 1; return x'
ARRAY = "the result is the array float64[3] [ 1., -2.,  3.] in plain Python and "
#: what is traced in its place -> what the difference is called
OTHERS = {
    'print("hello"); held.n += 1; return x.astype("f4")': ARRAY + "the array float32[3]",
    'print("hello"); held.n += 1; return x.sum()': ARRAY + "np.float64(2.0)",
    'print("hallo"); held.n += 1; return x': (
        "plain Python prints 'hello\\n', the compiled function 'hallo\\n'"
    ),
    'print("hello"); held.n += 2; return x': ".n is 1 in plain Python and 2 compiled",
    'print("hello"); held.n += 1; return x.copy()': (
        "the result is an object that was there before in plain Python and a new object compiled"
    ),
    'print("hello"); held.n += 1; x[1] = 7.0; return x': (
        "the result[1] is np.float64(-2.0) in plain Python and np.float64(7.0) compiled"
    ),
    'print("hello"); held.n += 1; assert x[0] < 0; return x': "plain Python returned the array",
}


@pytest.mark.parametrize("other", OTHERS)
def test_what_a_difference_says(other, checked, wrong, capsys):
    make = lambda body: module_of(f"def f(x):\n    {body}\n", held=held)["f"]
    plain, other_function = make(PLAIN), make(other)
    wrong(other_function)
    f = checked(plain)
    x = X.copy()
    held.n = 0
    with pytest.raises(rt.CheckError) as caught:
        f(x)
    assert OTHERS[other] in str(caught.value).splitlines()[0]
    assert (held.n, x.tolist(), capsys.readouterr().out) == (0, [1.0, -2.0, 3.0], "")


def test_check_always(wrong):
    seen = []

    def f(x):
        seen.append(1)
        return x * 2

    decorated = rt.function(f, check="always")
    for _ in range(3):
        decorated(X)
    assert len(seen) == 3


def test_objects_with_slots_and_classes_with_state(checked):
    class Counter:
        __slots__ = ("n",)

        def __init__(self):
            self.n = 0

        def step(self, x):
            self.n += 1
            return x * self.n

    counter = Counter()
    f = checked(counter.step)
    assert [f(X)[0] for _ in range(3)] == [1.0, 2.0, 3.0]


def test_what_can_be_put_back():
    from runtime.functions.world import World

    class Model:
        rate = 1.0

        def __init__(self):
            self.w = np.zeros(2)

    model = Model()
    queue, names, raw = collections.deque([1]), {"a"}, bytearray(b"ab")
    generator, dice = np.random.default_rng(0), random.Random(0)
    world = World(len, (model, queue, names, raw, generator, dice))
    state = np.random.get_state()
    first = (generator.random(), dice.random(), np.random.random())
    model.w[0], model.extra, Model.rate = 5.0, 1, 2.0
    queue.append(2), names.add("b"), raw.extend(b"c")
    world.restore()
    assert (model.w.tolist(), vars(model).keys(), Model.rate) == ([0.0, 0.0], {"w"}, 1.0)
    assert (list(queue), names, raw) == ([1], {"a"}, b"ab")
    assert (generator.random(), dice.random(), np.random.random()) == first
    world.restore()
    assert np.array_equal(np.random.get_state()[1], state[1]) and np.random.get_state()[2] == state[2]


def test_lists_of_several_lengths(checked):
    @checked
    def total(xs):
        xs.append(sum(xs))
        return xs[-1]

    assert [total([0.5] * n) for n in (3, 4, 50, 0)] == [1.5, 2.0, 25.0, 0]
    assert total.trace_count == 2


def test_an_option_that_does_not_exist():
    with pytest.raises(ValueError, match="there is no check 'frist'; did you mean 'first'?"):
        rt.function(check="frist")(len)
