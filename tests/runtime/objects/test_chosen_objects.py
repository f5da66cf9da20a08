"""What is done with an object that a staged condition chose is done with that object: once, and in order.

Every way of choosing, times everything that a program can do with an object.
"""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.differential import check
from tests.long import some
from tests.modules import module_of
from tests.observation import Observer, first_difference
from tests.spread import spread

WORLD = """
LOG, K = [], 1
def told(word, value=None):
    LOG.append(word)
    return value
class Plain:
    tag, values = "plain", (1, 2)
    def __init__(self, v): self.v = v
    def __bool__(self): return told("bool", bool(self.v > K))
    def __len__(self): return 2
    def __iter__(self): return told("iter", iter([self.v, K]))
    def __getitem__(self, key): return told(("get", key), self.v * K)
    def __setitem__(self, key, value): told(("set", key)); self.v = value
    def __delitem__(self, key): told(("del", key)); self.v = self.v - 1
    def __contains__(self, item): return told("in", bool(item == K))
    def __call__(self, a, *, b=2): return told("call", self.v + a * b)
    def __str__(self): return f"plain {K}"
    def __add__(self, other): return told("add", self.v + K)
    def __iadd__(self, other): told("iadd"); self.v = self.v + K; return self
    def __abs__(self): return abs(self.v)
    def __next__(self): return told("next", self.v)
    @property
    def twice(self): return told("twice", self.v * 2)
    @twice.setter
    def twice(self, value): told("set twice"); self.v = value
    @twice.deleter
    def twice(self): told("del twice"); self.v = self.v * 0
    def m(self, a=1): return told("m", self.v + a)
class Other(Plain):
    tag = "other"
    def __len__(self): return 3
    def m(self, a=5): return told("other m", self.v - a)
class Slotted:
    __slots__ = ("v", "w")
    def __init__(self, v): self.v = v
    def __getattr__(self, name):
        LOG.append(name)
        if name == "ghost": return K
        raise AttributeError(name)
    def __call__(self, a, b=3): return 7.5
    def __contains__(self, item): return False
    def __len__(self): return 0
    def m(self, a=1): return "slotted m"
HELD, ANOTHER = Plain(1.5), Other(2.5)
"""

CHOICES = (
    "o = Plain(x[0]) if x[n] > 0 else Other(x[1])",
    "o = Plain(x[0]) if x[n] > 0 else Slotted(x[1])",
    "o = Plain(x[0]) if x[n] > 0 else None",
    "o = [Plain(x[0]), Other(x[1]), Slotted(x[2])][n]",
)

USES = r"""
o.v = x[2]; r = o.v
o.v += 1; r = o.v
del o.v; r = hasattr(o, "v")
del o.tag
del o.nothing
r = getattr(o, "nothing", x[0])
r = o.ghost
r = hasattr(o, "twice"), hasattr(o, "nothing")
r = o.twice; o.twice = x[2]; r = r, o.v
del o.twice; r = o.v
r = o.tag
r = o.values
r = o[1], o[n]
o[1] = x[2]; r = o[1]
o[0] += 1; r = o[0]
del o[1]; r = o.v
r = len(o)
r = 1 if o else 2
r = 1 if o and n >= 0 else 2
r = 1 if o or n < 0 else 2
r = not o
p, q = o; r = q, p
r = 1 in o, 7 not in o
r = o(x[0]), o(x[0], b=3)
r = o.m(), o.m(a=x[0])
r = f"{o!s}"
r = o is None, o is o
o = o + 1; r = o
o += 1; r = o.v
r = abs(o)
r = next(o)
r = isinstance(o, Plain), isinstance(o, (Slotted, list))
r = type(o).__name__
r = callable(o)
HELD.kept = o; r = HELD.kept is o
r = 0\nfor e in o:\n    r = r + e
r = 0\nwhile o and r < 3:\n    r += 1
r = 0\nwhile not o or r < 3:\n    r += 1\n    if r > 5: break
assert o or n >= 0; r = 1
"""


def world(choice: str, use: str) -> dict:
    lines = [choice, *use.replace("\\n", "\n").splitlines(), "return r"]
    body = "\n".join(f"    {line}" for line in lines)
    return module_of(f"{WORLD}\n\ndef f(x, n):\n    r = None\n{body}\n")


CALLS = (
    ([1.0, -2.0, 3.0], 0, 1),
    ([1.0, -2.0, 3.0], 1, 1),
    ([2.0, -1.0, 0.5], 1, 2),
    ([2.0, 4.0, 0.5], 2, 3),
)


@pytest.mark.parametrize(
    ("choice", "use"), some([pytest.param(*case) for case in spread([*CHOICES], USES.strip().splitlines())])
)
def test_as_in_python(choice: str, use: str) -> None:
    ours, plain = world(choice, use), world(choice, use)
    decorated = rt.function(ours["f"])

    def seen(names: dict, function, items: list[float], n: int, k: int):
        names["K"], x, printed = k, np.array(items), io.StringIO()
        names["LOG"].clear()
        with contextlib.redirect_stdout(printed):
            try:
                answer = function(x, n)
            except autograph.AutographError:
                raise
            except Exception as error:  # compared, too
                # Python 3.13 adds that to what it says of objects with `__slots__`
                words = str(error).removesuffix(" and no __dict__ for setting new attributes")
                answer = type(error).__name__, words
        state = vars(names["HELD"]), vars(names["ANOTHER"])
        return Observer().see([answer, names["LOG"], printed.getvalue(), x, state])

    for call in CALLS:
        assert first_difference(seen(plain, plain["f"], *call), seen(ours, decorated, *call)) is None


class Vector:
    def __init__(self, p, q):
        self.p = p
        self.q = q

    def __add__(self, other):
        return Vector(self.p + other.p, self.q + other.q)

    def __imul__(self, k):
        self.q = self.q * k
        return self


class Reflected(Vector):
    def __radd__(self, other):
        return Reflected(self.p + other.p, self.q)


def sums_scaled_in_a_loop(x, n):
    vector = Vector(x[0] * 2, x[0])
    other = Reflected(x[0], x[1])
    for _ in range(n):
        try:
            if x[n % 3] > x[0]:
                raise KeyError("left")
            vector = vector + other
        except KeyError:
            pass
        for _ in range(n):
            vector *= x[0]
    return vector.p, vector.q, type(vector).__name__


def test_a_loop_changes_an_object_of_one_of_two_classes():
    """objects family, seed 5000: the loop knows both objects, and nobody else holds them."""
    check(sums_scaled_in_a_loop, (np.array([1.5, -2.0, 3.0]), 2), (np.array([1.5, -2.0, 3.0]), 3))
