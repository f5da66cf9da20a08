"""Calls that machine code takes itself: as Python takes them, no reference more or less."""

import asyncio
import gc
import random
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest

import runtime as rt
import runtime.functions.dispatch
import runtime.functions.native_entries
from autograph import register_source
from runtime.guards.paths import Argument, Guard
from runtime.guards.questions import Fits
from runtime.objects import entered
from tests.runtime.test_functions_threads import together

pytestmark = pytest.mark.skipif(not entered.are_possible(), reason="calls go through Python here")


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(sys.modules["runtime.functions.dispatch"], "OFTEN", 1)


class Pair(tuple):
    pass


class Named(dict):
    pass


X = np.arange(3.0)
VALUES = (
    1.5, -0.0, float("inf"), 2, 0, -7, 2**40, 2**63 - 1, 2**63, True, None, np.float64(1.25), np.float32(2),
    "a", X, np.arange(3), np.ones((2, 2)), np.arange(6.0)[::2], X.astype(">f8"), np.array(2.0), np.zeros(0),
    1 + 2j, rt.Tensor(X), rt.Tensor(2.5), (1.5, 2.5), (X, 2), [1.5, 2], [X, X], [], {}, {"a": 1.5},
    {"a": X, "b": 2}, {"b": 2, "a": X}, {1: 2.0}, Pair((1.5, 2.0)), Named(a=1.5), b"a", range(3), len,
)  # fmt: skip


def by_name(x, y=2.0, z=None):
    return (x * y, x) if z is None else x + y


def by_name_only(x, y=2.0, *, k=1, z=3):
    return x * y + k - z


def by_place(x, y, /, z=1):
    return [x - y * z, {"x": x}]


def of_any_number(x, *rest, k=1):
    return x * k, len(rest)


def of_any_name(x, **named):
    return x, len(named)


def of_items(x, y=0):
    return x[0] * 2 + y, x[1] if len(x) > 1 else None


def of_keys(x, y=0):
    return x["a"] * 2 + y


async def awaited(x, y=2.0, *, k=1):
    if k == 0:
        raise ValueError(x)
    return (x * y + k, x) if y is not None else await aside(x)


async def aside(x):
    return x


def answer(function, args, kwargs):
    try:
        made = function(*args, **kwargs)
        return asyncio.run(made) if asyncio.iscoroutine(made) else made
    except Exception as error:
        return type(error), str(error)


FUNCTIONS = [by_name, by_name_only, by_place, of_any_number, of_any_name, of_items, of_keys, awaited]


@pytest.mark.parametrize("plain", FUNCTIONS, ids=lambda plain: plain.__name__)
def test_calls_are_answered_as_python_answers_them(plain, monkeypatch, seed=None, count=900):
    new, old = rt.function(plain), rt.function(plain)
    r = random.Random(plain.__name__ if seed is None else seed)
    different = [
        (
            [r.choice(VALUES) for _ in range(r.choice([0, 1, 1, 1, 2, 2, 3, 4]))],
            {name: r.choice(VALUES) for name in r.sample("xyzkq", r.choice([0, 0, 0, 0, 1, 1, 2]))},
        )
        for _ in range(20)
    ]
    calls = r.choices(different, k=count)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with monkeypatch.context() as patched:
            patched.setattr(entered, "can_be_entered", lambda function: False)
            expected = [answer(old, *call) for call in calls]
        found = [answer(new, *call) for call in calls]
    for call, one, other in zip(calls, found, expected, strict=True):
        assert repr(one) == repr(other) and type(one) is type(other), call
    assert hasattr(new._entered(), "_chain") and not hasattr(getattr(old, "_now", old), "_chain")


def test_calls_hold_an_async_function_and_nothing_else_does():
    f = rt.function(awaited)
    for k in (1, 1, 2, 2):
        calls, plain = [f(1.5, k=k) for _ in range(2)], [awaited(1.5, k=k) for _ in range(2)]
        assert [answer(asyncio.run, [a], {}) for a in calls] == [answer(asyncio.run, [b], {}) for b in plain]
    seen, last = weakref.ref(f), f(2.5)
    del f
    assert asyncio.run(last) == (6.0, 2.5)
    del last
    gc.collect()
    assert seen() is None


# -- references ------------------------------------------------------------------------------------------

SCALE, HELD, ROWS = 3.25, np.arange(4.0), [np.arange(4.0), 2.0]


class Holder:
    unit = 2.0
    table = [1.0, 2.0]
    array = np.arange(4.0)

    def __init__(self):
        self.scale = 2.0

    @rt.function
    def scaled(self, x):
        return x * self.scale

    @rt.function
    def helped(self, x):
        return self.scaled(x) + self.unit

    @rt.function
    def tabled(self, x):
        return x * self.table[0] + len(self.table), x + self.array


def of_globals(x, y=2.5):
    return x * y + HELD, SCALE * y, ROWS[0] + ROWS[1]


def floored(x, y):
    return x // y


def of_parts(xs, d, t):
    return xs[0] + d["a"] + t[1]


def written(x, into):
    into[:] = x


def returned(x, xs):
    return xs, x + 1, "text"


def boxed(t):
    return t * 2


@pytest.fixture
def functions():
    return {f.__name__: rt.function(f) for f in (of_globals, floored, of_parts, written, returned, boxed)}


def wrong_calls(functions, array):
    yield lambda: functions["floored"](7, 0)
    yield lambda: functions["of_globals"]()
    yield lambda: functions["of_globals"](array, x=1.0)
    yield lambda: functions["of_parts"]([array], {"b": array}, (1, array))


def test_no_reference_is_lost_or_kept(functions):
    f, holder, array, number = functions, Holder(), np.ones(4), 1.75
    xs, d, t, tensor, into = [array, 1.5], {"a": array}, (1, array), rt.Tensor(np.ones(4)), np.zeros(4)

    def calls(count):
        for _ in range(count):
            f["of_globals"](array), f["of_globals"](array, 3.5), f["of_globals"](y=3.5, x=array)
            holder.scaled(number), holder.helped(number), holder.tabled(array), f["floored"](7, 2)
            f["of_parts"](xs, d, t), f["written"](array, into), f["returned"](number, xs), f["boxed"](tensor)
            for wrong in wrong_calls(f, array):
                with pytest.raises((ZeroDivisionError, TypeError, KeyError)):
                    wrong()

    calls(4)
    held = [
        holder, array, number, HELD, SCALE, ROWS, xs, d, t, tensor, into, array.dtype, float, list, Holder,
        Holder.table, Holder.array, *f.values(), *[one._chain for one in f.values()],
        *[part for one in f.values() for table in one._chain[1] for part in table._kept],
    ]  # fmt: skip
    gc.collect()
    before = [*map(sys.getrefcount, held)]
    calls(50)
    gc.collect()
    assert [*map(sys.getrefcount, held)] == before


#: a call of a signature is traced, has an entry, has a table, and is taken by that
TIMES = 5

# -- what changes ----------------------------------------------------------------------------------------


def changes_of_objects(function):
    class Holder:
        unit = 2.0
        table = [1.0, 2.0]
        array = np.arange(4.0)

        def __init__(self):
            self.scale = 2.0

        @function
        def scaled(self, x):
            return x * self.scale

        @function
        def helped(self, x):
            return self.half(x) + self.unit

        @function
        def tabled(self, x):
            return x * self.table[0] + len(self.table), x + self.array

        def half(self, x):
            return x / 2

    holder, seen = Holder(), []
    hides = lambda x: x + 1000.0

    def look():
        for _ in range(TIMES):
            other = Holder()
            other.half = hides
            for each in (holder, Holder(), other):  # one of them has a dict, after a while
                seen.extend([answer(each.scaled, [1.5], {}), answer(each.helped, [1.5], {})])
            seen.append(answer(holder.tabled, [1.5], {}))

    look()
    holder.scale = 3.0
    look()
    holder.half = lambda x: x + 100.0
    look()
    del holder.half
    look()
    vars(holder)
    look()
    Holder.unit = 5.0
    look()
    Holder.table.append(3.0)
    look()
    Holder.array.shape = (2, 2)
    look()
    Holder.array = np.ones(2)
    look()
    Holder.half = lambda self, x: x - self.scale
    look()
    Holder.__getattr__ = lambda self, name: 7.0
    del holder.scale
    look()
    Holder.scale = property(lambda self: 8.0, lambda self, value: None)
    look()
    del Holder.__getattr__, Holder.scale
    holder.scale = 1.0
    look()
    return seen


def changes_of_functions(function):
    world = {"np": np, "SCALE": 3.25, "TEXT": "aaa", "TABLE": {"a": 1.5}, "function": function}
    source = """
@function
def f(x, y=2.5, *, k=1):
    if TEXT == "aaa":
        return x * SCALE + y * k + TABLE["a"] + len("ab")
    return abs(x)
"""
    exec(compile(source, register_source(source), "exec"), world)
    f, seen = world["f"], []

    def look(**changes):
        world.update(changes)
        for _ in range(TIMES):
            seen.extend([answer(f, [1.5], {}), answer(f, [1.5, 2.5], {"k": 2}), answer(f, [1.5, 2.5, 3], {})])

    look()
    for scale in (float("3.25"), 3, True, -0.0, 0.0, float("nan"), 1e5):
        look(SCALE=scale)
    for text in ("".join(["aa", "a"]), b"aaa", "b", "aaa"):
        look(TEXT=text)
    look(len=lambda text: 1000)
    del world["len"]
    world["TABLE"]["b"] = 1
    look()
    look(TABLE={"".join(["a"]): 1.5})
    look(TABLE={"a": 1.5, "b": 2.5})
    look(TABLE={"b": 1.5, "a": 2.5})
    f.__kwdefaults__["k"] = 5
    look()
    f.__kwdefaults__ = {"k": 6}
    look()
    f.__defaults__ = (4.5,)
    look()
    f.__defaults__ = (4.5, 5)
    look()
    f.__code__ = (lambda x, y=1, *, k=2: x - k).__code__
    look()
    return seen


def changes_of_arguments(function):
    @function
    def f(xs, ys, d):
        xs[0] = xs[0] + d["a"]
        return xs[0] + ys[0] + d["b"], len(xs)

    seen, xs, ys = [], [1.5, 2.5], [3.5, 4.5]
    for d in ({"a": 1.5, "b": 0.5}, {"b": 1.5, "a": 0.5}, {"".join("a"): 2.5, "b": 1.5}, {"a": 1.5}, {}):
        for first, second in ((xs, ys), (xs, xs), (xs, tuple(ys)), (xs, [*ys, 1.5])):
            seen.extend([answer(f, [first, second, d], {}) for _ in range(TIMES)])
    return seen


def changes_around(function):
    @function
    def f(x):
        return x / (x + x)

    x, seen = np.array([1.0, 2.0]), []
    for how in ("ignore", "warn", "raise", "ignore"):
        with np.errstate(all=how):
            seen.extend([answer(f, [x], {}) for _ in range(TIMES)])
    return seen


@pytest.mark.parametrize(
    "scenario", [changes_of_objects, changes_of_functions, changes_of_arguments, changes_around]
)
def test_what_changes_is_seen(scenario, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is traced often
        with monkeypatch.context() as patched:
            patched.setattr(entered, "can_be_entered", lambda function: False)
            expected = scenario(rt.function)
        found = scenario(rt.function)
    assert [*map(repr, found)] == [*map(repr, expected)]


@pytest.mark.parametrize(
    "module, name, known",
    [
        ("runtime.functions.native_entries", "versions_are_known", lambda: False),
        ("runtime.ops.attribute_places", "place_of", lambda cls, name: None),
    ],
)
def test_pythons_that_keep_classes_and_objects_elsewhere(module, name, known, monkeypatch):
    monkeypatch.setattr(sys.modules[module], name, known)
    test_what_changes_is_seen(changes_of_objects, monkeypatch)


def test_pythons_of_unknown_layout_take_all_calls(monkeypatch):
    monkeypatch.setattr(sys.modules["runtime.functions.native_entries"], "layout", lambda: None)
    f = rt.function(of_globals)
    assert [f(1.0)[1] for _ in range(TIMES)] == [8.125] * TIMES and not hasattr(f, "_chain")


def test_tapes_and_eager_runs_come_before_machine_code():
    f, x = rt.function(lambda x: (x * x).sum()), rt.Tensor(np.array([1.0, 2.0]))
    for _ in range(TIMES):
        f(x)
    with rt.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
    seen = []
    g = rt.function(lambda x: x + len(seen))
    for _ in range(TIMES):
        g(1.5)
    rt.run_functions_eagerly(True)
    try:
        assert type(g(np.float32(1.5))) is np.float32 and g.trace_count == 1
    finally:
        rt.run_functions_eagerly(False)


# -- threads, and code that runs between a call and its body ----------------------------------------------


def acts(what):
    """What happens in the middle of a call: a guard that runs code of the user's."""

    def act(x):
        what(*made)
        return True

    made = [rt.function(of_globals)]
    made[0](np.ones(4)), made[0](np.ones(4))
    made[0]._made[0].trace.guards.append(Guard(Argument(0, "x"), Fits(act), ""))
    made[0](np.ones(4))  # its table is made
    return made[0]


def replaces(f):
    global HELD
    HELD = np.arange(4.0)  # frees the one that a slot holds
    f._chain = (f._chain[0], (f._chain[1][0],)) if len(f._chain) > 1 else ()
    gc.collect(0)


def raises(error):
    def act(f):
        raise error

    return act


def test_code_that_runs_in_the_middle_of_a_call_may_change_all():
    f, seen = acts(replaces), []
    for _ in range(20):
        seen.append(f(np.ones(4))[0].tolist())
    assert seen == [[2.5, 3.5, 4.5, 5.5]] * 20 and f.trace_count == 1


@pytest.mark.parametrize("error", [AttributeError, KeyError, IndexError, TypeError, ValueError])
def test_what_cannot_be_read_sends_the_call_the_long_way(error):
    f = acts(raises(error("gone")))
    assert [f(np.ones(4))[1] for _ in range(3)] == [8.125] * 3


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ZeroDivisionError])
def test_other_exceptions_leave_the_call(error):
    f = acts(raises(error("now")))
    for _ in range(3):
        with pytest.raises(error, match="now"):
            f(np.ones(4))


def test_a_chain_may_be_replaced_while_threads_walk_it():
    f, array = rt.function(of_globals), np.ones(4)
    expected = repr(f(array))
    f(array), f(array)
    entries, done = f._made, threading.Event()

    def call():
        count = 0
        while not done.is_set():
            assert repr(f(array)) == expected
            count += 1
        return count

    def replace():
        for _ in range(150):
            with f.lock:
                entries[0].table, entries[0].is_asked = None, False
                f._enter_by(())
                f._enter_by(entries)
            f._chain = (f._chain[0], (*f._chain[1], object()))
            gc.collect(0)
        done.set()

    counts = together(lambda number: call() if number else replace(), 4)
    assert all(counts[1:]) and f.trace_count == 1
