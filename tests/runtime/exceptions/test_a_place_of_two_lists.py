"""A place outside that holds a list from outside, or one of the run, when a handler runs: it is that list."""

import textwrap

import pytest

from tests.differential import check_scenario
from tests.modules import module_of

_HEAD = """\
class Shelf:
    pass

shelf = Shelf()
shelf.rows, shelf.other, shelf.leaf = [7], [1], None
kept, table = [shelf.rows], {"t": shelf.rows}

def f(n):
"""
#: what happens before the block, within it, and once it was left
_BLOCK = """\
{before}
try:
    if n != 2:
        raise ValueError(n)
    {inside}
    if n > 3:
        raise ValueError(n)
except ValueError:
    {handler}
return {result}
"""
PROGRAMS = {
    "a list of the run": (
        "if n > 1: shelf.rows = [i for i in range(n)]",
        "shelf.rows = [n]",
        "return shelf.rows",
        "n",
    ),
    "changed": (
        "if n > 1: shelf.rows = [i for i in range(n)]",
        "shelf.rows = [n]",
        "shelf.rows.append(n)",
        "shelf.rows",
    ),
    "kept": (
        "if n > 1: shelf.rows = [i for i in range(n)]",
        "shelf.rows = [n]",
        "kept.append(shelf.rows)",
        "kept[-1], kept[0]",
    ),
    "another from outside": (
        "if n > 1: shelf.rows = shelf.other",
        "shelf.rows = [n]",
        "kept.append(shelf.rows)",
        "kept[-1], kept[0]",
    ),
    "an item of a dict": (
        "if n > 1: table['t'] = shelf.other",
        "table['t'] = [n]",
        "table['t'].append(n)",
        "table",
    ),
    "chosen first, or a tuple that holds one": (
        "shelf.leaf = shelf.rows if n > 1 else (shelf.other, n)",
        "shelf.leaf = None",
        "pass",
        "shelf.leaf",
    ),
    "chosen first, or None": (
        "shelf.leaf = shelf.rows if n > 1 else None",
        "shelf.leaf = (n,)",
        "kept.append(shelf.leaf)",
        "shelf.leaf, kept[-1]",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_place_holds_the_list_itself(name):
    before, inside, handler, result = PROGRAMS[name]
    block = _BLOCK.format(before=before, inside=inside, handler=handler, result=result)
    source = _HEAD + textwrap.indent(block, "    ")

    def scenario(function):
        module = module_of(source)
        f, shelf, kept, table = function(module["f"]), module["shelf"], module["kept"], module["table"]
        seen = []
        for n in (1, 2, 3, 0, 2):
            found = f(n)
            held = [shelf.rows, shelf.other, shelf.leaf, *kept, table["t"]]
            ones = list(found) if isinstance(found, tuple) else [found]
            seen.append((repr(found), repr(held)))
            seen.append([[a is b for b in (*held, *ones)] for a in (*held, *ones) if isinstance(a, list)])
        return seen

    check_scenario(scenario)
