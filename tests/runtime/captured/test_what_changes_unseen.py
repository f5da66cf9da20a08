"""Changes between calls that no value shows: a special method that a class gets, a class that is registered.

The world is made anew for each side, for a change of a class would be one for both.
"""

import pytest

import autograph
import runtime as rt
from tests.modules import module_of

NO = "class A: pass\na = A()\ndef no(self): return 0 if self.zero else False\nA.zero = "
#: what there is -> what is returned, and the changes between calls
WORLDS = {
    f"{NO}False": ("1.0 if a else 2.0", ["A.__bool__ = no", "del A.__bool__"]),
    f"{NO}True": ("bool(a)", ["A.__len__ = no", "A.__bool__ = lambda self: True"]),
    "class A: pass\na = A()\ndef yes(self, other): return True": ("a == 1", ["A.__eq__ = yes"]),
    "class A: pass\nclass B: pass\na, b = A(), B()\ndef made(self, other): return 4.0\nB.__radd__ = made": (
        "a + b",
        ["A.__add__ = lambda self, other: 5.0"],
    ),
    "import abc\nclass P(abc.ABC): pass\nclass A: pass\na = A()": ("isinstance(a, P)", ["P.register(A)"]),
    "import abc\nclass P(abc.ABC): pass\nclass B(P): pass\nclass A: pass": (
        "issubclass(A, (int, P)), isinstance(x, P | B)",
        ["B.register(A)", "P.register(float)"],
    ),
    "import enum\nclass E(enum.Enum):\n    P = 1\nE.P.w = 1.0\nheld = {E.P}": (
        "[e.w for e in held]",
        ["E.P.w = 5.0"],
    ),
    "class C:\n    k = 1.0\n    def __call__(self, q): return self.k * q\nc = C()\nheld = (c,)": (
        "[q(x) for q in held]",
        ["c.k = 5.0", "C.k = 7.0", "del c.k"],
    ),
    "import decimal\nd = decimal.Decimal(1)\ndef set_to(n): decimal.getcontext().prec = n": (
        "float(d / 3)",
        ["set_to(3)", "set_to(28)"],
    ),
}  # fmt: skip


def run(source, names):
    exec(compile(source, autograph.register_source(source), "exec"), names)


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("made", WORLDS)
def test_changes_between_calls(made, engine):
    returned, changes = WORLDS[made]
    source = f"{made}\ndef f(x):\n    return {returned}, x\n"
    results = []
    for decorate in (lambda f: f, rt.function(engine=engine)):
        names = module_of(source)
        f = decorate(names["f"])
        found = []
        for change in ["", "", *changes, ""]:
            run(change, names)
            found.append(repr(f(1.5)))
        results.append(found)
    assert results[0] == results[1]


def test_a_special_method_by_another_name():
    class Held:
        pass

    def never(self):
        return False

    Held.__bool__ = never
    held = Held()

    def f(x):
        return x if held else -x

    assert rt.function(f)(1.5) == f(1.5) == -1.5


def test_a_proxy_hides_its_object():
    names = module_of(
        "import weakref\nclass A: v = 1.0\na = A()\nr = weakref.proxy(a)\ndef f(x): return r.v * x\n"
    )
    with pytest.raises(autograph.StagingError, match="`r` is a ProxyType, and no change of it would be"):
        rt.function(names["f"])(1.5)
