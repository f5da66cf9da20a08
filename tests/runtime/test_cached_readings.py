"""What a cached function (`functools.lru_cache`) reads beside its arguments: Python reads it once.

A trace reads it again, so it must not change: within a run, nor from call to call. Else it is refused.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()
ROWS = (np.array([1.0, -2.0, 3.0]),), (np.array([-1.0, 2.0, 0.5]),), (np.array([3.0, 2.0, -1.0]),)
WEIGHTS = np.arange(5.0)
GAINS = (1, 2, 3, 4, 5, 6, 7, 8)


@functools.cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@functools.lru_cache
def best(i, j):
    if i == 0 or j == 0:
        return 0
    return max(best(i - 1, j), best(i, j - 1)) + GAINS[i - 1] * GAINS[j - 1]


@PROGRAMS.of(*ROWS)
def known_arguments_are_traced_once(x):
    return x * fib(60), best(8, 8)


@functools.lru_cache
def twice(n):
    return n + n


@functools.lru_cache(typed=True)
def typed(n):
    return n + n


@PROGRAMS.of(*ROWS)
def equal_arguments_are_one(x):
    """As the cache has it: 1.0 and True share a result, 1 has its own."""
    return twice(1), twice(1.0), twice(True), twice(n=1), typed(1), typed(1.0), typed(True)


@PROGRAMS.of(*ROWS)
def a_call_on_one_path(x):
    seen = 0
    if x[0] > 0:
        seen = twice(3)
    return seen + twice(3) * twice(x[1])


@PROGRAMS.of(*ROWS)
def a_table_of_the_run(x):
    @functools.cache
    def most(k):
        if k < 2:
            return x[k]
        return max(most(k - 1), most(k - 2) + x[k % 3])

    return most(8)


@PROGRAMS.of(*ROWS)
def made_in_each_turn(x):
    total = 0
    for v in x:

        @functools.lru_cache
        def scaled(k):
            return k * v

        total += scaled(1) + scaled(1)
    return total


class Pair:
    def __init__(self, v):
        self.v = v
        self.w = v + 1


@functools.lru_cache
def of_a_pair(n):
    pair = Pair(n)
    pair.v += 2
    return pair.v + pair.w


@PROGRAMS.of(*ROWS)
def objects_of_its_own(x):
    pair = Pair(3)
    for v in x:
        if v > 0:
            pair.v += of_a_pair(2)
    return pair.v


@functools.lru_cache
def weight(n):
    return WEIGHTS[n]


@PROGRAMS.of(*ROWS)
def captured_arrays(x):
    total = 0
    for v in x:
        total += weight(int(abs(v)))
    return total + float(WEIGHTS.sum())


test_program = PROGRAMS.test()


REFUSED = {
    "a variable": """
        k = x[0]
        @functools.lru_cache
        def q(m): return m * k
        a = q(1); k = k + 1
        return a, q(1)""",
    "a variable of a loop": """
        k = x[0]
        @functools.lru_cache
        def q(m): return m * k
        total = 0
        for v in x:
            k = v
            total += q(1)
        return total""",
    "an item": """
        k = [1, 2]
        @functools.lru_cache
        def q(m): return m * k[0]
        a = q(1); k[0] = 5
        return a, q(1)""",
    "an array": """
        k = x.copy()
        @functools.lru_cache
        def q(m): return m * k[0]
        a = q(1); k[1:][0] = 5
        return a, q(1)""",
    "an attribute": """
        k = Held()
        k.v = 1
        @functools.lru_cache
        def q(m): return m * k.v
        a = q(1); k.v = x[0]
        return a, q(1)""",
    "a global": """
        global K
        K = 1
        @functools.lru_cache
        def q(m): return m * K
        a = q(1); K = x[0]
        return a, q(1)""",
}


class Held:
    pass


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_a_run_changes_is_refused(body: str) -> None:
    source = f"import functools\ndef f(x):{body}\n"
    namespace: dict[str, Any] = {"__name__": "mine", "Held": Held}
    exec(compile(source, autograph.register_source(source), "exec", dont_inherit=True), namespace)
    with pytest.raises(autograph.StagingError, match=r"`q` has a cache \(lru_cache\) and reads `"):
        rt.function(namespace["f"])(np.ones(3))


SCALE = 2
ARRAY = np.ones(3)


@functools.lru_cache
def scaled(n):
    return n * SCALE


@functools.lru_cache
def first(n):
    return n * ARRAY[0]


def helper(n):
    return n


@functools.lru_cache
def helped(n):
    return helper(n)


class Model:
    def __init__(self, rate):
        self.rate = rate

    @functools.lru_cache
    def rate_at(self, n):
        return n * self.rate


MODEL = Model(2)


@pytest.mark.parametrize(
    "call, name, other",
    [
        (lambda x: x * scaled(1), "SCALE", 3),
        (lambda x: x * first(1), "ARRAY", np.zeros(3)),
        (lambda x: x * helped(1), "helper", lambda n: n + 1),
        (lambda x: x * MODEL.rate_at(1), "MODEL.rate", 3),
    ],
    ids=["global", "array", "function", "attribute"],
)
def test_what_changes_between_calls_is_refused(monkeypatch, call, name, other):
    decorated = rt.function(call)
    x = np.arange(3.0)
    expected = call(x)
    assert np.array_equal(decorated(x), expected)
    owner, _, attribute = name.rpartition(".")
    monkeypatch.setattr(f"{__name__}.{name}" if not owner else MODEL, *([attribute] if owner else []), other)
    assert np.array_equal(call(x), expected)  # Python has kept it
    with pytest.raises(autograph.StagingError, match=re.escape(f"reads `{name}`, which may change")):
        decorated(x)


def test_an_array_written_in_place_between_calls_is_refused():
    held = np.ones(3)

    @functools.lru_cache
    def read(n):
        return n * held[0]

    def program(x):
        return x * read(2)

    check(program, *ROWS)
    decorated = rt.function(program)
    decorated(np.ones(3))
    held[0] = 7
    with pytest.raises(autograph.StagingError, match="reads `held`, which may change"):
        decorated(np.ones(3))


def test_another_object_has_results_of_its_own():
    def program(model, x):
        return x * model.rate_at(2)

    decorated = rt.function(program)
    slow, fast = Model(1), Model(5)
    for model in (slow, fast, slow):
        assert decorated(model, 2.0) == program(model, 2.0)
    slow.rate = 9
    assert decorated(fast, 3.0) == 30.0
    with pytest.raises(autograph.StagingError, match=r"reads `model\.rate`, which may change"):
        decorated(slow, 3.0)
