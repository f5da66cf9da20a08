"""Random expressions of more kinds: objects, strings, NumPy's small numbers, values with effects.

vec     a `Vec`, which never changes       str     a string
pt      a `Pt`, which does                 f32 i8  NumPy scalars; ga ba: arrays of four of them
opt     None or a `num`
"""

from __future__ import annotations

from tests.random_programs.choices import Choices
from tests.random_programs.scope import LENGTH, Scope

VEC = """
import dataclasses


@dataclasses.dataclass(frozen=True)
class Vec:
    x: float
    y: float

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def scale(self, k):
        if k > 3:
            return self
        return Vec(self.x * k, self.y)

    @property
    def size(self):
        return self.x * self.x + self.y * self.y
"""
PT = """
class Pt:
    made = 0

    def __init__(self, x, y):
        self.x = x
        self.y = y
        Pt.made += 1

    def move(self, d):
        if d > 0:
            self.x = self.x + d
        else:
            self.y = self.y - d
        return self
"""
NOISY = """
def noisy(v, times=1):
    print('noisy', v, times)
    return v
"""


class MoreExpressions:
    """Expressions of the kinds above."""

    choices: Choices
    features: frozenset[str]

    def make(self, kind: str, scope: Scope, depth: int = 2) -> str:
        raise NotImplementedError

    def index(self, scope: Scope) -> str:
        raise NotImplementedError

    def _vec(self, kind: str, scope: Scope, depth: int) -> str:
        a, number = self.make("vec", scope, depth), self.make("num", scope, depth)
        options = [
            f"Vec({number}, {self.make('num', scope, depth)})",
            f"({a} + {self.make('vec', scope, depth)})",
        ]
        options += [f"{a}.scale({number})", f"dataclasses.replace({a}, x={number})"]
        return self.choices.pick(options)

    def _pt(self, kind: str, scope: Scope, depth: int) -> str:
        a, number = self.make("pt", scope, depth), self.make("num", scope, depth)
        return self.choices.pick(
            [f"Pt({number}, {self.make('num', scope, depth)})", f"{a}.move({number})", a]
        )

    def _str(self, kind: str, scope: Scope, depth: int) -> str:
        a, number = self.make("str", scope, depth), self.make("num", scope, depth)
        options = [f"({a} + {self.make('str', scope, depth)})", f'f"{{{number}:.2f}}"', f"str({number})"]
        return self.choices.pick([*options, f"({a} if {self.make('bool', scope, depth)} else 'no')"])

    def _f32(self, kind: str, scope: Scope, depth: int) -> str:
        a, array = self.make("f32", scope, depth), self.make("ga", scope, depth)
        other = self.choices.pick([self.make("f32", scope, depth), "2", "0.1", "-1.5"])
        options = [f"({a} {self.choices.pick('+-*')} {other})", f"{array}[{self.index(scope)}]"]
        return self.choices.pick(
            [*options, f"{array}.max()", f"np.float32({self.make('num', scope, depth)})"]
        )

    def _i8(self, kind: str, scope: Scope, depth: int) -> str:
        a, array = self.make("i8", scope, depth), self.make("ba", scope, depth)
        other = self.choices.pick([self.make("i8", scope, depth), "2", "-1", "100"])
        options = [f"({a} {self.choices.pick('+-*')} {other})", f"{array}[{self.index(scope)}]", f"(-{a})"]
        if "division" in self.features:
            options.append(f"({a} {self.choices.pick(['//', '%'])} {other})")
        return self.choices.pick([*options, f"{array}.max()", f"np.int8({self.choices.integer(-100, 100)})"])

    def _ga(self, kind: str, scope: Scope, depth: int) -> str:
        return self._small_array(kind, "f32", scope, depth)

    def _ba(self, kind: str, scope: Scope, depth: int) -> str:
        return self._small_array(kind, "i8", scope, depth)

    def _small_array(self, kind: str, item: str, scope: Scope, depth: int) -> str:
        a, b = self.make(kind, scope, depth), self.make(kind, scope, depth)
        other = self.choices.pick([b, self.make(item, scope, depth), "2"])
        options = [f"({a} {self.choices.pick('+-*')} {other})", f"{a}[::-1]", f"np.maximum({a}, {other})"]
        return self.choices.pick([*options, f"np.where({a} > {other}, {a}, {b})", f"{a}.copy()"])

    def more_numbers(self, scope: Scope, depth: int) -> list[str]:
        """Numbers out of objects, strings and calls with effects."""
        found = []
        if "vec" in self.features:
            found += [f"{self.make('vec', scope, depth)}.{self.choices.pick(['x', 'y', 'size'])}"]
        if "pt" in self.features:
            found += [f"{name}.{self.choices.pick(['x', 'y'])}" for name in scope.of("pt")]
        if "noisy" in self.features:
            found += [f"noisy({self.make('num', scope, depth)})"]
        if "nan" in self.features:
            found += ["np.float64('nan')", "np.float64('inf')", "(np.float64(0.0) / np.float64(0.0))"]
        if "small" in self.features:
            found += [f"np.float64({self.make(self.choices.pick(['f32', 'i8']), scope, depth)})"]
        return found

    def more_tests(self, scope: Scope, depth: int) -> list[str]:
        found = []
        if "pt" in self.features and len(scope.of("pt")) > 1:
            a, b = self.choices.pick(scope.of("pt")), self.choices.pick(scope.of("pt"))
            found += [f"({a} is {b})", f"({a} is not {b})"]
        if "vec" in self.features:
            found += [f"bool({self.make('vec', scope, depth)} == {self.make('vec', scope, depth)})"]
        if "string" in self.features:
            found += [f"({self.make('str', scope, depth)} == {self.make('str', scope, depth)})"]
        if "optional" in self.features:
            found += [f"({name} is None)" for name in scope.of("opt")]
        if "noisy" in self.features:
            parts = [f"noisy({self.make('num', scope, depth - 1)})" for _ in range(3)]
            found += [f"bool({' < '.join(parts)})"]
        return found


MORE_LITERALS = {
    "vec": ["Vec(np.float64(1.0), np.float64(-2.0))", "Vec(np.float64(0.5), np.float64(0.0))"],
    "pt": ["Pt(np.float64(1.0), np.float64(0.0))"],
    "str": ["'a'", "'bc'", "''"],
    "f32": ["np.float32(0.1)", "np.float32(-3.0)"],
    "i8": ["np.int8(100)", "np.int8(-3)", "np.int8(7)"],
    "ga": [f"np.ones({LENGTH}, dtype=np.float32)", f"np.arange({LENGTH}, dtype=np.float32)"],
    "ba": [f"np.arange({LENGTH}, dtype=np.int8)", f"np.full({LENGTH}, 100, dtype=np.int8)"],
    "opt": ["None"],
}
