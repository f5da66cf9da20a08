"""`super()`: properties, descriptors and slots of base classes, asked for in each run, with what they do."""

import pytest

import autograph
import runtime as rt
from tests.modules import module_of

WORLD = """
import functools, numpy as np
count = 0; scale = 2.0
class Doubling:
    def __get__(self, obj, owner=None):
        global count; count += 1
        return scale * 2 + (obj.v if obj is not None else 0)
class A:
    __slots__ = ("v", "__dict__")
    k = 3.0
    d = Doubling()
    def __init__(self, v): self.v = v
    @property
    def p(self):
        global count; count += 1
        return scale
    @property
    def r(self):
        if self.v > 1: return scale
        return self.v
    @property
    def w(self): raise AttributeError("no w")
    @functools.cached_property
    def cp(self): return scale + 1
    @classmethod
    def cm(cls): return cls.k
    @property
    def st(self): return self.v
    @st.setter
    def st(self, x): self.v = x
class B(A):
    __slots__ = ()
    @property
    def p(self): return super().p + 1
    def q(self): return super().p + super(B, self).r
    def g(self): return getattr(super(), "p")
    def dd(self): return super().d
    def kk(self): return super().k
    def vv(self): return super().v
    def ww(self):
        try: return super().w
        except AttributeError as e: return str(e)
    def cc(self): return super().cp
    def mm(self): return super().cm()
    @property
    def st(self): return super().st * 2
    @st.setter
    def st(self, x): self.v = x + 1
    def nn(self):
        try: return super().nothing
        except AttributeError as e: return str(e)
    def lam(self, x): return [super(B, self).r for _ in range(2)][0] + (lambda: super(B, self).p)()
    def staged(self, x):
        if x > 0:
            y = super().r + x
        else:
            y = super().p
        return y
class C(B):
    @property
    def p(self): return super().p * 10
b = B(1.5); c = C(0.5)
def setst(x):
    b.st = x
    return b.st
"""
EXPRESSIONS = """
b.p * x; b.q() * x; b.g() * x; b.dd() * x; b.kk() * x; b.vv() * x; b.ww(), x; b.cc() * x; b.mm() * x; b.st * x
setst(x); b.nn(), x; b.lam(x); b.staged(x); c.p * x; c.q() * x; B(x).q(); C(x).p; B(x).vv()
B(x).dd(); B(x).cc()
"""


def world(expression: str) -> dict:
    return module_of(f"{WORLD}\ndef f(x):\n    return {expression}\n")


@pytest.mark.parametrize("expression", EXPRESSIONS.replace("\n", ";").strip(";").split(";"))
def test_as_in_python(expression: str) -> None:
    ours, plain = world(expression.strip()), world(expression.strip())
    decorated = rt.function(ours["f"])
    for call, x in enumerate((1.5, 2.5, -1.0, 3.0)):
        for names in (ours, plain):
            names["scale"] = 2.0 + (call > 1)
            names["A"].k = 3.0 + (call > 2)
            names["b"].v = 1.5 - (call > 1)
        assert repr(decorated(x)) == repr(plain["f"](x))
        assert (ours["count"], ours["b"].v) == (plain["count"], plain["b"].v)


def test_a_slot_that_the_subclass_has_under_the_same_name():
    class Base:
        __slots__ = ("v",)

    class Derived(Base):
        __slots__ = ("v",)

        def inherited(self):
            return super().v

    held = Derived()
    Base.v.__set__(held, 2.0)

    def f(x):
        return held.inherited() * x

    assert f(1.5) == 3.0
    with pytest.raises(autograph.StagingError, match=r"`super\(\).v` reads an attribute past the one"):
        rt.function(f)(1.5)
