"""An object that staged control flow makes of a list or dict from outside holds that very one."""

import pytest

from tests.differential import check_scenario
from tests.modules import module_of
from tests.spread import spread

_HEAD = """\
import contextlib

class Leaf:
    def __init__(self, rows):
        self.rows = rows

class Shelf:
    rows = None

class Manager:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return False

shelf, other = Shelf(), {made}
shelf.rows = {made}

def f(rows, n):
    leaf = None
"""
MADE = {
    "an argument": "leaf = Leaf(rows)",
    "an attribute": "leaf = Leaf(n)\nleaf.rows = shelf.rows",
    "in a tuple": "leaf = Leaf((n, (shelf.rows, 1)))",
    "in another object": "leaf = Leaf(Leaf(shelf.rows))",
    "or nothing": "leaf = Leaf(shelf.rows if n > 1 else None)",
    "one of two": "leaf = Leaf(shelf.rows if n > 1 else other)",
}
WAYS = {
    "branches": "if n > 1:\n    MAKE\nelse:\n    MAKE",
    "one branch": "if n > 1:\n    MAKE",
    "loop": "for i in range(n):\n    MAKE\n    if i == 2:\n        break",
    "try": "try:\n    print(n)\n    MAKE\nexcept KeyError:\n    pass",
    "raising try": "try:\n    MAKE\n    if n > 2:\n        raise KeyError(n)\nexcept KeyError:\n    pass",
    "finally": "try:\n    print(n)\n    MAKE\nfinally:\n    n += 1",
    "with": "with Manager():\n    print(n)\n    MAKE",
    "suppress": "with contextlib.suppress(KeyError):\n    MAKE\n    if n > 2:\n        raise KeyError(n)",
    "early return": "if n > 1:\n    MAKE\n    return leaf\nMAKE",
    "match": "match n:\n    case 1:\n        MAKE\n    case _:\n        MAKE",
}


def shown(value, known):
    """Leaves and what they hold; where one of ``known`` is held, which one."""
    if any(value is one for one in known):
        return [value is one for one in known]
    if isinstance(value, tuple):
        return tuple([shown(part, known) for part in value])
    return shown(value.rows, known) if hasattr(value, "rows") else repr(value)


@pytest.mark.parametrize(
    ("way", "kind", "made"), spread([*WAYS], ["[7]", "{'k': 7}", "[[7]]", "{7}"], [*MADE])
)
def test_it_is_the_same_one(way, kind, made):
    make = MADE[made]
    lines = []
    for line in WAYS[way].splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        lines += [indent + one for one in make.splitlines()] if line.strip() == "MAKE" else [line]
    change = "shelf.rows.update({1: n})" if kind[:3] == "{'k" else "shelf.rows.clear()"
    lines += ["if n > 3:", f"    {change}", "return leaf"]
    source = _HEAD.replace("{made}", kind) + "".join(f"    {line}\n" for line in lines)

    def scenario(function, source=source):
        module = module_of(source)
        f, known = function(module["f"]), (module["shelf"].rows, module["other"])
        return [(shown(f(known[0], n), known), repr(known)) for n in (3, 1, 0, 4, 2)]

    check_scenario(scenario, engines=["numpy"])
