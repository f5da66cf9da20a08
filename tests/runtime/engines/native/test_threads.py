"""Several threads run large nests and loops over `rt.prange`: with the same bits, however many there are."""

import os
import signal
import threading
import warnings
from importlib import import_module

import numpy as np
import pytest

import runtime as rt
from autograph import ArgumentError
from tests.runtime.engines.native.test_interrupt import interrupted

threads = import_module("runtime.ops.threads")
nests, regions = [import_module(f"runtime.engines.native.{name}") for name in ("nests", "regions")]


@pytest.fixture(autouse=True)
def little_work_is_much(monkeypatch):
    monkeypatch.setattr(regions, "LEAST", 1)
    monkeypatch.setattr(nests, "CHUNK", 4)
    monkeypatch.setattr(threads, "limit", threads.limit)


@pytest.fixture
def shared(monkeypatch):
    """How many operations were given to several threads."""
    counted, share = [], threads.share
    monkeypatch.setattr(threads, "share", lambda *given: (counted.append(1), share(*given))[1])
    return counted


def bits(found):
    return [np.asarray(part).tobytes() for part in (found if isinstance(found, tuple) else (found,))]


def chain(x, y, n):
    return (x * 2 + y) / (1 + x * x) - np.tanh(y), x[::-1] > y


def rows_and_columns(x, y, n):
    a = x.reshape(-1, 3)
    return a.sum(axis=1), a.T * 2, a[:, ::2] + a[:, 1:2]


def in_place(x, y, n):
    x[1:-1] = 0.5 * (y[:-2] + y[2:])
    x[::2] *= 3
    return x


def elements(x, y, n):
    for i in rt.prange(n):
        x[i] = y[i] * 2 + i
    return x


def every_third(x, y, n):
    for i in rt.prange(1, n - 1, 3):
        x[i + 1] = y[i - 1] - x[i + 1]
    return x


def rows(x, y, n):
    a, b = x.reshape(-1, 3), y.reshape(-1, 3)
    for i in rt.prange(len(a)):
        row = b[i]
        a[i, 0] = row[2]
        a[i, 1:] = row[1:] * 2 + a[i, 0]
        a[i] += 1.0
    return x


def columns(x, y, n):
    a = x.reshape(3, -1)
    for j in rt.prange(a.shape[1]):
        for i in range(3):
            a[i, j] += i * y[j]
    return x


def sums(x, y, n):
    total, product, above = 0.0, 1.0, 0
    for i in rt.prange(n):
        if x[i] > 0.5:
            above += 1
            total -= y[i]
        for k in range(i % 4):
            total += x[k] * y[i]
        product *= 1 + x[i] * 1e-3
        last = x[i] + i
    return total, product, above, last


def points(x, y, n):
    for i in rt.prange(n):
        z, c, k = 0j, complex(x[i] * 2 - 1.5, y[i] - 0.5), 0
        while k < 50 and abs(z) < 2:
            z = z * z + c
            k += 1
        x[i] = k
    return x


PROGRAMS = [chain, rows_and_columns, in_place, elements, every_third, rows, columns, sums, points]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("engine", ["native", "numpy"])
def test_the_bits_are_the_same_for_any_number_of_threads(program, engine, shared):
    ours = rt.function(program, engine=engine)
    random = np.random.default_rng(1)
    for n in (3, 6, 129, 600):
        x, y = random.random(n), random.random(n)
        expected = program(x.copy(), y.copy(), n)
        alone = None
        for count in (1, 2, 3, 8):
            rt.set_threads(count)
            found = ours(x.copy(), y.copy(), n)
            alone = bits(found) if alone is None else alone
            assert bits(found) == alone
        parts = zip(expected, found, strict=True) if isinstance(expected, tuple) else [(expected, found)]
        for a, b in parts:
            np.testing.assert_allclose(b, a, rtol=1e-12)
    assert bool(shared) == (engine == "native")


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_iterations(n):
    x = np.arange(3.0)

    def total(x, n):
        s, k = 10, -1
        for k in rt.prange(n):
            s += 2
            x[k] = 7
        return s, k

    expected = x.copy()
    assert rt.function(total)(x, n) == total(expected, n) and x.tolist() == expected.tolist()


def test_what_shares_memory_runs_in_order():
    """Which arrays do, only the run knows."""

    @rt.function
    def shift(x, y):
        for i in rt.prange(1, len(x)):
            x[i] = y[i - 1]

    @rt.function
    def from_the_end(x, first):
        for i in rt.prange(first, 4):
            x[i] = i

    for count in (1, 3):
        rt.set_threads(count)
        x = np.arange(400.0)
        shift(x, x)
        assert not x.any()
        x = np.arange(401.0)
        shift(x[1:], x[:-1])
        assert x[2::2].tolist() == [0.0] * 200 and x[1::2].tolist() == [1.0] * 200
        x = np.zeros(4)
        from_the_end(x, -4)
        assert x.tolist() == [0, 1, 2, 3]
        same = np.lib.stride_tricks.as_strided(np.zeros(1), (400,), (0,))
        shift(same, np.arange(400.0))
        assert same[0] == 398


def test_the_first_iteration_that_fails_says_why():
    @rt.function
    def reads(x, places):
        for i in rt.prange(len(places)):
            x[i] = places[places[i]]

    places = np.zeros(1000, "i8")
    places[[300, 700]] = 5000, -4000
    for count in (1, 2, 8):
        rt.set_threads(count)
        x = np.ones(1000)
        with pytest.raises(IndexError, match="index 5000 is out of bounds") as caught:
            reads(x, places)
        assert not x[:300].any()
        entry = caught.traceback[-1]
        assert (entry.name, entry.lineno - reads.python_function.__code__.co_firstlineno) == ("reads", 2)


def test_an_int_beyond_64_bits_is_an_error_as_everywhere():
    @rt.function
    def f(x, n):
        s = 0
        for i in rt.prange(n):
            s += x[0]
        return s

    @rt.function
    def g(k, n):
        s = 0
        for i in rt.prange(n):
            s += k
        return s

    assert f(np.array([3]), 1000) == 3000
    assert g(2**50, 1000) == 1000 * 2**50
    with pytest.raises(OverflowError):
        g(2**60, 1000)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the platform has no interval timers")
@pytest.mark.parametrize("count", [1, 3])
def test_an_interrupt_ends_all_threads(count):
    @rt.function
    def endless(x):
        for i in rt.prange(len(x)):
            while x[i] >= 0:
                x[i] += 1e-9
        return x

    @rt.function
    def short_ones(x, n):
        s = 0.0
        for i in rt.prange(n):
            s += x[i % 3]
        return s

    rt.set_threads(count)
    x = np.zeros(4)
    assert interrupted(lambda: endless(x))
    assert interrupted(lambda: short_ones(x, 10**13))
    x[:] = -1.0
    assert endless(x).tolist() == [-1.0] * 4


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the platform has no interval timers")
def test_a_handler_that_raises_ends_the_blocks_of_others():
    """Those before the one where it raised, too."""
    raised = []

    def late(*_):
        raised.append(TimeoutError if not raised else KeyboardInterrupt)
        raise raised[-1]

    @rt.function
    def endless(x):
        for i in rt.prange(len(x)):
            while x[i] >= 0:
                x[i] += 1e-9

    rt.set_threads(3)
    endless(-np.ones(4))
    before = signal.signal(signal.SIGALRM, late)
    try:
        for mine in (0.0, -1.0):  # the calling thread has the first block, or another one
            raised.clear()
            signal.setitimer(signal.ITIMER_REAL, 0.05, 20.0)
            with pytest.raises(TimeoutError):
                endless(np.array([mine, 0.0, 0.0, 0.0]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_one_loop_at_a_time_has_the_threads():
    """What another thread runs meanwhile, or an inner loop, takes no more of them."""

    @rt.function
    def nested(x):
        for i in rt.prange(len(x)):
            for j in rt.prange(x.shape[1]):
                x[i, j] = i * j + x[i, j]
        return x

    rt.set_threads(3)
    x, found = np.random.default_rng(0).random((40, 30)), []
    expected = nested.python_function(x.copy())

    def work():
        for _ in range(50):
            found.append(np.array_equal(nested(x.copy()), expected))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [True] * 200


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform cannot fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
def test_a_forked_process_begins_with_one_thread():
    rt.set_threads(3)
    ours, x = rt.function(elements), np.arange(300.0)
    expected = ours(x.copy(), x, 300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python and of JAX, where there are other threads
        child = os.fork()
    if not child:
        fine = rt.get_threads() == 1 and np.array_equal(ours(x.copy(), x, 300), expected)
        rt.set_threads(2)
        os._exit(0 if fine and np.array_equal(ours(x.copy(), x, 300), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert rt.get_threads() == 3


def test_the_number_of_threads(monkeypatch):
    rt.set_threads(5)
    assert rt.get_threads() == 5
    monkeypatch.setenv("AUTOGRAPH_THREADS", "7")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    rt.set_threads(None)
    assert rt.get_threads() == 7
    for wrong in (0, -1, 1.5, "2", True):
        with pytest.raises(ArgumentError, match="give the number of threads, at least 1"):
            rt.set_threads(wrong)


def test_a_nest_that_is_short_asks_no_other_thread(monkeypatch, shared):
    monkeypatch.setattr(regions, "LEAST", 1000)
    ours = rt.function(lambda x: x * 2 + 1)
    assert ours(np.ones(100)).sum() == 300 and not shared


def test_a_gradient_takes_it_for_a_range():
    def energy(x):
        total = 0.0
        y = np.zeros(len(x))
        for i in rt.prange(len(x)):
            y[i] = x[i] ** 2
            total += np.sin(y[i]) * x[i]
        return total

    x = np.linspace(0.0, 1.0, 7)
    expected = np.sin(x**2) + 2 * x**2 * np.cos(x**2)
    np.testing.assert_allclose(rt.grad(energy)(x), expected, rtol=1e-12)
    np.testing.assert_allclose(rt.function(rt.grad(energy))(x), expected, rtol=1e-12)
