"""Threads that call, and trace for the first time, the same functions."""

import asyncio
import os
import sys
import threading
import types

import numpy as np
import pytest

import runtime as rt

THREADS = 8
X = np.array([1.0, -2.0, 3.0])


def together(run, count=THREADS, interval=1e-5):
    """``run(number)`` in threads that begin at the same moment; their results, or the first exception."""
    barrier = threading.Barrier(count)
    results, errors = [None] * count, []

    def work(number):
        barrier.wait()
        try:
            results[number] = run(number)
        except BaseException as error:  # raised again below, in the test's own thread
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(count)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(interval)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    finally:
        sys.setswitchinterval(before)
    assert not any(thread.is_alive() for thread in threads), "a deadlock"
    for error in errors:
        raise error
    return results


@pytest.fixture(params=["numpy", "native"])
def function(request):
    return lambda f: rt.function(f, engine=request.param)


def test_one_trace_for_one_signature(function):
    def plain(x, n):
        for i in range(n):
            if x[i % 3] > 0:
                x = x + i
        return x

    f = function(plain)
    results = together(lambda number: [f(X, n).tolist() for n in range(5)])
    assert results == [[plain(X, n).tolist() for n in range(5)]] * THREADS
    assert f.trace_count == 1


def test_one_trace_for_each_signature(function):
    f = function(lambda x: (x * 2).sum())
    results = together(lambda number: [f(np.ones(n)) for n in range(number % 4, number % 4 + 3)])
    assert results == [[2.0 * n for n in range(k % 4, k % 4 + 3)] for k in range(THREADS)]
    assert f.trace_count == 6


def test_functions_that_call_each_other(function):
    def even(x, n):
        return x if n == 0 else odd(x + 1, n - 1)

    def odd(x, n):
        return x * 2 if n == 0 else even(x - 3, n - 1)

    plain = types.SimpleNamespace(even=even, odd=odd)
    expected = [plain.even(X, k).tolist() for k in range(4)], [plain.odd(X, k).tolist() for k in range(4)]
    even, odd = function(even), function(odd)

    def run(number):
        mine = [
            lambda: [even(X, k).tolist() for k in range(4)],
            lambda: [odd(X, k).tolist() for k in range(4)],
        ]
        first, second = mine[number % 2](), mine[1 - number % 2]()
        return (first, second) if number % 2 == 0 else (second, first)

    assert together(run) == [expected] * THREADS


def test_a_class_that_several_traces_watch(function):
    class Model:
        rate = 0.5

        def __init__(self, scale):
            self.scale = np.array(scale)  # an array: its value is no constant of a trace
            self.calls = np.zeros((), int)

        def step(self, x):
            self.calls += 1
            return x * self.scale * self.rate

        def __add__(self, x):
            return x + self.scale

    functions = [function(lambda m, x, k=k: m.step(x) + (m + x) * k) for k in range(4)]
    models = [Model(float(n)) for n in range(THREADS)]

    def run(number):
        return [f(models[number], X).tolist() for f in functions for _ in range(3)]

    expected = [
        [(X * n * 0.5 + (X + n) * k).tolist() for k in range(4) for _ in range(3)]
        for n in map(float, range(THREADS))
    ]
    assert together(run) == expected
    assert [m.calls for m in models] == [12] * THREADS
    assert [f.trace_count for f in functions] == [1] * 4
    assert "__getattribute__" not in vars(Model)


def test_no_class_is_changed_while_a_function_is_traced():
    class Model:
        def __init__(self, k):
            self.k = k

        def __add__(self, x):
            return Model(self.k + x)

        def __eq__(self, other):
            return self.k == other.k

    f = rt.function(lambda x: (Model(x[0]) + 1.0 == Model(x[0])) * x)
    own, found = dict(vars(Model)), []

    def run(number):
        for size in range(1, 7):
            if number == 0:
                f(np.ones(size))
            else:
                found.extend(dict(vars(Model)) for _ in range(2000))

    together(run, count=2, interval=1e-6)
    assert all(one == own for one in found)


def test_threads_that_do_not_trace_see_nothing_of_a_trace(function):
    class Model:
        def __init__(self):
            self.values = [1.0, 2.0]
            self.array = np.ones(3)

    model = Model()
    stop = threading.Event()
    seen = []

    def watch():
        while not stop.is_set():
            seen.append((type(model.values), type(model.array), model.values[0]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        together(
            lambda number: [function(lambda m, x: m.array * m.values[1] + x)(model, X) for _ in range(5)], 2
        )
    finally:
        stop.set()
        watcher.join()
    assert set(seen) == {(list, np.ndarray, 1.0)}


def test_globals_that_change_meanwhile(function):
    box = types.SimpleNamespace(scale=1.0)
    f = function(lambda x: x * box.scale)

    def run(number):
        if number == 0:
            for value in (2.0, 3.0, 1.0) * 10:
                box.scale = value
            return True
        return all(f(X)[0] in (1.0, 2.0, 3.0) for _ in range(30))

    assert together(run) == [True] * THREADS
    assert f(X)[0] == 1.0


def test_one_warning_and_one_fallback():
    import warnings

    f = rt.function(lambda x: open("nowhere"), fallback="python")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        together(lambda number: pytest.raises(FileNotFoundError, f, X))
    assert len([w for w in caught if w.category is rt.FallbackWarning]) == 1


def test_check_holds_the_state_of_the_world():
    count = 0

    @rt.function(check="always")
    def f(x):
        nonlocal count
        count += 1
        return x * count

    together(lambda number: [f(X) for _ in range(3)])
    assert count == 3 * THREADS


def test_traces_in_an_event_loop(function):
    f = function(lambda x, k: x * k if x.sum() > 0 else x)

    async def one(k):
        await asyncio.sleep(0)
        first = f(X, k)
        await asyncio.sleep(0)
        return first.tolist() == f(X, k).tolist() == (X * k).tolist()

    async def main():
        loop = asyncio.get_running_loop()
        inside = await asyncio.gather(*[one(float(k)) for k in range(8)])
        outside = await asyncio.gather(*[loop.run_in_executor(None, f, X, float(k)) for k in range(8)])
        return all(inside) and [x.tolist() for x in outside] == [(X * k).tolist() for k in range(8)]

    assert asyncio.run(main())
    assert f.trace_count == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # of JAX, where a test before imported it
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_forked_process_calls_and_traces(function):
    f = function(lambda x: (x * 2).sum())
    assert f(X) == 4.0
    child = os.fork()
    if child == 0:
        good = f(X) == 4.0 and f(np.ones(2)) == 4.0 and function(lambda x: x.sum() + 1)(X) == 3.0
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_counter_of_several_threads_loses_nothing_while_one_of_them_traces(function):
    counter = [0]

    @function
    def f(x):
        counter[0] += 1
        return x * 2

    # Threads change where one of them waits, for a lock or for LLVM; plain Python then never loses one.
    together(lambda number: [f(X) for _ in range(10)], interval=10)
    assert counter == [10 * THREADS]
