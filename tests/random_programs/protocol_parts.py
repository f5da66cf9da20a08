"""What Python asks of objects: operators, protocols, dataclasses, named tuples, enums."""

from tests.random_programs.object_parts import Part

PROTOCOL_PARTS = {
    "operators": Part(
        """\
class Vec:
    def __init__(self, p, q):
        self.p = p
        self.q = q

    def __add__(self, other):
        if isinstance(other, Vec):
            return Vec(self.p + other.p, self.q + other.q)
        if isinstance(other, str):
            return NotImplemented
        return Vec(self.p + other, self.q)

    def __radd__(self, other):
        return Vec(other, self.q)

    def __iadd__(self, other):
        if other.p > self.p:
            return self + other
        self.p += other.q
        return self

    def __sub__(self, other):
        return Vec(self.p - other.p, self.q) if self.p > other.p else self

    def __mul__(self, k):
        return Vec(self.p * k, self.q * k)

    __rmul__ = __mul__

    def __imul__(self, k):
        self.q = self.q * k
        return self

    def __neg__(self):
        return Vec(-self.p, -self.q)

    def __abs__(self):
        return abs(self.p) + abs(self.q)

    def __float__(self):
        return float(self.p)

    def __matmul__(self, other):
        return self.p * other.p + self.q * other.q

    def __eq__(self, other):
        if not isinstance(other, Vec):
            return NotImplemented
        return bool(self.p == other.p)

    __hash__ = None

    def __lt__(self, other):
        print('lt')
        return bool(self.p < other.p)

    def __getitem__(self, k):
        if k == 0:
            return self.p
        if k == 1:
            return self.q
        raise IndexError(f"no {k}")

    def __setitem__(self, k, v):
        if k:
            self.q = v
        else:
            self.p = v


class Longer(Vec):
    def __radd__(self, other):
        print('first')
        return Longer(self.p + other.p, self.q)
""",
        ("vec = Vec($v, $v)", "vew = Longer($v, $v)"),
        ("vec", "vew"),
        (
            "vec = $o + $o",
            "vec = $o + $v",
            "vec = 2.0 + $o",
            "vec = 1.5 * $o",
            "vec += $o",
            "vew += $o",
            "vew = vec - vew",
            "vec *= $v",
            "$o[0] = $v",
            "$o[$i] += $v",
            "vec = -$o",
            "vec = $o",
            "vew = Longer($v, $v)",
            "a = $o[$i]",
            "try:\n    vec = $o + 'text'\nexcept TypeError as error:\n    print(error)",
            "try:\n    a = $o[k]\nexcept IndexError as error:\n    print(error)",
            "a = max($o, $o).p",
            "vec = min([vec, vew])",
            "vec, vew = sorted([vec, vew])",
            "a = sum($o)",
            "a, b = $o",
        ),
        ("abs($o)", "$o @ $o", "$o[0]", "$o.q", "float($o)", "sum([vec, vew], Vec(0.0, $v)).p", "max($o)"),
        ("$o < $o", "$o > $o", "$o == $o", "$o != vew", "$v in $o", "vec == 3"),
        ("vec", "vew", "vec is vew"),
    ),
    "protocols": Part(
        """\
class Bag:
    def __init__(self, *items):
        self.items = list(items)
        self.asked = 0

    def __len__(self):
        return len(self.items)

    def __contains__(self, v):
        self.asked += 1
        return any(v == one for one in self.items)

    def __iter__(self):
        for one in self.items:
            self.asked += 1
            yield one

    def __getitem__(self, k):
        return self.items[k]

    def __setitem__(self, k, v):
        self.items[k] = v

    def __delitem__(self, k):
        del self.items[k]

    def __call__(self, v=0.5):
        if v > 0:
            self.items.append(v)
        return self

    def __eq__(self, other):
        return len(self) == len(other)

    def __reversed__(self):
        return iter(self.items[::-1])


class Odd(Bag):
    def __bool__(self):
        print('asked', self.asked)
        return self.asked % 2 == 1
""",
        ("bag = Bag($v, $v)", "odd = Odd($v)"),
        ("bag", "odd"),
        (
            "$o($v)",
            "bag = $o()",
            "bag, odd = odd, bag",
            "odd = Odd(*bag)",
            "if $o:\n    $o[0] = $v",
            "try:\n    $o[$i] = $v\nexcept IndexError as error:\n    print(error)",
            "try:\n    del $o[$i]\nexcept IndexError as error:\n    print(error)",
            "for one in $o.items[:3]:\n    a += one",
            "for one in $o:\n    if one > $v:\n        break\n    a = one",
            "a = sum($o)",
            "bag = bag or odd",
            "odd = not bag and odd or Odd($v)",
            "first, *rest = $o.items or [1.0]\na = first + len(rest)",
            "print(len($o), list(reversed($o))[:2])",
        ),
        ("len($o)", "sum($o)", "$o[0]", "max($o, default=$v)", "$o.asked"),
        ("$v in $o", "$o", "not $o", "bag == odd", "len($o) > $i", "any(one > $v for one in $o)"),
        ("bag", "odd", "bag is odd", "len(bag)"),
    ),
    "dataclass": Part(
        """\
import dataclasses


@dataclasses.dataclass(frozen=True, order=True)
class Point:
    v: float
    w: float = 0.5
    tag: str = dataclasses.field(default='p', compare=False)

    def moved(self, d):
        if d > 0:
            return dataclasses.replace(self, v=self.v + d)
        return self


@dataclasses.dataclass
class Path:
    points: list = dataclasses.field(default_factory=list)
    length: float = 0.0
    kind: dataclasses.InitVar[int] = 0

    def __post_init__(self, kind):
        if kind > 1:
            self.length += kind

    def to(self, point):
        if self.points:
            self.length += abs(point.v - self.points[-1].v)
        self.points.append(point)
        return self
""",
        ("poi = Point($v)", "pat = Path()", "pot = Point($v, $v, 'q')"),
        ("poi", "pot"),
        (
            "pat.to($o)",
            "poi = $o.moved($v)",
            "pot = Point($v, $v)",
            "pat = Path([$o], $v, k)",
            "pat = dataclasses.replace(pat, kind=$i)",
            "try:\n    $o.v = $v\nexcept dataclasses.FrozenInstanceError as error:\n    print(error)",
            "poi = max(poi, pot)",
            "poi, pot = sorted([poi, pot])",
            "a = sum(one.v for one in pat.points)",
            "print(poi == pot, poi.tag)",
            "pat.length = $v",
            "pat.points = pat.points[1:]",
            "poi = pot",
            "object.__setattr__($o, 'w', $v)",
            "b = dataclasses.asdict($o)['w']",
            "match $o:\n    case Point(v, 0.5):\n        a = v\n    case Point(w=w) if w > 0:\n        b = w",
        ),
        ("$o.v", "$o.w", "pat.length", "len(pat.points)", "dataclasses.astuple($o)[0]"),
        ("$o < $o", "poi >= pot", "poi == pot", "$o in pat.points", "pat.length > $v", "$o.tag == 'q'"),
        ("poi", "pot", "pat", "poi is pot"),
    ),
    "named": Part(
        """\
import collections
from typing import NamedTuple

Pair = collections.namedtuple('Pair', 'v w', defaults=[0.25])


class Triple(NamedTuple):
    v: float
    w: float
    n: int = 1

    def turned(self):
        if self.v > self.w:
            return self._replace(v=self.w, w=self.v)
        return Triple(*self[::-1])

    @property
    def size(self):
        return self.v + self.w
""",
        ("par = Pair($v)", "tri = Triple($v, $v)"),
        ("par", "tri"),
        (
            "par = Pair($v, w=$v)",
            "tri = tri.turned()",
            "tri = tri._replace(n=k)",
            "par = par._replace(w=$v)",
            "a, b = par",
            "a, *_ = tri",
            "par = Pair(*$o[:2])",
            "par = Pair._make(tri[1:])",
            "par = $o",
            "try:\n    $o.v = $v\nexcept AttributeError as error:\n    print(error)",
            "b = $o._asdict()['w']",
            "match $o:\n    case (v, w):\n        a = v\n    case Triple(v=v, n=1):\n        b = v",
        ),
        ("$o.v", "$o[0]", "$o.w", "tri.size", "len($o)", "sum($o)", "max($o)"),
        ("$o.v > $v", "par == tri", "$o < tri", "$v in $o", "isinstance($o, Triple)"),
        ("par", "tri"),
    ),
    "enum": Part(
        """\
import collections
import enum


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3

    def after(self):
        if self is Color.BLUE:
            return Color.RED
        return Color(self.value + 1)

    @property
    def warm(self):
        return self is Color.RED


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


class Flags(enum.Flag):
    A = 1
    B = 2
    C = 4


WEIGHTS = {Color.RED: 0.5, Color.GREEN: 2.0}
SEEN = collections.Counter()
""",
        ("col = Color.RED", "lev = Level.LOW", "flg = Flags.A"),
        ("col",),
        (
            "col = col.after()",
            "col = Color.BLUE if $t else Color.GREEN",
            "col = Color($i % 3 + 1)",
            "col = Color['RED']",
            "lev = Level.HIGH if $t else lev",
            "flg |= Flags.B",
            "flg = flg & Flags.C if $t else flg ^ Flags.A",
            "WEIGHTS[col] = $v",
            "SEEN[col.name] += 1",
            "try:\n    a = WEIGHTS[col]\nexcept KeyError as error:\n    print(error)",
            "try:\n    col = Color(k)\nexcept ValueError as error:\n    print(error)",
            "match col:\n    case Color.RED:\n        a = $v\n    case Color.BLUE:\n        b = $v",
            "for one in Color:\n    if one is not col:\n        a += one.value",
            "print(col, lev, flg)",
        ),
        (
            "col.value",
            "WEIGHTS.get(col, $v)",
            "lev + 1",
            "int(lev)",
            "len(col.name)",
            "flg.value",
            "SEEN['RED']",
        ),
        ("col is Color.RED", "col == Color.BLUE", "col.warm", "Flags.B in flg", "lev > $i", "col in WEIGHTS"),
        ("col", "lev", "flg", "dict(WEIGHTS)", "dict(SEEN)"),
    ),
}
