"""Functions that keep their results (`functools.cache`, `lru_cache`): what they read, do, give and are given.

One that was made inside has a dict of the run. One from outside is traced: it reads what never changes, has
no effect, and gives what nobody can change. Else it is refused.
"""

import functools
import re

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.differential import check
from tests.programs import Programs

PROGRAMS = Programs()
ROWS = (np.array([1.0, -2.0, 3.0]),), (np.array([-1.0, 2.0, 0.5]),), (np.array([3.0, 2.0, -1.0]),)
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


class Pair:
    def __init__(self, v):
        self.v = v
        self.w = v + 1


@functools.lru_cache
def of_a_pair(n):
    pair, listed = Pair(n), np.zeros(2)
    pair.v += 2
    listed[0] = pair.v
    assert n > 0, n
    return listed[0] + pair.w + sum(i * n for i in range(n))


@PROGRAMS.of(*ROWS)
def objects_of_its_own(x):
    pair = Pair(3)
    for v in x:
        if v > 0:
            pair.v += of_a_pair(2)
    return pair.v


@functools.lru_cache
def squares(n):
    return tuple(k * k for k in range(n))


@functools.cache
def named(n):
    return f"{n}" if n else None


@PROGRAMS.of(*ROWS)
def tuples_and_texts(x):
    return x * sum(squares(4)), squares(3), named(1), named(0), named(int(x[0]))


test_program = PROGRAMS.test()


SCALE = 2
ARRAY = np.ones(3)
HELD = [1]


class Model:
    rate = 2

    def __init__(self):
        self.v = Model.rate

    @functools.lru_cache
    def rate_at(self, n):
        return n * self.v


MODEL = Model()


def helper(n):
    return n


@functools.lru_cache
def scaled(n):
    return n * SCALE


@functools.lru_cache
def helped(n):
    return helper(n)


@functools.lru_cache
def of_class(n):
    return n * Model.rate


@functools.lru_cache
def through_an_object(n):
    return n * Model().v


CHANGED = {
    "SCALE": (scaled, 3),
    "helper": (helped, lambda n: n + 1),
    "Model.rate": (of_class, 3),
    "Model.rate, by itself": (through_an_object, 3),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_changes_between_calls_is_refused(monkeypatch, name):
    cached, other = CHANGED[name]
    call = lambda x: x * cached(1)
    decorated = rt.function(call)
    x = np.arange(3.0)
    expected = call(x)
    assert np.array_equal(decorated(x), expected)
    monkeypatch.setattr(f"{__name__}.{name.partition(',')[0]}", other)
    assert np.array_equal(call(x), expected)  # Python has kept it
    word = re.split(r"\W", name)[name.startswith("Model")]
    with pytest.raises(autograph.StagingError, match=f"reads `{word}`, which may change") as error:
        decorated(x)
    assert error.value.hint.startswith(f"pass `{word}` as an argument, or call ")


def test_a_store_in_the_trace_is_refused():
    def program(x):
        global SCALE
        SCALE = x
        return x * scaled(1)

    with pytest.raises(autograph.StagingError, match="reads `SCALE`, which may change"):
        rt.function(program)(1.0)


def around():
    held = np.ones(3)

    @functools.lru_cache
    def read(n):
        return n * held[0]

    return read


READS = {
    "ARRAY": functools.lru_cache(lambda n: n * ARRAY[0]),
    "HELD": functools.lru_cache(lambda n: n * HELD[0]),
    "MODEL": functools.lru_cache(lambda n: n * MODEL.v),
    "held": around(),
    "<lambda>.__defaults__": functools.lru_cache(lambda n, k=[1]: n * k[0]),
}


@pytest.mark.parametrize("name", READS)
def test_what_may_change_is_not_read(name):
    with pytest.raises(autograph.StagingError, match=re.escape(f"reads `{name}`, which may change")):
        rt.function(lambda x: x * READS[name](1))(1.0)


@functools.lru_cache
def said(n):
    print(n)
    return n


@functools.lru_cache
def lists(n):
    return [0] * n


@functools.lru_cache
def first_of(x):
    return x[0]


@functools.lru_cache
def arrays(n):
    return n, (n + 1, np.zeros(n))


def bounded_inside(x):
    @functools.lru_cache
    def twice(n):
        return n + n

    return twice(x)


REFUSED = {
    "has a cache .* and an effect": lambda x: said(3),
    r"gives a list\[int\], which is the same object for all": lambda x: lists(3),
    "gives a tuple, which is the same object for all": lambda x: arrays(3),
    r"`first_of` has a cache \(lru_cache\) and gets a f64\[3\]: results are kept": first_of,
    r"`rate_at` has a cache \(lru_cache\) and gets a Model: results are kept": lambda x: MODEL.rate_at(2),
    "an lru_cache that is made inside forgets some results": bounded_inside,
}


@pytest.mark.parametrize("words", REFUSED)
def test_refused(words):
    function = REFUSED[words]
    with pytest.raises(autograph.StagingError, match=words) as error:
        rt.function(lambda x: function(x))(np.ones(3))
    assert "__wrapped__" in error.value.hint or "write functools.cache" in error.value.hint


def test_the_ways_out():
    table = np.ones(3)

    def anew(x):
        made = lists.__wrapped__(3)
        made[0] += 1
        return x * made[0] * table

    check(anew, *ROWS)
