"""The user's own methods that Python's code calls: special methods, callbacks, texts.

Each counts its calls in a global and reads another one: both have to happen in each run, as in Python.
"""

import math

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.runtime.counting import check_effects, each_of

WORLD = """
import math, numpy as np
class K:
    def __init__(self, v): self.v = v * scale
class It:
    def __len__(self): tick(); return 3
    def __bool__(self): return tick() > 1
    def __float__(self): return tick()
    def __hash__(self): tick(); return 3
    def __round__(self, n=None): return tick()
    def __reversed__(self): return iter([tick(), 1.0])
    def __contains__(self, o): return o == tick()
    def __call__(self, x): return tick(x)
    def __eq__(self, o): return tick() > 2
    def __lt__(self, o): return tick() > 2
    def __getitem__(self, k): return tick() + k
    def __iter__(self): yield tick(); yield 3.0
    def __divmod__(self, o): return (tick(), o)
    def __matmul__(self, o): return tick(o)
    def __abs__(self): return tick()
    def __int__(self): return int(tick())
    def __neg__(self): return tick()
    def __trunc__(self): return int(tick())
    def __ceil__(self): return int(tick()) + 1
    def __repr__(self): return f"R{tick()}"
class DM(dict):
    def __missing__(self, k): return tick()
class Up:
    def up(self, x): return tick(x)
    @staticmethod
    def st(x): return tick(x)
@functools.total_ordering
class TO:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __lt__(self, o): return tick(self.v) < o.v
def key(v): return tick(-v)
def total(*vs): return tick(sum(vs))
@functools.wraps(key)
def wrapped(x): return key(x) + 1
it, dm, up, k0, xs = It(), DM({1: 2.0}), Up(), K(2.0), [1.0, 2.0, 3.0]
part, getter = functools.partial(total, 2.0), operator.attrgetter("v")
"""
EXPRESSIONS = """
K(x).v; len(it)*x; (1 if it else 2)*x; float(it)*x; round(it)*x
list(reversed(it)), x; (x in it), x; it(x); it == x; it < x; it[x]; sum(it)*x; max(it)*x; divmod(it, x)
it @ x; abs(it)*x; int(it)*x; -it*x; math.trunc(it)*x; math.ceil(it)*x; dm[5]*x; dm.get(5), x
sorted(xs, key=key), x; max(xs, key=key)*x
list(map(key, xs)), x; list(filter(key, xs)), x; min([x, 2.0], key=key); part(x); getter(k0)*x
Up.st(x); wrapped(x); TO(x) > TO(1.0); TO(x) >= TO(1.0); dict(zip("ab", it)), x
functools.reduce(lambda a, b: a*scale+b, xs)*x; any(key(v) > -3 for v in xs), x; it in xs, x
xs.count(it)*x; [v*x for v in it]; (lambda it=it: it[1])()*x; it.__len__()*x
bool(it), x; not it, x; it and x; x if it else 0; math.floor(scale*x)
next(iter(it))*x; it != x, x; it <= x if False else x; isinstance(it, It), x; [it] == [x], x
(it,) == (x,), x; sum([it[0], x]); list(map(it, xs)), x; sorted(xs, key=it), x
functools.reduce(lambda a,b: it(a)+b, xs)*x; list(filter(it, xs)), x; max(xs, key=it)*x
functools.partial(it, 2.0)()*x
list(map(up.up, xs)), x; list(map(part, xs)), x; list(map(K, xs))[0].v*x; (lambda f: f(2.0))(it)*x
list(map(operator.attrgetter("v"), [k0]))[0]*x
any(map(it, xs)), x; np.apply_along_axis(it, 0, np.array(xs)), x
functools.reduce(operator.add, [K(1.0).v, x]); sum(map(it, xs))*x
list(itertools.accumulate(xs, lambda a, b: it(a)+b)), x; list(itertools.takewhile(it, xs)), x
xs.sort(key=it), x; np.fromiter(map(it, xs), float), x; {k: it(k) for k in xs}, x; next(map(it, xs))*x
dict.fromkeys(map(it, xs)), x; min(map(it, xs))*x
max([K(1.0), K(2.0)], key=getter).v*x
"""


@pytest.mark.parametrize("program", each_of(EXPRESSIONS))
def test_as_in_python(program, capsys):
    check_effects(WORLD, program, capsys)


def test_a_text_of_a_list_whose_items_change_something():
    class Counted:
        def __init__(self):
            self.times = 0

        def __repr__(self):
            self.times += 1
            return "counted"

    held = Counted()

    def f(x):
        print([held], x)
        return held.times

    with pytest.raises(autograph.StagingError, match="changes something, and a text asks for it unseen"):
        rt.function(f)(1.5)


class Place:
    def __init__(self, n):
        self.n = n

    def __index__(self):
        return int(self.n)

    def __float__(self):
        return float(self.n)


PLACE = Place(1)


def stored(x):
    items = [1, 2, 3]
    items[PLACE] = x
    return items


@pytest.mark.parametrize(
    "f",
    [
        lambda x: "abc"[Place(x[0])],
        lambda x: x[PLACE],
        lambda x: x[:PLACE],
        lambda x: (1, 2)[PLACE] * x,
        lambda x: np.zeros((PLACE, 2)) * x[0],
        lambda x: [x[0]] * PLACE,
        lambda x: len(range(PLACE)) * x,
        lambda x: math.sqrt(PLACE) * x,
        lambda x: round(x[0], PLACE),
        stored,
    ],
)
def test_a_number_that_python_would_ask_an_object_for_is_refused(f):
    with pytest.raises(StagingError, match=r"a Place stands where Python asks for its `__\w+__`") as refused:
        rt.function(f)(np.array([1.0, 2.0]))
    assert refused.value.hint in ("write int(...) around it", "write float(...) around it")
    check(lambda x: x[int(PLACE)] + float(PLACE), (np.array([1.0, 2.0]),))


def test_numpy_compares_what_vectorize_gets():
    class Twice:
        def __call__(self, v):
            return 2 * v

        def __eq__(self, other):
            return self is other

    twice = Twice()
    with pytest.raises(autograph.StagingError, match="NumPy compares the Twice"):
        rt.function(lambda x: np.vectorize(twice)(x))(np.ones(2))
    assert rt.function(lambda x: np.vectorize(twice.__call__)(x))(np.ones(2)).tolist() == [2.0, 2.0]


def test_a_getattribute_that_acts_is_refused():
    class Counting:
        reads = 0

        def __init__(self):
            self.k = 1

        def __getattribute__(self, name):
            Counting.reads += 1
            return object.__getattribute__(self, name)

    known = Counting()

    @rt.function
    def outside(x):
        return known.k + x[0], Counting.reads

    @rt.function
    def inside(x):
        made = Counting()
        return made.k + x[0]

    with pytest.raises(StagingError, match=r"Counting.__getattribute__` does more than to read"):
        outside(np.array([1.0]))
    with pytest.raises(StagingError, match="a Counting is made here, whose class computes"):
        inside(np.array([1.0]))
