"""Lists and dicts that a variable refers to after an `if` or in a loop: what their items are stays known."""

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario
X = np.array([3.0, -1.0, 2.0])


@scenario
def one_of_two_dicts(function):
    @function
    def f(x, y):
        if x[0] > y:
            state = {"x": x * 2, "n": 1, "name": "left", "parts": [x[0], 1]}
        else:
            state = {"x": x - 1, "n": y, "name": "right", "parts": [y, 2]}
        state["parts"][0] += 1
        return state["x"].sum() * state["n"], state["name"], state["parts"], state

    return [f(X, 2.0), f(X, 4.0), f(X, 4)]


@scenario
def one_of_two_has_another_name(function):
    @function
    def f(c):
        a, b = [1, 2.0], [3, 4.0]
        chosen = a if c > 0 else b
        seen = chosen[0], chosen[1]
        a[0] = 10
        chosen[1] = 20.0
        return seen, chosen[0], a[0], a[1], b, chosen is a

    return [f(1), f(-1)]


@scenario
def one_of_two_that_a_loop_changes(function):
    """The next turn finds by either name what this one has stored by a third."""

    @function
    def f(x, n):
        a, b = [0.0, 1.0], [1.0, 0.5]
        for i in range(n):
            chosen = a if x[i % 3] > 0 else b
            chosen[0] += 1.0
        return a[0], b[0]

    return [f(X, n) for n in (9, 0, 1)]


@scenario
def one_of_two_dicts_that_a_loop_changes(function):
    @function
    def f(x, n):
        high, low = {"hits": 0}, {"hits": 10}
        for i in range(n):
            counts = high if x[i % 3] > 0 else low
            counts["hits"] += 1
        return high["hits"], low["hits"]

    return [f(X, n) for n in (9, 0, 1)]


@scenario
def a_state_that_each_turn_makes_anew(function):
    @function
    def f(x, n):
        state, first = {"x": x, "v": x * 0, "k": 0}, None
        for k in range(n):
            state = {"x": state["x"] + 0.5 * state["v"], "v": state["v"] - state["x"], "k": state["k"] + k}
            if k == 1:
                first = state
            state["k"] += 1
        return state, first is state, None if first is None else first["k"]

    return [f(X, n) for n in (0, 1, 2, 5)]


@scenario
def the_first_one_has_another_name(function):
    @function
    def f(n):
        begun = [0.0, 1]
        now, seen = begun, 0.0
        for k in range(n):
            now[0] = now[0] + 1.0  # the list that was there before, in the first turn
            seen += begun[0]
            now = [now[0], now[1] + k]
        return begun, now, seen, now is begun

    return [f(n) for n in (0, 1, 2, 4)]


@scenario
def a_pair_of_lists_by_a_step(function):
    def step(pair, h):
        (x, v), (t, names) = pair
        return [x + v * h, v - x * h], (t + h, names)

    @function
    def f(n):
        pair = [1.0, 0.0], (0.0, ["x", "v"])
        while pair[1][0] < n:
            pair = step(pair, 0.25)
        return pair

    return [f(n) for n in (0, 1, 3)]


test = PROGRAMS.test()


def test_no_item_is_loaded():
    @rt.function(engine="numpy")
    def f(x, n):
        state = {"x": x, "k": 0} if x[0] > 0 else {"x": -x, "k": 1}
        for _ in range(n):
            state = {"x": state["x"] * 0.5, "k": state["k"] + 1}
        return state["x"].sum(), state["k"]

    assert f(X, 3) == (0.5, 3) and f(-X, 2) == (1.0, 3)
    (concrete,) = f.concrete_functions
    assert "dict.getitem" not in [op.name for op in concrete.graph.operations()]


PAIRS = {
    "deques": lambda x: (deque([1.0]), deque([2.0], maxlen=4)),
    "ordered": lambda x: (OrderedDict({0: x[0]}), OrderedDict({0: 2.0})),
    "with_defaults": lambda x: (defaultdict(float, {0: 1.0}), defaultdict(float, {0: x[1]})),
    "counters": lambda x: (Counter({0: 1}), Counter({0: 2})),
    "made_by_calls": lambda x: (x.tolist(), sorted(x)),
    "comprehensions": lambda x: ([v for v in x if v > -9], list(reversed(x))),
    "dicts_made_by_calls": lambda x: (dict.fromkeys((0, 1), 1.0), dict(enumerate(x))),
}


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("kind", PAIRS)
def test_a_store_to_one_of_two_is_read_by_its_other_name(kind, engine):
    def f(x):
        a, b = pair(x)
        chosen = a if x[1] > 0 else b
        before = chosen[0], a[0], b[0]
        chosen[0] = 7
        a[0] += 1
        return before, chosen[0], a[0], b[0], chosen is a, chosen is b

    pair = PAIRS[kind]
    for x in (X, -X):
        assert rt.function(f, engine=engine)(x) == f(x)
