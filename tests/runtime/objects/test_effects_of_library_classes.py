"""Enums, tuples, dataclasses and abstract classes whose methods count their calls: they do in each run."""

import pytest

from tests.runtime.counting import check_effects, each

WORLD = """
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
ud = collections.UserDict({1: 2.0})
T = typing.TypeVar('T')
class G(typing.Generic[T]):
    def m(self, x):
        return tick(x)
ns = types.SimpleNamespace(f=tick, v=1.0)
"""
PROGRAMS = """
def f(x):
    return (Color(1).value * x, count)
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
    return (G().m(x), G[int]().m(x))
def f(x):
    match pt:
        case Pt(a=a, b=b) if tick(a) > 3:
            return a * x
        case _:
            return x
def f(x):
    return ('%s' % Color.RED, '{}'.format(Color.RED), x)
def f(x):
    return (isinstance(sub, Base), issubclass(Sub, Base), x)
def f(x):
    return (print(tick(x), Color.RED, sep=str(tick())), x)
def f(x):
    return (ns.f(x), ud.get(1) * x, ud[1], len(ud))
"""


@pytest.mark.parametrize("program", each(PROGRAMS))
def test_as_in_python(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_effects(WORLD, program, capsys)
