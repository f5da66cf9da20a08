"""A store to an item runs code of the user's, which gives the variable whose item is stored another value."""

import operator

import numpy as np
import pytest

from tests.differential import check
from tests.modules import module_of

CLASSES = """
import numpy as np

class At:
    def __index__(self):
        global a
        print("index")
        a = [9, 9, 9]
        return 1

class Of:
    def __index__(self):
        global x
        x = np.full(3, 7.0)
        return 1

class Cell:
    def __getitem__(self, i):
        return 5
    def __setitem__(self, i, v):
        global a
        a = "set", i, v
    def __delitem__(self, i):
        global a
        a = "deleted", i

class Sum:
    def __iadd__(self, other):
        global a
        a = [other, other]
        return 5
"""
STORES = """
a = [0, 0, 0]; before = a; a[At()] = n
a = [0, 0, 0]; before = a; a[At()] += n
a = [0, 0, 0]; before = a; del a[At()]
a = Cell(); before = None; a[n] = n
a = Cell(); before = None; a[n] += n
a = Cell(); before = None; del a[n]
a = [Sum()]; before = a; a[0] += n
a = [0, 0, 0]; before = a; a[At()], b = n, 2
x = np.zeros(3); before = x; a = 0; x[Of()] = n
x = np.zeros(3); before = x; a = 0; x[Of()] += n
"""


def program(stores: str, block: str):
    lines = [line.strip() for line in stores.split(";")]
    body = "\n        ".join(lines[-1:])
    start = "\n    ".join(lines[:-1])
    head = f"{CLASSES}\ndef f(n):\n    global a, x\n    x = np.zeros(3)\n    {start}\n"
    source = f"{head}    {block}:\n        {body}\n"
    return module_of(source + "    return a, before, x\n")["f"]


@pytest.mark.parametrize("block", ["if True", "if n > 2", "for _ in range(min(n, 1))"])
@pytest.mark.parametrize("stores", STORES.strip().split("\n"))
def test_the_variable_holds_what_the_code_gave_it(stores: str, block: str) -> None:
    check(program(stores, block), (3,), (4,), may_refuse=block != "if True")


def test_a_variable_of_an_enclosing_function():
    def f(n):
        class Own:
            def __index__(self):
                nonlocal items
                items = [5, 5]
                return 1

        items = [1, 2]
        before = items
        items[Own()] = n
        return items, before

    assert check(f, (3,), (4,))


def test_an_index_of_a_list_of_a_run():
    class Own:
        def __init__(self, place):
            self.place = place

        def __index__(self):
            return self.place

    def f(n):
        items = list(range(n))
        return items[Own(2)], items[operator.index(Own(1))]

    def put_in(n):
        items = list(range(n))
        items.insert(Own(0), 3)
        return items

    assert check(f, (3,), (5,))
    assert not check(put_in, (3,), may_refuse=True)


def test_arrays():
    def f(x):
        def mark():
            nonlocal x
            x[0] = 9.0

        mark()
        return x

    assert check(f, (np.ones(3),))
