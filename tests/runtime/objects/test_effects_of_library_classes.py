"""Enums, tuples, dataclasses and abstract classes whose methods count their calls: they do in each run."""

import pytest

from tests.runtime.counting import check_effects, each_of

WORLD = """
class Color(enum.Enum):
    RED = 1
    BLUE = 2
    @property
    def w(self): return tick(self.value)
    def m(self, x): return tick(x)
    def __str__(self): return f'c{tick()}'
    @classmethod
    def pick(cls, x): tick(); return cls.RED
class Pt(typing.NamedTuple):
    a: float
    b: float = 1.0
    def s(self): return tick(self.a)
    @property
    def q(self): return tick(self.b)
    def __add__(self, o): return Pt(tick(self.a), o[1])
pt = Pt(1.0, 2.0)
@dataclasses.dataclass
class D:
    a: float
    b: list = dataclasses.field(default_factory=lambda: [tick()])
    c: dataclasses.InitVar[float] = 1.0
    def __post_init__(self, c): self.d = tick(c)
@dataclasses.dataclass(frozen=True, order=True)
class FD:
    a: float
    def __post_init__(self): object.__setattr__(self, 'a', tick(self.a))
class Base(abc.ABC):
    n = 0
    def __init__(self): type(self).n += 1
    @abc.abstractmethod
    def f(self): ...
    @classmethod
    def make(cls):
        cls.n += 1
        return cls()
class Sub(Base):
    def f(self): return tick(self.n)
sub = Sub()
ud = collections.UserDict({1: 2.0})
T = typing.TypeVar('T')
class G(typing.Generic[T]):
    def m(self, x): return tick(x)
ns = types.SimpleNamespace(f=tick, v=1.0)
def matched(x):
    match pt:
        case Pt(a=a, b=b) if tick(a) > 3: return a * x
        case _: return x
"""
EXPRESSIONS = """
(Color(1).value * x, count); Color.RED.w * x; Color.BLUE.m(x); (str(Color.RED), x); (f'{Color.RED}', x)
Color.pick(x).value * x; ('%s' % Color.RED, '{}'.format(Color.RED), x)
(print(tick(x), Color.RED, sep=str(tick())), x); (pt.s() * x, pt.q); (pt + (x, 3.0)).a * x; matched(x)
(Pt(x).s(), pt._replace(a=x).s()); (lambda d: (d.b, d.d, d.a))(D(x)); D(x, [x], 3.0).d
(dataclasses.replace(FD(x), a=2.0).a, FD(x) < FD(3.0)); (Sub().f(), Sub.n, x); (Sub.make().n * x, sub.n)
(isinstance(sub, Base), issubclass(Sub, Base), x); (G().m(x), G[int]().m(x))
(ns.f(x), ud.get(1) * x, ud[1], len(ud))
"""


@pytest.mark.parametrize("program", each_of(EXPRESSIONS))
def test_as_in_python(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_effects(WORLD, program, capsys)
