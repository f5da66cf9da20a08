"""What a program changes on one path only, by whatever means: the other path sees it as it was.

Each case is a value, what changes it, and what is asked of it afterwards: in an `if`, in a loop that may end
early, in a function that is called on some paths, and of an argument.
"""

from __future__ import annotations

import re

import pytest

from tests.differential import Call, CallOf, check
from tests.modules import module_of
from tests.spread import spread

WORLD = """
import collections, contextlib, fractions, functools, operator, string, types
import numpy as np

class O:
    def __init__(self, v):
        self.v = v
        self.w = 2
        self.items = [v]
    def set(self, v):
        self.v = v

class P(O):
    pass

class E(Exception):
    def __init__(self, v, w=2):
        super().__init__(v, w)
        self.v = v

class Cached:
    def __init__(self, v):
        self.v = v
    @functools.cached_property
    def big(self):
        return self.v * 10

def made():
    def inner(a=1.0, *, b=2):
        return a + b
    return inner
"""
CASES = """
O(x) | o.__class__ = P | type(o).__name__
O(x) | object.__setattr__(o, "v", 5.0) | o.v
O(x) | functools.partial(setattr, o, "v")(4.0) | o.v
O(x) | list(map(o.items.append, [1.0, 2.0])) | o.items
O(x) | any(map(o.items.append, [1.0, 2.0])) | o.items
O(x) | collections.deque(map(o.set, [1.0, 4.0]), maxlen=0) | o.v
O(x) | o.__name__ = "named" | getattr(o, "__name__", "none")
{1, 2} | set.add(o, 4) | sorted(o)
{1, 2} | set.discard(o, 2) | sorted(o)
collections.deque([x, 2.0]) | collections.deque.appendleft(o, 3.0) | list(o)
{1: x} | dict.update(o, {2: 3.0}) | o
[x, 2.0] | list.sort(o, reverse=True) | o
E(x) | o.__cause__ = KeyError("k") | o.__cause__ is None
E(x) | setattr(o, "__cause__", KeyError("k")) | o.__cause__ is None
O(x) | object.__setattr__(o, "__class__", P) | type(o).__name__
made() | setattr(o, "__name__", "q") | o.__name__
E(x) | o.__context__ = KeyError("k") | o.__context__ is None
E(x) | o.__suppress_context__ = True | o.__suppress_context__
E(x) | o.__init__(4.0) | o.args
ValueError(x, 2) | o.args = (5.0, 2) | o.args, str(o)
OSError(2, "no") | o.errno = 3 | o.errno, str(o)
UnicodeDecodeError("utf-8", b"a", 0, 1, "r") | o.reason = "q" | o.reason, str(o)
made() | o.tag = 3.0 | getattr(o, "tag", 0.0)
made() | o.__defaults__ = (3.0,) | o()
made() | o.__kwdefaults__ = {"b": 3} | o()
made() | o.__name__ = "q" | o.__name__
made() | o.__doc__ = "d" | o.__doc__
functools.partial(max, 1) | o.note = 3.0 | hasattr(o, "note")
functools.partial(max, 1) | setattr(o, "note", 3.0) | hasattr(o, "note")
functools.lru_cache(made()) | o.note = 3.0 | hasattr(o, "note")
staticmethod(abs) | o.note = 3.0 | hasattr(o, "note")
types.ModuleType("m") | o.note = 3.0 | hasattr(o, "note")
string.Template("$a") | o.template = "$b" | o.template
collections.UserDict(a=1) | o.note = 3.0 | hasattr(o, "note")
fractions.Fraction(1, 2) | o._numerator = 3 | str(o)
np.vectorize(abs) | o.note = 3.0 | hasattr(o, "note")
np.poly1d([1, 2]) | o.note = 3.0 | hasattr(o, "note")
Cached(x) | o.big = 4.0 | o.big
Cached(x) | o.v = o.big | o.v
""".strip().splitlines()
FORMS = {
    "if": """
def f(x):
    o = {value}
    if x > 0:
        {change}
    return {asked}
""",
    "for": """
def f(x):
    o = {value}
    for i in range(int(x) + 2):
        {change}
        if x > 3:
            break
    return {asked}
""",
    "called": """
def f(x):
    o = {value}
    def change():
        {change}
    if x > 0:
        change()
    elif x > -1:
        change()
        change()
    return {asked}
""",
    "argument": """
def make(x=1.5):
    return {value}
def f(x, o):
    if x > 0:
        {change}
    return {asked}
""",
}


def is_refused(case, form):
    """Exceptions that were made outside are."""
    return form == "argument" and re.match(r"E\(|\w*Error\(", case) is not None


@pytest.mark.parametrize(
    ("case", "form"), [one for one in spread([*CASES], [*FORMS]) if not is_refused(*one)]
)
def test_the_other_path_sees_it_as_it_was(case, form):
    value, change, asked = case.split(" | ")
    module = module_of(WORLD + FORMS[form].format(value=value, change=change, asked=asked))
    calls = [Call(x) for x in (-1.0, 1.0, 4.0, -0.5)]
    if form == "argument":
        calls = [CallOf(lambda x=x: (x, module["make"]())) for x in (-1.0, 1.0, 4.0, -0.5)]
    check(module["f"], *calls, engines=["numpy"], may_refuse=case in MAY_BE_REFUSED)


#: where no hook of a class sees a change, or the method is called by its class
REFUSED = (
    ".__", '"__', "Error(", "made", "set.", "deque", "dict.update", "list.sort", "vars(",
    "functools.partial(max", "staticmethod", "types.", "string.", "collections.", "fractions.", "contextlib.",
    "np.",
)  # fmt: skip
MAY_BE_REFUSED = [
    case
    for case in CASES
    if any(part in case for part in REFUSED) and not case.startswith("O(x) | o.__name__")
]


def test_a_name_given_where_a_function_is_made():
    def named(function, name):
        def inner(v):
            return function(v)

        inner.__name__ = name
        return inner

    def f(x):
        total = 0.0
        for v in x:
            if v > 0:
                double = named(lambda q: q * 2, "double")
                total += double(v) + len(double.__name__)
        return total

    import numpy as np

    check(f, Call(np.array([1.0, -2.0, 3.0])))
