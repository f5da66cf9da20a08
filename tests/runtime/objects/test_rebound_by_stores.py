"""A store to an item runs code of the user's, which gives the variable whose item is stored another value."""

import pytest

from tests.differential import check
from tests.modules import module_of

CLASSES = """
import numpy as np

class Cell:
    def __getitem__(self, i):
        return 5
    def __setitem__(self, i, v):
        global a
        a = "set", i, v
    def __delitem__(self, i):
        global a
        a = "deleted", i

class Sum:
    def __iadd__(self, other):
        global a
        a = [other, other]
        return 5
"""
STORES = """
a = Cell(); before = None; a[n] = n
a = Cell(); before = None; a[n] += n
a = Cell(); before = None; del a[n]
a = [Sum()]; before = a; a[0] += n
"""


def program(stores: str, block: str):
    lines = [line.strip() for line in stores.split(";")]
    body = "\n        ".join(lines[-1:])
    start = "\n    ".join(lines[:-1])
    head = f"{CLASSES}\ndef f(n):\n    global a, x\n    x = np.zeros(3)\n    {start}\n"
    source = f"{head}    {block}:\n        {body}\n"
    return module_of(source + "    return a, before, x\n")["f"]


@pytest.mark.parametrize("block", ["if True", "if n > 2", "for _ in range(min(n, 1))"])
@pytest.mark.parametrize("stores", STORES.strip().split("\n"))
def test_the_variable_holds_what_the_code_gave_it(stores: str, block: str) -> None:
    check(program(stores, block), (3,), (4,), may_refuse=block != "if True")
