"""Runs that touch no object but arrays let other threads work meanwhile: here each waits for another."""

from __future__ import annotations

import _thread
import threading
from typing import Any

import numpy as np
import pytest

import runtime as rt


def wait(x, y):
    while x[0] == 0:
        y[1] += 1
    y[0] = 1
    return y[0]


def count_in_nests(x, y):
    for _ in range(10**9):
        for k in range(len(y)):
            if x[0] != 0:
                return k
            y[k] += 1
    return -1


def numbers_in_a_list(x, y):
    found = [1.0]
    while x[0] == 0:
        y[0] = found[0] = found[0] * 0.5 + 1.0
        if len(found) < 100:
            found.append(found[0])
    return len(found) > 0


def product_of_vectors(x, y):
    while x[0] == 0:
        y[0] += x @ y
    return y[0]


def makes_arrays(x, y):
    v = y * 1.0
    while x[0] == 0:
        v = np.tanh(v) + 0.5
        y[0] = v[0]
    return y[0]


def products_and_views(x, y):
    v, a = y * 1.0, np.outer(y, y)
    for _ in range(10**9):
        if x[0] != 0:
            return True
        v = np.concatenate([(a @ v)[1:], v[:1]]) * 0.5
        y[0] = v[0]
    return False


LOOPS = [wait, count_in_nests, numbers_in_a_list, product_of_vectors, makes_arrays, products_and_views]


@pytest.mark.parametrize("program", LOOPS)
def test_a_loop_sees_what_another_thread_writes(program: Any) -> None:
    f = rt.function(program, engine="native", slow_notice=False)
    f(np.ones(3), np.zeros(3))
    x, y, found = np.zeros(3), np.zeros(3), []
    thread = threading.Thread(target=lambda: found.append(f(x, y)), daemon=True)
    thread.start()
    x[0] = 1  # nothing does that while machine code has the GIL
    thread.join(60)
    assert len(found) == 1


def largest(x, y):
    y[0] = 1
    return x.max()


def total(x, y):
    y[0] = 1
    return (x * 2).sum()


def functions_of_numpy(x, y):
    y[0] = 1
    return np.sin(x).max()


@pytest.mark.parametrize("program", [largest, total, functions_of_numpy])
def test_another_thread_interrupts_a_long_nest(program: Any) -> None:
    f = rt.function(program, engine="native")
    y = np.zeros(1)

    def interrupt() -> None:
        while y[0] == 0:
            pass
        _thread.interrupt_main()

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        f(np.broadcast_to(1.0, 10**12), y)
    thread.join()


def test_two_threads_in_machine_code_wait_for_each_other() -> None:
    f = rt.function(wait, engine="native")
    f(np.ones(2), np.zeros(2))
    x, y = np.zeros(2), np.zeros(2)
    threads = [threading.Thread(target=f, args=pair, daemon=True) for pair in ((x, y), (y, np.zeros(2)))]
    for thread in threads:
        thread.start()
    rt.function(lambda x: x.fill(1), engine="native")(x)
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


def test_errors_and_calls_of_python_have_the_gil() -> None:
    def sums(x, n):
        s = 0.0
        for i in range(n):
            s += x[i] * (i // (n - 1 - i if i > 900_000 else 1))
        return s

    f = rt.function(sums, engine="native")
    x = np.ones(1_000_000)
    done: list[Any] = []

    def work() -> None:
        for _ in range(5):
            for error, n in ((ZeroDivisionError, 1_000_000), (IndexError, 900_000)):
                with pytest.raises(error):
                    f(x if n == 1_000_000 else x[:800_000], n)
        done.append(f(x, 900_000))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [sums(x, 900_000)] * 3
