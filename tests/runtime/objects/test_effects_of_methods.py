"""Objects of many kinds whose methods count their calls and read a global: both happen in each run."""

import ast

import pytest

import autograph
import runtime as rt

WORLD = """
import functools, operator, contextlib, enum, dataclasses, typing, collections, itertools, abc, weakref, types
count = 0
scale = 2.0
def tick(v=None):
    global count
    count += 1
    return scale if v is None else v * scale
class Color(enum.Enum):
    RED = 1
    BLUE = 2
    @property
    def w(self):
        return tick(self.value)
    def m(self, x):
        return tick(x)
    def __str__(self):
        tick()
        return f'c{scale}'
    @classmethod
    def pick(cls, x):
        tick()
        return cls.RED
    @classmethod
    def _missing_(cls, v):
        tick()
        return cls.BLUE
class Pt(typing.NamedTuple):
    a: float
    b: float = 1.0
    def s(self):
        return tick(self.a)
    @property
    def q(self):
        return tick(self.b)
    def __add__(self, o):
        return Pt(tick(self.a), o[1])
pt = Pt(1.0, 2.0)
@dataclasses.dataclass
class D:
    a: float
    b: list = dataclasses.field(default_factory=lambda: [tick()])
    c: dataclasses.InitVar[float] = 1.0
    def __post_init__(self, c):
        self.d = tick(c)
@dataclasses.dataclass(frozen=True, order=True)
class FD:
    a: float
    def __post_init__(self):
        object.__setattr__(self, 'a', tick(self.a))
class Base(abc.ABC):
    n = 0
    def __init_subclass__(cls, **k):
        cls.tag = scale
    def __init__(self):
        type(self).n += 1
    @abc.abstractmethod
    def f(self):
        ...
    @classmethod
    def make(cls):
        cls.n += 1
        return cls()
class Sub(Base):
    def f(self):
        return tick(self.n)
    def __class_getitem__(cls, k):
        return tick(k)
sub = Sub()
class Desc:
    def __set_name__(self, o, n):
        self.n = '_' + n
    def __get__(self, o, c=None):
        return tick(getattr(o, self.n, 1.0))
    def __set__(self, o, v):
        tick()
        setattr(o, self.n, v)
    def __delete__(self, o):
        tick()
        delattr(o, self.n)
class H:
    d = Desc()
    def __init__(self):
        self.items_ = {1: 2.0}
        self.log = []
    def __setitem__(self, k, v):
        tick()
        self.items_[k] = v * scale
    def __getitem__(self, k):
        tick()
        return self.items_[k]
    def __delitem__(self, k):
        tick()
        del self.items_[k]
    def __iadd__(self, o):
        tick()
        self.log.append(o * scale)
        return self
    def __ior__(self, o):
        return tick(o)
    def __setattr__(self, n, v):
        if n == 'z':
            tick()
        object.__setattr__(self, n, v)
    def __delattr__(self, n):
        tick()
        object.__delattr__(self, n)
    def gen(self, k):
        for i in range(k):
            yield tick(i)
    @property
    def p(self):
        return tick()
    @p.setter
    def p(self, v):
        tick()
        self.pv = v
    @p.deleter
    def p(self):
        tick()
    @functools.cached_property
    def cp(self):
        return tick()
    def __enter__(self):
        tick()
        return self
    def __exit__(self, *a):
        tick()
        return True
    pm = functools.partialmethod(lambda self, a, b: tick(a) + b, 2.0)
    @staticmethod
    def sm(x):
        return tick(x)
    __call__ = lambda self, x: tick(x)
    def __contains__(self, k):
        return tick() > 3
    def __bool__(self):
        return tick() > 3
h = H()
@contextlib.contextmanager
def cm(v):
    tick()
    try:
        yield tick(v)
    finally:
        tick()
def deco2(f):
    @functools.wraps(f)
    def w(*a, **k):
        tick()
        return f(*a, **k) * scale
    return w
@deco2
def d2(x):
    return tick(x)
def default(x, v=tick()):
    return x * v
def gen(k):
    for i in range(k):
        got = (yield tick(i))
    return tick()
def outer():
    r = (yield from gen(2))
    yield r
ud = collections.UserDict({1: 2.0})
T = typing.TypeVar('T')
class G(typing.Generic[T]):
    def m(self, x):
        return tick(x)
ns = types.SimpleNamespace(f=tick, v=1.0)
tbl = {'a': tick, 'b': lambda x: tick(x) + 1}
class Told:
    def __init__(self): self.n = 0
    def bump(self): self.n += 1; return self.n
    def __repr__(self): return f'Told{self.bump()}'
    def __format__(self, spec): return f'{spec}{tick()}'
told = Told()
"""
PROGRAMS = """
def f(x):
    return Color(7).value * x, count
def f(x):
    return Color(1).value * x, count
def f(x):
    return repr(told), told.n, f'{told}', f'{told:a}', f'{told!r:>9}', '{}'.format(told), count, x
def f(x):
    return Color.RED.w * x

def f(x):
    return Color.BLUE.m(x)

def f(x):
    return (str(Color.RED), x)

def f(x):
    return (f'{Color.RED}', x)

def f(x):
    return Color.pick(x).value * x

def f(x):
    return (pt.s() * x, pt.q)

def f(x):
    return (pt + (x, 3.0)).a * x

def f(x):
    return (Pt(x).s(), pt._replace(a=x).s())

def f(x):
    d = D(x)
    return (d.b, d.d, d.a)

def f(x):
    d = D(x, [x], 3.0)
    return d.d

def f(x):
    return (dataclasses.replace(FD(x), a=2.0).a, FD(x) < FD(3.0))

def f(x):
    s = Sub()
    return (s.f(), Sub.n, x)

def f(x):
    return (Sub.make().n * x, sub.n)

def f(x):

    class L(Base):

        def f(self):
            return tick()
    return (L.tag * x, L().f())

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
    h.z = x
    return h.z

def f(x):
    h.y = x
    del h.y
    return hasattr(h, 'y')

def f(x):
    return (list(h.gen(3)), x)

def f(x):
    return sum(h.gen(int(x) if x > 0 else 1))

def f(x):
    h.p += x
    return h.pv

def f(x):
    del h.p
    return x

def f(x):
    return h.cp * x + h.cp

def f(x):
    return H().cp * x

def f(x):
    with h as q:
        return q.p * x

def f(x):
    with h:
        raise ValueError(x)
    return x

def f(x):
    with cm(x) as v, cm(v) as w:
        return v * w

def f(x):
    with contextlib.ExitStack() as st:
        return st.enter_context(cm(x))

def f(x):
    with contextlib.suppress(ValueError):
        tick()
        raise ValueError
    return x * count

def f(x):
    return (d2(x), d2.__wrapped__(x))

def f(x):
    return default(x)

def f(x):
    return (list(outer()), x)

def f(x):
    g = gen(2)
    next(g)
    g.send(1)
    return next(g, tick()) * x

def f(x):
    return h.pm(x)

def f(x):
    return (H.sm(x), h(x))

def f(x):
    return (x in h, bool(h))

def f(x):
    return 1 if h else x

def f(x):
    return x if x > 0 and h else -x

def f(x):
    while h:
        break
    return x

def f(x):
    return (G().m(x), G[int]().m(x))

def f(x):
    return (ns.f(x), tbl['a'](x), tbl['b'](x))

def f(x):
    return ([tick(i) for i in range(3) if tick(i) > 2], x)

def f(x):
    return {tick(i): x for i in range(2)}

def f(x):
    return (lambda a=tick(): a)() * x

def f(x):

    def inner(a=tick()):
        return a * x
    return (inner(), inner())

def f(x):
    return (max(x, tick()), min([tick(i) for i in range(3)]))

def f(x):
    return functools.reduce(lambda a, b: tick(a) + b, [1.0, x])

def f(x):
    return x if tick() > 3 else -x

def f(x):
    assert tick() > 0, tick()
    return x

def f(x):
    assert tick() > 3, tick()
    return x

def f(x):
    try:
        raise KeyError(tick(x))
    except KeyError as e:
        return e.args[0]

def f(x):
    try:
        return tick(x)
    finally:
        tick()

def f(x):
    for i in range(3):
        if tick(i) > x:
            break
    else:
        tick(100)
    return count * x

def f(x):
    match pt:
        case Pt(a=a, b=b) if tick(a) > 3:
            return a * x
        case _:
            return x

def f(x):
    match h:
        case H(p=v):
            return v * x

def f(x):
    match {'k': x}:
        case {'k': v} if tick(v) > 4:
            return v
        case _:
            return tick(x)

def f(x):
    a, *b = (tick(i) for i in range(3))
    return (a, b, x)

def f(x):
    a = b = tick(x)
    return a + b

def f(x):
    x = y = tick(x) if x > 0 else tick(-x)
    return (x, y)

def f(x):
    return (list(zip(h.gen(2), h.gen(3))), x)

def f(x):
    return ([v for v in itertools.chain(h.gen(2), gen(1))], x)

def f(x):
    return dict(a=tick(), **{'b': tick(x)})

def f(x):
    return ('%s' % Color.RED, '{}'.format(Color.RED), x)

def f(x):
    return (getattr(h, 'p') * x, hasattr(h, 'nope'), getattr(h, 'nope', tick()))

def f(x):
    setattr(h, 'p', x)
    return h.pv

def f(x):
    return (operator.attrgetter('p')(h) * x, operator.itemgetter(1)(h))

def f(x):
    return (isinstance(sub, Base), issubclass(Sub, Base), x)

def f(x):
    return sorted([3.0, 1.0, x], key=lambda v: tick(v))

def f(x):
    return (print(tick(x), Color.RED, sep=str(tick())), x)

def f(x):
    return (any((tick(i) > 2 for i in range(5))), all((tick(i) < 3 for i in range(5))), x)

def f(x):
    return (next((tick(i) for i in range(5) if tick(i) > 3), None), x)

def f(x):
    return (ud.get(1) * x, ud[1], len(ud))

def f(x):
    return (h.__class__.sm(x), type(h).p.fget(h))
"""


def world(program: str) -> dict:
    source = f"{WORLD}\n{program}\n"
    names: dict = {"__name__": "world"}
    exec(compile(source, autograph.register_source(source), "exec"), names)
    return names


@pytest.mark.parametrize("program", [ast.unparse(one) for one in ast.parse(PROGRAMS).body])
def test_as_in_python(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    ours, plain = world(program), world(program)
    decorated = rt.function(ours["f"])

    def seen(function, x: float) -> tuple:
        try:
            answer = repr(function(x))
        except Exception as error:  # compared, too
            answer = f"{type(error).__name__}: {error}"
        return answer, capsys.readouterr().out

    for call, x in enumerate((1.5, 2.5, -1.0, 3.0)):
        for names in (ours, plain):
            names["scale"] = 2.0 + (call > 1)
        assert seen(decorated, x) == seen(plain["f"], x)
        assert ours["count"] == plain["count"]
