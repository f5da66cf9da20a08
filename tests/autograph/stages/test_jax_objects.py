"""Objects that are changed in staged branches and loops: carried, or refused, and never left with tracers."""

from collections import deque
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph
import autograph.stages.jax


def compiled(f):
    return jax.jit(autograph.convert(f))


def same(f, *arguments):
    expected, result = jax.tree.flatten(f(*arguments)), jax.tree.flatten(compiled(f)(*arguments))
    assert expected[1] == result[1]
    assert [np.asarray(leaf).tolist() for leaf in result[0]] == pytest.approx(expected[0])


class Counter:
    def __init__(self):
        self.count, self.total = 0, 0.0

    def add(self, amount):
        self.count += 1
        self.total += amount


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


@dataclass
class Node:
    left: Any
    value: Any


@pytest.mark.parametrize("x", [3.0, -3.0])
class TestCarried:
    def test_attributes(self, x):
        def f(x):
            counter = Counter()
            if x > 0:
                counter.add(x)
            else:
                counter.total = x
            return counter.count, counter.total

        same(f, x)

    def test_slots(self, x):
        def f(x):
            box = Slotted(x)
            if x > 0:
                box.value = box.value * 2
            return box.value

        same(f, x)

    def test_objects_in_objects(self, x):
        def f(x):
            tree = Node(Node(None, x), 1.0)
            if x > 0:
                tree.left.value += 1
            while tree.value < 10:
                tree.value = tree.value * 3 + x * x
            return tree.left.value, tree.value

        same(f, x)

    def test_attribute_made_in_a_branch(self, x):
        def f(x):
            box = Slotted(0)
            counter = Counter()
            if x > 0:
                counter.extra = x
            else:
                counter.extra = 7.0
            return counter.extra

        same(f, x)

    def test_list_items(self, x):
        def f(x):
            items = [1.0, 2.0, 3.0]
            if x > 0:
                items[0] = x
                items.reverse()
            else:
                items[-1] += x
            return items

        same(f, x)

    def test_one_list_under_two_names(self, x):
        def f(x):
            a = b = [1.0, 2.0]
            if x > 0:
                a[0] = x
            b[1] = 5.0
            return a, b

        same(f, x)

    def test_lists_of_lists(self, x):
        def f(x):
            rows = [[1.0, 2.0], [3.0, 4.0]]
            first = rows[0]
            if x > 0:
                rows[0][1] = x
            first[0] = 9.0
            return rows

        same(f, x)

    def test_dict_items(self, x):
        def f(x):
            table = {"b": 1.0, "a": 2.0}
            if x > 0:
                table["a"] = x
            else:
                table["b"], table["a"] = table["a"], x
            return table["a"], table["b"]

        same(f, x)

    def test_deque(self, x):
        def f(x):
            queue = deque([1.0, 2.0, 3.0])
            if x > 0:
                queue.rotate(1)
            return list(queue)

        same(f, x)

    def test_nonlocal_in_a_callee(self, x):
        def f(x):
            total, calls = 0.0, 0

            def add(y):
                nonlocal total, calls
                calls += 1
                if y > 0:
                    total += y

            if x > 0:
                add(x)
                add(-x)
            else:
                add(x)
            return total, calls

        same(f, x)

    def test_swapped_lists(self, x):
        def f(x):
            a, b = [1.0, 2.0], [3.0, 4.0]
            if x > 0:
                a, b = b, a
            a[0] = 77.0
            return a, b

        same(f, x)

    def test_in_loops(self, x):
        def f(x):
            counter, history = Counter(), [0.0, 0.0]
            for i in range(12):
                if i * x > 9:
                    counter.add(i * x)
                    history[0], history[1] = history[1], counter.total
            return counter.count, counter.total, history

        same(f, x)

    def test_new_lists_in_loops(self, x):
        def f(x):
            pair = [x, x + 1]
            before = [0.0, 0.0]
            for i in range(12):
                before, pair = pair, [pair[1], before[0] * 0.5 + pair[0]]
            pair.append(2.0)
            return pair, before

        same(f, x)

    def test_a_list_changed_and_returned(self, x):
        def f(x):
            kept = [1.0, x]
            for i in range(12):
                if x * i > 20:
                    return i, kept
                if x < 0:
                    return i, [0.0, x]
            kept[0] = 5.0
            return -1, kept

        same(f, x)

    def test_a_carried_list_changed_in_place(self, x):
        def f(x):
            pair = [x, 0.0]
            for i in range(12):
                pair[0] += i
                if i % 3 == 0:
                    pair = [pair[1] + 1, pair[0]]
                pair[1] -= x
            return pair

        same(f, x)

    def test_a_dict_of_parameters(self, x):
        def step(p, x):
            if x > 0:
                p = {k: v * 2 for k, v in p.items()}
            return p

        def f(x):
            p = {"w": 1.0, "b": 2.0}
            for i in range(10):
                p = step(p, x)
            return p

        same(f, x)


# What lies outside


COUNT = 0
LOG: list[int] = []
TABLE = np.zeros(3)


class Shared:
    total = 0


def _bump():
    global COUNT
    COUNT += 1


def _of_a_global(x):
    global COUNT
    if x > 0:
        COUNT = 5
    return x


def _of_a_global_in_a_callee(x):
    if x > 0:
        _bump()
    return x


def _of_a_class(x):
    if x > 0:
        Shared.total += 1
    return x


def _of_a_global_list(x):
    for i in range(20):
        if i > x:
            LOG.append(i)
    return x


def _of_a_global_list_in_a_while(x):
    while x > 1:
        LOG.append(1)
        x = x / 2
    return x


def _of_a_numpy_array(x):
    if x > 0:
        TABLE[0] = 1
    return x


def _of_a_numpy_array_in_place(x):
    table = TABLE
    if x > 0:
        np.add(table, 1, out=table)
    return x


@pytest.mark.parametrize(
    "f, said",
    [
        (_of_a_global, "`COUNT` belongs outside the function that JAX traces"),
        (_of_a_global_in_a_callee, "`COUNT` belongs outside"),
        (_of_a_class, "`Shared.total` belongs outside"),
        (_of_a_global_list_in_a_while, "`LOG` belongs outside"),
        (_of_a_numpy_array, "a NumPy array is written while JAX traces"),
        (_of_a_numpy_array_in_place, "a NumPy array from before is written"),
    ],
)
def test_what_lies_outside_is_not_changed(f, said):
    with pytest.raises(autograph.StagingError, match=said):
        compiled(f)(8.0)
    assert (COUNT, Shared.total, LOG, TABLE.tolist()) == (0, 0, [], [0, 0, 0])
    TABLE[1] = 1  # can be written again
    TABLE[1] = 0


def test_an_object_that_a_method_is_bound_to():
    class Model:
        def __init__(self):
            self.calls, self.log = 0, []

        def step(self, x):
            if x > 0:
                self.calls += 1
            return x

        def note(self, x):
            while x > 1:
                x = x / 2
                self.log.append(x)
            return x

    model = Model()
    with pytest.raises(autograph.StagingError, match="`Model.calls` belongs outside"):
        compiled(model.step)(1.0)
    with pytest.raises(autograph.StagingError, match="`Model.log` belongs outside"):
        compiled(model.note)(9.0)
    assert (model.calls, model.log) == (0, [])


def test_a_variable_of_an_enclosing_function():
    calls = 0

    def f(x):
        nonlocal calls
        if x > 0:
            calls += 1
        return x

    with pytest.raises(autograph.StagingError, match="`calls` belongs outside"):
        compiled(f)(1.0)
    assert calls == 0


def test_an_iterator_from_outside():
    items = iter([1, 2, 3])

    def f(x):
        if x > 0:
            x = x + next(items)
        return x

    def g(x):
        if x > 0:
            for item in items:
                x = x + item
        return x

    for function in (f, g):
        with pytest.raises(autograph.StagingError, match="a list_iterator from outside is advanced"):
            compiled(function)(1.0)
    assert list(items) == [1, 2, 3]


def test_an_object_of_the_outer_trace_changed_in_an_inner_one():
    def f(x):
        counter = Counter()

        def loss(y):
            if y > 0:
                counter.add(y)
            return y * y

        return jax.grad(autograph.convert(loss))(x) + counter.total

    with pytest.raises(autograph.StagingError, match=r"`Counter.count` belongs outside"):
        compiled(f)(1.0)


def test_a_dict_that_is_an_argument():
    def f(state, x):
        if x > 0:
            state["n"] = state["n"] + x
        return state

    given = {"n": 1.0}
    assert compiled(f)(given, 2.0) == {"n": 3} and given == {"n": 1.0}


# Identity that would be lost


def test_a_list_that_is_one_of_two():
    def f(x):
        a, b = [1.0, 2.0], [3.0, 4.0]
        c = a
        if x > 0:
            a, b = b, a
        a[0] = 77.0
        return a, b, c

    with pytest.raises(autograph.StagingError, match="which one it is depends on a staged condition"):
        compiled(f)(1.0)


def test_one_new_list_under_two_names():
    def f(x):
        a, b = [1.0], [2.0]
        if x > 0:
            a = b = [x]
        a.append(3.0)
        return a, b

    with pytest.raises(autograph.StagingError, match="`b` and `a` become the same list"):
        compiled(f)(1.0)


def test_an_object_made_in_a_branch_of_staged_values():
    def f(x):
        box = None
        if x > 0:
            box = Slotted(x * 2)
        return 1.0 if box is None else box.value

    with pytest.raises(autograph.StagingError, match="`box` is a Slotted made under a staged condition"):
        compiled(f)(1.0)


def test_lists_that_grow():
    def f(x):
        found = []
        if x > 0:
            found.append(x)
        return found

    with pytest.raises(
        autograph.StagingError, match=r"(?s)`found` is .* on one path .* where a list would grow"
    ):
        compiled(f)(1.0)


def test_the_leak_checker_of_jax():
    def f(xs):
        counter, best = Counter(), None
        for x in xs:
            if best is None or x > best:
                best = x
                counter.add(x)
        while counter.total > 3:
            counter.total /= 2
        return best, counter.total

    with jax.checking_leaks():
        assert compiled(f)(jnp.arange(12.0))[0] == 11


def test_no_tracer_is_left_behind():
    counter = Counter()

    def f(xs):
        for x in xs:
            while x > 1:
                counter.add(x)
                x = x / 2
        return counter.total

    with pytest.raises(autograph.StagingError, match="`Counter.count` belongs outside"):
        compiled(f)(jnp.arange(12.0))
    assert (counter.count, counter.total) == (0, 0.0)
