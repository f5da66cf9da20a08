"""What CPython's own code reads of a container: its contents, whatever its class says; and in which order.

`tests.differential.check` would read and restore these classes through their own methods, so the world is
made anew for each side here, and the texts of the results are compared: they show the order of sets, too.
"""

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.modules import module_of

WORLD = """
import collections

class S(set):
    def __iter__(self): return iter([100, 200])
    def __contains__(self, x): return True
    def __len__(self): return 7

class D(dict):
    def keys(self): return [5]
    def __iter__(self): return iter([7])
    def __getitem__(self, k): return 9

class L(list):
    def __iter__(self): return iter([100, 200])
    def __len__(self): return 7

class M:
    def keys(self): return ["a", "b"]
    def __getitem__(self, k): return {"a": 1.0, "b": 2.0}[k]

s, d, l, m = S([1, 2, 3]), D({1: 2}), L([1, 2, 3]), M()
queue = collections.deque([3, 1, 2, 2], 5)
table = collections.defaultdict(float, {1: 2.0})
plain, frozen = {1, 2, 3}, frozenset({1, 2})
"""
SUBCLASSES = """
n in s; n in d; n in l; [*l, n]; list(l) + [n]; l.index(2) + n
dict(m), n; {**m, "n": n}
"""
REFUSED = """
{n} | s; {n} & s; s & {n}; {n} - s; s - {n}; {n} ^ s; {n} <= s; s >= {n}; {n} == s; {n}.union(s)
{n}.isdisjoint(s); {n: 0} | d; [n] + l; set(s), n; frozenset(s), n; sorted(s), n; dict(d), n
{n: 0, **d}; collections.OrderedDict(d), n
"""
ORDER = """
{50} | {1, 2, 3}, n; {50}.union({3, 1, 2}), n; {i * i % 17 * 8 for i in range(9)}, n; {n} | plain
{n, 50, 1, 2, 3}; {1, 2, 3} ^ {1, 9}, n
plain ^ {1, 9}, n; {n, 90, 7, 8, 10, -2}; set({n, 90, 7, 8, 10, -2}), n
{n} & {1, 2, 9}; {50, 1, 2, 3}, n; frozenset({50, 1, 2, 3}), n
"""
READERS = """
queue.count(2) + n; queue.index(2) + n; queue.copy(), n;
table.copy(), n; table.copy()[7] + n; plain.issubset({1, 2, 3, n})
"""


def each(*lines):
    return [one.strip() for line in lines for one in line.replace("\n", ";").split(";") if one.strip()]


def world(expression):
    return module_of(f"{WORLD}\ndef f(n):\n    return {expression}\n")


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("expression", each(SUBCLASSES, ORDER, READERS))
def test_as_in_python(expression, engine):
    plain, decorated = world(expression)["f"], rt.function(world(expression)["f"], engine=engine)
    for n in (1, 2, 50, 100, 7, 1.5, np.float64(2.0)):
        assert repr(decorated(n)) == repr(plain(n))


@pytest.mark.parametrize("expression", each(REFUSED))
def test_a_container_of_a_derived_class_is_refused(expression):
    f = rt.function(world(expression)["f"])
    with pytest.raises(StagingError):
        for n in (1, 2, 50):
            f(n)


def test_a_method_of_an_object_from_outside_is_no_new_one_at_each_call():
    for expression in ("len(s.union({7})) + n", "l.index(2) + n", "queue.count(2) + n"):
        f = rt.function(world(expression)["f"])
        for n in (1.5, 2.5, 3.5, 4.5):
            f(n)
        assert str(f.explain()).startswith("f: 1 trace")
