"""Random programs: a module with helpers and a function `f`, and several calls of it.

>>> from tests.random_programs.choices import seeded
>>> program = generate(seeded(0))
>>> program.source.startswith("import numpy as np")
True
"""

from __future__ import annotations

from tests.random_programs.choices import Choices
from tests.random_programs.containers import Lines, indented
from tests.random_programs.definitions import OPENING
from tests.random_programs.definitions import PREAMBLE as STRUCTURES
from tests.random_programs.expressions import LITERALS
from tests.random_programs.kinds import NOISY, PT, VEC
from tests.random_programs.program import HEADER, Program
from tests.random_programs.scope import FEATURES, LENGTH, Helper, Scope
from tests.random_programs.statements import Statements

#: parameter name -> kind; every program takes some of them
PARAMETERS = {
    "a": "fa",
    "n": "int",
    "s": "num",
    "b": "ia",
    "k": "idx",
    "t": "float",
    "c": "fa",
    "z": "zero_d",
    "g": "ga",
    "h": "ba",
}
RESULTS = ("num", "int", "float", "idx", "fa", "ia", "bool")

BOX = """
class Box:
    def __init__(self):
        self.total = np.float64(0.0)
        self.count = 0

    def add(self, v):
        if v > 0:
            self.total = self.total + v
        self.count += 1


BOX = Box()
"""
GLOBAL = """
counted = np.float64(0.0)


def note(v):
    global counted
    if v > counted:
        counted = v
"""
FILL = """
def fill(v, w):
    for i in range(len(v)):
        if v[i] < w:
            v[i] = w
"""
RECURSION = """
def down(v, n):
    if v > 2 or n > 3:
        return v
    return down(v + 1, n + 1)


def spread(w, n):
    if n <= 0 or n > 6:
        return w[0]
    w[n % 4] = w[n % 4] + 1
    return w[n % 4] + spread(w, n - 1)


def ping(v, n):
    if n <= 0 or n > 6:
        return v
    return pong(v - 1, n - 1) if v > n else pong(v * 0.5, n - 2)


def pong(v, n):
    if v < -2:
        raise ValueError(f"low {v}")
    return ping(v + 1.5, n)


def tree(v, n):
    best = v
    if 0 < n < 5:
        best = tree(v / 2, n - 1)
        for k in range(2):
            other = tree(v - k, n - 2)
            if other > best:
                print('better', other)
                best = other
    return best


def tally(v, n):
    global tallied
    tallied = tallied + v
    try:
        if 0 < n < 5:
            tally(-v, n - 1)
    finally:
        print('tally', n)
    return tallied


tallied = np.float64(0.0)
"""
RECURSIVE = [
    Helper("down", ("num", "int"), "num"),
    Helper("spread", ("fa", "int"), "num"),
    Helper("ping", ("num", "int"), "num"),
    Helper("tree", ("num", "int"), "num"),
    Helper("tally", ("num", "int"), "num"),
]
LOG = """
class Log:
    def __enter__(self):
        print('enter')

    def __exit__(self, *error):
        print('exit', error[0])
"""
NESTED = """
def bump(d):
    nonlocal v0
    if d > 0:
        v0 = v0 + d
"""
PREAMBLE = {
    "vec": VEC,
    "pt": PT,
    "noisy": NOISY,
    "object": BOX,
    "global": GLOBAL,
    "helper_writes": FILL,
    "recursion": RECURSION,
    "with": LOG,
    **STRUCTURES,
}


def generate(choices: Choices, budget: int = 14, allowed: frozenset[str] = frozenset(FEATURES)) -> Program:
    """Make a program that ends, and that mostly runs without error."""
    some = choices.integer(10, 60)
    features = frozenset(f for f in FEATURES if f in allowed and choices.chance(some))
    parts = [HEADER] + [text for feature, text in PREAMBLE.items() if feature in features]
    helpers = list(RECURSIVE) if "recursion" in features else []
    if "helper" in features:
        for number in range(choices.integer(1, 2)):
            text, helper = make_helper(choices, features, number, helpers)
            parts.append("\n" + text)
            helpers.append(helper)
    text, kinds = make_main(choices, features, helpers, budget)
    parts.append("\n" + text)
    return Program("\n".join(parts), make_calls(choices, kinds), features)


def make_helper(
    choices: Choices, features: frozenset[str], number: int, helpers: list[Helper]
) -> tuple[str, Helper]:
    """A small function of one or two values."""
    kinds = [choices.pick(["num", "int", "fa"]) for _ in range(choices.integer(1, 2))]
    helper = Helper(f"helper{number}", tuple(kinds), choices.pick(["num", "int", "fa"]))
    names = ["p", "q"][: len(kinds)]
    scope = Scope({}, list(helpers), (helper.result,))
    for name, kind in zip(names, kinds, strict=True):
        scope.add(kind, name)
    local = features - {"star", "dict", "list", "nested", "zero_d", "object", "global", "unbound"}
    statements = Statements(choices, local, budget=4)
    body = statements.block(scope, 2, 3)
    body += statements.return_(scope)
    return "\n".join([f"def {helper.name}({', '.join(names)}):", *indented(body)]) + "\n", helper


def make_main(
    choices: Choices, features: frozenset[str], helpers: list[Helper], budget: int
) -> tuple[str, list[str]]:
    """The function `f`, and the kinds of its parameters."""
    names = ["a"] + [name for name in list(PARAMETERS)[1:] if choices.chance(40)]
    names = [name for name in names if name != "z" or "zero_d" in features]
    returns = tuple(choices.pick(RESULTS) for _ in range(choices.integer(1, 3)))
    scope = Scope({}, helpers, returns)
    for name in names:
        scope.add(PARAMETERS[name], name)
    statements = Statements(choices, features, budget)
    body = opening(statements, scope, features)
    body += statements.block(scope, 3, 6)
    body += statements.return_(scope)
    text = "\n".join([f"def f({', '.join(names)}):", *indented(body)]) + "\n"
    return text, [PARAMETERS[name] for name in names]


def opening(statements: Statements, scope: Scope, features: frozenset[str]) -> Lines:
    """Bind what the features need."""
    lines = ["v0 = a[0]"]
    scope.add("num", "v0")
    if "global" in features:
        lines.insert(0, "global counted")
        scope.readable.setdefault("num", []).append("counted")
    if "object" in features:
        lines.append("box = Box()")
        scope.readable.setdefault("num", []).extend(["box.total", "BOX.total"])
        scope.readable.setdefault("int", []).extend(["box.count", "BOX.count"])
    for kind, feature in (("vec", "vec"), ("pt", "pt"), ("str", "string")):
        if feature in features:
            lines.append(f"{kind}0 = {LITERALS[kind][0]}")
            scope.add(kind, f"{kind}0")
            scope.also_returned += (f"{kind}0",)
    if "list" in features:
        lines.append("items = []")
        scope.add("list", "items")
        scope.also_returned += ("items",)
    if "dict" in features:
        lines.append("table = {'i': 0, 'n': v0}")
        scope.readable.setdefault("num", []).append("table['n']")
        scope.readable.setdefault("int", []).append("table['i']")
        scope.also_returned += ("table",)
    for feature, (kind, name, value, is_returned) in OPENING.items():
        if feature in features:
            lines.append(f"{name} = {value}")
            scope.add(kind, name)
            scope.also_returned += (name,) if is_returned else ()
    if "nested" in features:
        lines += NESTED.strip("\n").split("\n")
    return lines


def make_calls(choices: Choices, kinds: list[str]) -> tuple[str, ...]:
    """Several calls of one signature (but for Python numbers), with other values."""
    return tuple(", ".join(argument(choices, kind) for kind in kinds) for _ in range(3))


def argument(choices: Choices, kind: str) -> str:
    """A value of a kind, as text."""
    whole = choices.pick([1, 0, 2, -1, 3, -3, 5])
    real = choices.pick(["1.0", "0.5", "-2.0", "0.0", "4.25", "-0.75"])
    if kind in ("fa", "ia"):
        items = [argument(choices, "float" if kind == "fa" else "int") for _ in range(LENGTH)]
        return f"np.array([{', '.join(items)}])"
    if kind in ("ga", "ba"):
        items = [argument(choices, "float" if kind == "ga" else "int") for _ in range(LENGTH)]
        return f"np.array([{', '.join(items)}], dtype=np.{'float32' if kind == 'ga' else 'int8'})"
    return {
        "int": str(whole),
        "float": real,
        "num": f"np.float64({real})",
        "idx": f"np.int64({whole})",
        "zero_d": f"np.array({real})",
    }[kind]
