"""Objects that are changed in staged branches and loops: carried, or refused, and never left with tracers."""

from collections import deque
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import pytest

import autograph
import autograph.stages.jax
from tests.autograph.stages.objects import Counter, Slotted


def compiled(f):
    return jax.jit(autograph.convert(f))


def same(f, *arguments):
    expected, result = jax.tree.flatten(f(*arguments)), jax.tree.flatten(compiled(f)(*arguments))
    assert expected[1] == result[1]
    assert [np.asarray(leaf).tolist() for leaf in result[0]] == pytest.approx(expected[0])


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
