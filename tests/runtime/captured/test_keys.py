"""Keys of dicts, members of frozensets, bounds of ranges: what a program can tell apart, a guard tells apart.

Objects among the keys are read as any other object: a change of them, or of what their hash reads, is seen.
"""

import numpy as np
import pytest

import runtime as rt
from tests.differential import check
from tests.modules import module_of

WORLD = """
import collections
import numpy as np

scale = 2.0
asked = 0

class Key:
    def __init__(self, v):
        self.v = v

class Hashed(Key):
    def __hash__(self): return int(scale)
    def __eq__(self, other): return True

class ByValue(Key):
    def __hash__(self): return hash(self.v)
    def __eq__(self, other): return self.v == other.v

class Told(Key):
    def __repr__(self):
        global asked
        asked += 1
        return "Told"

key, other = Key(1.0), Hashed(1.0)
a, b = ByValue(1.0), ByValue(1.0)
told = {Told(1.0): 2.0}
numbers = {1: 2.0}
texts = {"red": 1.5, "green": 2.5}
zero = {0.0: 1.0}
pairs = {(0.0, 1): 1.0}
frozen, objects = frozenset({1}), frozenset({key})
bound, empty = range(0, 3, 2), range(0)
plain, inside = {key: 1.0}, {(key, 1): 1.0}
"""
#: what is returned -> what changes between calls
CHANGES = {
    "list(numbers)": ["numbers = {True: 2.0}", "numbers = {1.0: 2.0}", "numbers = {np.int64(1): 2.0}"],
    "[(type(k), k, v) for k, v in texts.items()]": [
        "texts['red'] = 3.5",
        "texts = {np.str_('red'): 3.5, 'green': 2.5}",
        "texts = {'green': 2.5, 'red': 3.5}",
        "del texts['green']; texts['green'] = 3.5",
        "texts['blue'] = 4.5",
        "texts = collections.OrderedDict(texts)",
        "texts.move_to_end('red')",
        "texts.clear()",
    ],
    "list(zero)": ["zero = {-0.0: 1.0}", "zero = {0: 1.0}", "zero = {False: 1.0}"],
    "list(pairs)": ["pairs = {(-0.0, 1): 1.0}", "pairs = {(0.0, True): 1.0}"],
    "list(frozen)": ["frozen = frozenset({True})", "frozen = frozenset({1.0})"],
    "(bound.stop, empty.start)": ["bound = range(0, 4, 2)", "empty = range(5, 5)"],
    "[k.v for k in plain]": ["key.v = 5.0", "plain = {Key(7.0): 1.0}"],
    "[k.v for k in objects]": ["key.v = 5.0", "objects = frozenset({Key(7.0)})"],
    "[k.v for k, _ in inside]": ["key.v = 5.0", "inside = {(Key(7.0), 1): 1.0}"],
    "[k.v for k in told]": ["told[Told(4.0)] = 1.0"],
    "hash(other)": ["scale = 3.0"],
    "len({a, b})": ["a.v = 5.0", "b.v = 5.0"],
    "{a: 1.0}.get(b)": ["a.v = 5.0", "b.v = 5.0"],
}


def world(expression):
    return module_of(f"{WORLD}\ndef f(x):\n    return {expression}, x\n")


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("expression", CHANGES)
def test_changes_between_calls(expression, engine):
    plain, staged = world(expression), world(expression)
    decorated = rt.function(staged["f"], engine=engine)
    for change in ["", *CHANGES[expression], ""]:
        exec(change, plain)
        exec(change, staged)
        assert repr(decorated(1.5)) == repr(plain["f"](1.5))
        assert staged["asked"] == plain["asked"]  # nor said what it expects by a `__repr__`


def test_keys_of_arguments():
    class Key:
        def __init__(self, v):
            self.v = v

    def reads(table, x):
        return [(repr(k), v) for k, v in table.items()], x

    def of_objects(table, x):
        total = 0.0
        for k in table:
            total = total + k.v
        return total * x

    def of_range(bound, x):
        return bound.start, bound.stop, x

    check(reads, *[({key: 1.0}, 1.5) for key in (1, True, 1.0, np.int64(1), 0.0, -0.0)])
    check(of_range, (range(0, 3, 2), 1.5), (range(0, 4, 2), 1.5), (range(5, 5), 1.5), (range(0), 1.5))
    key = Key(1.0)
    decorated = rt.function(of_objects)
    assert decorated({key: 1}, 1.5) == 1.5
    key.v = 3.0
    assert decorated({key: 1}, 1.5) == 4.5
    assert decorated({Key(2.0): 1}, 1.5) == 3.0


@pytest.mark.parametrize("expression", ["plain.get(other)", "other in plain", "list(plain)"])
def test_a_hash_that_has_changed_since(expression):
    names = world(expression)
    names["plain"][names["other"]] = 1.0
    decorated = rt.function(names["f"])
    assert decorated(1.5) == names["f"](1.5)
    names["scale"] = 3.0
    assert decorated(1.5) == names["f"](1.5)


def test_a_key_whose_hash_only_a_run_knows():
    class Key:
        def __init__(self, v):
            self.v = v

        def __hash__(self):
            return self.v.__hash__()

    def f(x):
        return {Key(x[0]): 1.0}

    ((key, value),) = rt.function(f)(np.array([1.5])).items()
    assert (key.v, value) == (1.5, 1.0)
