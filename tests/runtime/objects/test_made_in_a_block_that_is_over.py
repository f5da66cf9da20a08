"""An object that a block made, and that lives on as itself: what is stored in it later is not lost."""

import textwrap

import numpy as np
import pytest

from tests.differential import check_scenario
from tests.modules import module_of
from tests.spread import spread

_HEAD = """\
import contextlib

class Leaf:
    def __init__(self, v):
        self.v, self.n, self.leaves = v, 0, []

class Tree:
    def __init__(self, v):
        self.leaf = Leaf(v)
        self.n = 0

out = Leaf(0)

def f(x):
    trunk = Leaf(x[0])
    out.v = None
"""
_MAKES = {
    "leaf": "Leaf(x[0])",
    "leaf of the block's": "Leaf(x[0] + 1)",
    "tree": "Tree(x[0])",
}
_BLOCKS = {
    "the only path": "if x[0] == x[0]:\n    one = {make}\nelse:\n    raise KeyError",
    "a handler": "one = trunk\ntry:\n    raise KeyError\nexcept KeyError:\n    one = {make}",
    "an attribute of another": (
        "if x[0] == x[0]:\n    out.v = {make}\nelse:\n    raise KeyError\none = out.v\nout.v = None"
    ),
    "a list of another": (
        "if x[0] == x[0]:\n    trunk.leaves.append({make})\nelse:\n    raise KeyError\none = trunk.leaves[0]"
    ),
}
_USES = {
    "try": (
        "try:\n    one.n += 5\n    if x[2] > 0:\n        raise KeyError\n    one.n += 1\n"
        "except KeyError:\n    one.n += 10"
    ),
    "with": (
        "with contextlib.suppress(KeyError):\n    one.n += 5\n    if x[2] > 0:\n        raise KeyError\n"
        "    one.n += 1"
    ),
    "try in a branch": (
        "if x[1] > 0:\n    try:\n        one.n += 5\n        if x[2] > 0:\n            raise KeyError\n"
        "    except KeyError:\n        one.n += 10"
    ),
    "recursion": (
        "def down(k):\n    one.n += 1\n    return k if k < 1 else down(k - 1)\ndown(int(abs(x[2])))"
    ),
}


@pytest.mark.parametrize(("make", "block", "use"), spread([*_MAKES], [*_BLOCKS], [*_USES]))
def test_what_is_stored_in_it_later(make, block, use):
    body = f"{_BLOCKS[block].format(make=_MAKES[make])}\n{_USES[use]}\nreturn one, trunk"
    source = _HEAD + textwrap.indent(body, "    ")

    def scenario(function):
        f = function(module_of(source)["f"])
        seen = []
        for values in ([2.5, -2.0, -1.0], [1.0, 2.0, 3.0], [-1.0, 2.0, -3.0]):
            one, trunk = f(np.array(values))
            leaf = getattr(one, "leaf", one)
            seen.append((type(one).__name__, one.n, leaf.v, leaf.n, trunk.v, trunk.n, one is trunk))
            seen.append([leaf is one for leaf in trunk.leaves])
        return seen

    check_scenario(scenario, engines=["numpy"])
