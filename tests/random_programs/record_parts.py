"""Records: named tuples and dataclasses, that are values of variables, stand in attributes and in lists."""

from tests.random_programs.object_parts import Part

RECORD_PARTS = {
    "records": Part(
        """\
import collections
import dataclasses
import typing


class Point(typing.NamedTuple):
    x: float
    y: float = np.float64(0.5)

    def moved(self, d):
        return self._replace(x=self.x + d)

    @property
    def area(self):
        return self.x * self.y


Entry = collections.namedtuple('Entry', 'key rows')


@dataclasses.dataclass
class Cell:
    v: float
    at: Point = Point(np.float64(0.0))
    trail: list = dataclasses.field(default_factory=list)

    def step(self, d):
        self.trail.append(self.at)
        self.at = self.at.moved(d)
        return self.at


@dataclasses.dataclass(frozen=True, order=True)
class Rank:
    v: float
    name: str = 'r'


""",
        ("pnt = Point($v, $v)", "ent = Entry($v, [$v])", "cel = Cell($v)", "rnk = Rank($v)", "row = [pnt]"),
        ("pnt", "cel.at", "row[0]", "row[-1]", "Point($v)"),
        (
            "pnt = Point($v, $v)",
            "pnt = $o",
            "pnt = $o._replace(y=$v)",
            "pnt = $o.moved($v)",
            "a, b = $o",
            "a, *_ = pnt",
            "ent.rows.append($v)",
            "ent = ent._replace(key=$v)",
            "ent = Entry($v, ent.rows[:2])",
            "key, rows = ent\nrows.append(key)",
            "ent.rows[0] = $v",
            "cel.at = $o",
            "cel.v += $v",
            "pnt = cel.step($v)",
            "cel = dataclasses.replace(cel, v=$v)",
            "cel = Cell($v, $o)",
            "row.append($o)",
            "row[0] = $o",
            "row[0] = row[0]._replace(x=$v)",
            "row = [one.moved($v) for one in row][:3]",
            "row.sort(key=lambda one: one.x)",
            "for one in row:\n    a += one.x\n    if one.y > $v:\n        pnt = one",
            "for b, a in row:\n    k = len(row)",
            "a = pnt[n % 2]",
            "a = sum($o, $v)",
            "match $o:\n    case Point(x=b, y=p) if b > p:\n        a = p\n    case Point(p):\n        a = p",
            "match ent:\n    case Entry(key, [p]):\n        a = key + p\n    case (key, [p, *rest]):\n"
            "        b = p",
            "match rnk:\n    case Rank(v=p) if p > 0:\n        a = p\n    case _:\n        pass",
            "rnk = max(rnk, Rank($v))",
            "rnk = Rank($v, 's')",
            "print(pnt == $o, rnk == Rank($v), len(ent), pnt)",
            "print($o)",
            "print(cel, rnk)",
            "try:\n    rnk.v = $v\nexcept dataclasses.FrozenInstanceError as error:\n    print(error)",
            "try:\n    pnt.x = $v\nexcept AttributeError as error:\n    print(error)",
            "a = $o._asdict()['x']",
            "b = dataclasses.asdict(cel)['v']",
        ),
        ("$o.x", "$o.area", "ent.key", "ent.rows[-1]", "cel.v", "cel.at.y", "max($o)", "rnk.v", "$o[1]"),
        (
            "$o.x > $v",
            "cel.at == pnt",
            "pnt == row[0]",
            "pnt in row",
            "rnk > Rank($v)",
            "ent.rows",
            "pnt < $o",
        ),
        ("pnt", "ent", "cel", "rnk", "row"),
    ),
}
