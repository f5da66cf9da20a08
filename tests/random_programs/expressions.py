"""Random expressions of a wanted kind."""

from __future__ import annotations

from collections.abc import Callable

from tests.random_programs.choices import Choices
from tests.random_programs.kinds import MORE_LITERALS, MoreExpressions
from tests.random_programs.scope import ITEM, LENGTH, MIXED, NUMBERS, Scope

LITERALS = {
    "int": ["0", "1", "2", "3", "-1", "7", "10"],
    "float": ["0.0", "1.0", "0.5", "-2.0", "3.25", "10.0"],
    "bool": ["True", "False"],
    "num": ["np.float64(1.5)", "np.float64(0.0)", "np.float64(-4.0)"],
    "idx": ["np.int64(1)", "np.int64(0)", "np.int64(-5)"],
    "fa": ["np.zeros(4)", "np.ones(4)", "np.arange(4.0)"],
    "ia": ["np.arange(4)", "np.ones(4, dtype=np.int64)"],
    "list": ["[]"],
    **MORE_LITERALS,
}


class Expressions(MoreExpressions):
    """Makes expressions as text, all in parentheses where that could matter."""

    def __init__(self, choices: Choices, features: frozenset[str]) -> None:
        self.choices = choices
        self.features = features

    def make(self, kind: str, scope: Scope, depth: int = 2) -> str:
        """An expression of the kind, at most `depth` operations deep."""
        if depth <= 0 or self.choices.chance(30):
            return self.leaf(kind, scope)
        own = getattr(self, f"_{kind}")
        maker: Callable[[str, Scope, int], str | None]
        maker = self.choices.pick([own, own, self._ternary, self._call])
        return maker(kind, scope, depth - 1) or self.leaf(kind, scope)

    def leaf(self, kind: str, scope: Scope) -> str:
        """A variable mostly, else an item of an array or a literal."""
        names = scope.of(kind)
        if scope.readable.get(kind) and self.choices.chance(25):
            return self.choices.pick(scope.readable[kind])
        if kind == "bool" and (not names or self.choices.chance(30)):
            return self._comparison(scope, 0)
        if names and (kind == "list" or not self.choices.chance(20)):
            return self.choices.pick(names)
        if kind in ("num", "idx", "fa", "ia") and not self.choices.chance(20):
            sources = {"num": "fa", "idx": "ia"}
            arrays = scope.of(sources[kind]) if kind in sources else []
            if arrays:
                return f"{self.choices.pick(arrays)}[{self.choices.integer(0, LENGTH - 1)}]"
        return self.choices.pick(LITERALS[kind])

    def _ternary(self, kind: str, scope: Scope, depth: int) -> str | None:
        if "ternary" not in self.features:
            return None
        is_mixed = "mixed" in self.features and kind in MIXED and self.choices.chance(30)
        a = self.make(kind, scope, depth)
        b = self.make(self.choices.pick(MIXED[kind]) if is_mixed else kind, scope, depth)
        return f"({a} if {self.make('bool', scope, depth)} else {b})"

    def _call(self, kind: str, scope: Scope, depth: int) -> str | None:
        helpers = [h for h in scope.helpers if h.result == kind]
        if not helpers:
            return None
        helper = self.choices.pick(helpers)
        arguments = [self.make(k, scope, depth - 1) for k in helper.parameters]
        return f"{helper.name}({', '.join(arguments)})"

    def index(self, scope: Scope) -> str:
        """An index that is mostly in range, static or staged."""
        options = ["0", "1", "-1", "3"]
        options += [f"{name} % {LENGTH}" for name in scope.of("int") + scope.of("idx")]
        if "out_of_range" in self.features:
            options += scope.of("int") + scope.of("idx")
        return self.choices.pick(options)

    def _arithmetic(self, kind: str, scope: Scope, depth: int) -> str:
        operators = ["+", "-", "*"] + (["//", "%"] if "division" in self.features else [])
        operators += ["/"] if "division" in self.features and kind in ("float", "num") else []
        operator = self.choices.pick(operators)
        a, b = self.make(kind, scope, depth), self.make(self._partner(kind), scope, depth)
        if kind in ("int", "idx") and operator == "*":
            return f"({a} * {b} % 97)"  # Python's ints do not end at 64 bits
        return f"({a} {operator} {b})"

    def _partner(self, kind: str) -> str:
        partners = {"int": ["int"], "float": ["float", "int"], "num": ["num", "float", "int", "idx"]}
        return self.choices.pick(partners.get(kind, ["idx", "int"]))

    def _function(self, kind: str, scope: Scope, depth: int) -> str:
        a, b = self.make(kind, scope, depth), self.make(kind, scope, depth)
        return self.choices.pick([f"abs({a})", f"(-{a})", f"max({a}, {b})", f"min({a}, {b})"])

    def _numeric(self, kind: str, scope: Scope, depth: int, others: list[str]) -> str:
        if "logic" in self.features:
            others.append(f"({self.make(kind, scope, depth)} or {self.make(kind, scope, depth)})")
            others.append(f"({self.make(kind, scope, depth)} and {self.make(kind, scope, depth)})")
        which = self.choices.integer(0, 3)
        if which == 0 or not others:
            return self._arithmetic(kind, scope, depth)
        return self._function(kind, scope, depth) if which == 1 else self.choices.pick(others)

    def _int(self, kind: str, scope: Scope, depth: int) -> str:
        others = [
            f"int({self.make('idx', scope, depth)})",
            f"int({self.make('num', scope, depth)} % 10)",
            f"int({self.make('bool', scope, depth)})",
            f"({self.make('int', scope, depth)} {self.choices.pick('&|^')} {self.make('int', scope, depth)})",
        ]
        others += [f"len({name})" for name in scope.of("fa")[:1] + scope.of("list")[:1]]
        return self._numeric("int", scope, depth, others)

    def _float(self, kind: str, scope: Scope, depth: int) -> str:
        inner = self.make(self.choices.pick(NUMBERS), scope, depth)
        return self._numeric("float", scope, depth, [f"float({inner})"])

    def _num(self, kind: str, scope: Scope, depth: int) -> str:
        array = self.make("fa", scope, depth - 1)
        others = [f"{array}[{self.index(scope)}]", f"{array}.sum()", f"np.sqrt({array}.max())"]
        others.append(f"np.maximum({self.make('num', scope, depth)}, {self.make('float', scope, depth)})")
        if "comprehension" in self.features:
            others.append(f"sum([v * v for v in {array}])")
            others.append(f"sum(v if v > 0 else -v for v in {array})")
        others += [f"({name} * 1.0)" for name in scope.of("zero_d")]
        others += self.more_numbers(scope, depth - 1)
        return self._numeric("num", scope, depth, others)

    def _idx(self, kind: str, scope: Scope, depth: int) -> str:
        array = self.make("ia", scope, depth - 1)
        return self._numeric("idx", scope, depth, [f"{array}[{self.index(scope)}]", f"{array}.sum()"])

    def _comparison(self, scope: Scope, depth: int) -> str:
        number = self.choices.pick(NUMBERS)
        compare = self.choices.pick([">", "<", ">=", "<=", "==", "!="])
        a, b = self.make(number, scope, depth), self.make(self._partner(number), scope, depth)
        return f"bool({a} {compare} {b})"  # a NumPy scalar gives a NumPy bool, and kinds are exact

    def _bool(self, kind: str, scope: Scope, depth: int) -> str:
        more = self.more_tests(scope, depth - 1)
        if more and self.choices.chance(40):
            return self.choices.pick(more)
        which = self.choices.integer(0, 5)
        if which <= 1 or "logic" not in self.features:
            return self._comparison(scope, depth)
        a, b = self.make("num", scope, depth), self.make("idx", scope, depth)
        if which == 2:
            return f"(not {a})"
        if which == 3:
            return f"bool({a} < {b} <= {self.make('float', scope, depth)})"
        if which == 4:
            return f"({self.make('int', scope, depth)} in (1, 2, {self.make('int', scope, depth)}))"
        join = self.choices.pick(["and", "or"])
        return f"({self.make('bool', scope, depth)} {join} {self.make('bool', scope, depth)})"

    def test(self, scope: Scope) -> str:
        """What stands after `if` or `while`: mostly a comparison of something that may be staged."""
        number = self.choices.pick(["num", "idx", "int", "float"])
        compare = self.choices.pick([">", "<", "==", "!=", ">="])
        which = self.choices.integer(0, 3)
        if which == 0 or "logic" not in self.features:
            return f"{self.make(number, scope, 1)} {compare} {self.make(self._partner(number), scope, 1)}"
        if which == 1:
            return self.make(number, scope, 1)
        return self.make("bool", scope, 2)

    def _fa(self, kind: str, scope: Scope, depth: int) -> str:
        return self._array("fa", scope, depth)

    def _ia(self, kind: str, scope: Scope, depth: int) -> str:
        return self._array("ia", scope, depth)

    def _array(self, kind: str, scope: Scope, depth: int) -> str:
        a, b = self.make(kind, scope, depth), self.make(kind, scope, depth)
        small = self.make(self._partner(ITEM[kind]), scope, depth)
        options = [f"({a} + {b})", f"({a} - {small})", f"{a}.copy()", f"np.where({a} > {small}, {a}, {b})"]
        options += [f"abs({a})", f"np.maximum({a}, {b})", f"({a} * 2)"]
        if "view" in self.features:
            options += [f"{a}[::-1]"]
        return self.choices.pick(options)

    def _list(self, kind: str, scope: Scope, depth: int) -> str:
        return f"({self.leaf('list', scope)} + [{self.make('num', scope, depth)}])"
