"""Objects whose own methods count their calls and read a global: both happen in each run."""

import pytest

from tests.runtime.counting import check_effects, each, each_of

WORLD = """
class Desc:
    def __set_name__(self, o, n): self.n = '_' + n
    def __get__(self, o, c=None): return tick(getattr(o, self.n, 1.0))
    def __set__(self, o, v): tick(); setattr(o, self.n, v)
    def __delete__(self, o): tick(); delattr(o, self.n)
class H:
    d = Desc()
    def __init__(self): self.items_, self.log = {1: 2.0}, []
    def __setitem__(self, k, v): self.items_[k] = tick(v)
    def __getitem__(self, k): tick(); return self.items_[k]
    def __delitem__(self, k): tick(); del self.items_[k]
    def __iadd__(self, o):
        self.log.append(tick(o))
        return self
    def __ior__(self, o): return tick(o)
    def __setattr__(self, n, v):
        if n == 'z': tick()
        object.__setattr__(self, n, v)
    def __delattr__(self, n): tick(); object.__delattr__(self, n)
    def gen(self, k):
        for i in range(k): yield tick(i)
    @property
    def p(self): return tick()
    @p.setter
    def p(self, v): tick(); self.pv = v
    @p.deleter
    def p(self): tick()
    @functools.cached_property
    def cp(self): return tick()
    def __enter__(self): tick(); return self
    def __exit__(self, *a): tick(); return True
    pm = functools.partialmethod(lambda self, a, b: tick(a) + b, 2.0)
    @staticmethod
    def sm(x): return tick(x)
    __call__ = lambda self, x: tick(x)
    def __contains__(self, k): return tick() > 3
    def __bool__(self): return tick() > 3
h = H()
"""
EXPRESSIONS = """
(list(h.gen(3)), x); sum(h.gen(int(x) if x > 0 else 1)); h.cp * x + h.cp; H().cp * x; h.pm(x); (H.sm(x), h(x))
(x in h, bool(h)); 1 if h else x; x if x > 0 and h else -x; (list(zip(h.gen(2), h.gen(3))), x)
(getattr(h, 'p') * x, hasattr(h, 'nope'), getattr(h, 'nope', tick()))
(operator.attrgetter('p')(h) * x, operator.itemgetter(1)(h)); (h.__class__.sm(x), type(h).p is type(h).p)
"""
PROGRAMS = """
def f(x):
    h.d = x
    return h.d
def f(x):
    h.d = x
    del h.d
    return h.d * x
def f(x):
    h[2] = x
    return h[2]
def f(x):
    h[3] = x
    del h[3]
    return len(h.items_) * x
def f(x):
    h[1] += x
    return h[1]
def f(x):
    global h
    h += x
    return h.log[-1]
def f(x):
    h2 = H()
    h2 |= x
    return h2
def f(x):
    h.z = h.y = x
    del h.y
    return h.z, hasattr(h, 'y')
def f(x):
    h.p += x
    del h.p
    return h.pv
def f(x):
    setattr(h, 'p', x)
    return h.pv
def f(x):
    with h as q:
        return q.p * x
def f(x):
    with h:
        raise ValueError(x)
    return x
def f(x):
    while h:
        break
    return x
def f(x):
    match h:
        case H(p=v):
            return v * x
"""


@pytest.mark.parametrize("program", [*each(PROGRAMS), *each_of(EXPRESSIONS)])
def test_as_in_python(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_effects(WORLD, program, capsys)
