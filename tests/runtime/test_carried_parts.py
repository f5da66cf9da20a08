"""Objects that hold what a block computed, and live on after it: exceptions, partials, slices, own lists."""

import textwrap

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check
from tests.modules import module_of
from tests.spread import spread

CALLS = [Call(n) for n in (-1, 5, 4, 2, 0)]

WORLD = """
import collections
import functools


class Place:
    pass


class Fault(Exception):
    def __init__(self, code, note):
        super().__init__(code)
        self.note = note
"""
MAKES = [
    "IndexError('kept', 10 // n)",
    "Fault(10 // n, 7 // n)",
    "ValueError([10 // n], (n, 7 // n))",
    "ValueError(IndexError(10 // n))",
    "KeyError(str(10 // n))",
    "functools.partial(max, 10 // n)",
    "collections.OrderedDict(a=10 // n)",
    "slice(0, 10 // n)",
    "range(10 // n)",
]
PLACES = {
    "a list": ("kept = []", "kept.append({})", "kept"),
    "an item": ("kept = [0]", "kept[0] = {}", "kept"),
    "a dict": ("kept = {}", "kept['a'] = {}", "kept"),
    "a tuple in a list": ("kept = []", "kept.append((1, {}))", "kept"),
    "an attribute": ("kept = Place()", "kept.a = {}", "kept.a"),
    "a variable": ("kept = 0", "kept = {}", "kept"),
}
FORMS = {
    "finally": "try:\n    {}\nfinally:\n    n += 1",
    "raised on": "try:\n    {}\nexcept ZeroDivisionError:\n    raise ValueError('none') from None",
    "handled": "try:\n    {}\nexcept ZeroDivisionError:\n    pass",
    "if or raise": "if n > 3:\n    {}\nelse:\n    raise ValueError(n)",
}


@pytest.mark.parametrize(("made", "form"), spread([*MAKES], [*FORMS]))
def test_objects_that_keep_what_a_block_computed(made, form):
    for before, store, shown in PLACES.values():
        body = FORMS[form].format(store.format(made))
        source = f"def f(n):\n    {before}\n{textwrap.indent(body, '    ')}\n    return n, {shown}\n"
        # where two paths go on, a list of them would have items that a run cannot choose
        check(module_of(WORLD + source)["f"], *CALLS, may_refuse=form == "handled")


def test_an_iterator_over_what_a_block_computed():
    def f(n):
        kept = []
        try:
            kept.append(iter([10 // n, n]))
        finally:
            n += 1
        return n, next(kept[0]), next(kept[0])

    assert check(f, *CALLS)


@pytest.mark.parametrize("made", ["slice(0, 10 // n)", "functools.partial(max, 10 // n)"])
def test_of_two_paths_only_one_puts_it_into_a_list(made):
    source = f"def f(n):\n    kept = []\n    if n > 3:\n        kept.append({made})\n    return n, kept\n"
    kind = made.partition("(")[0].removeprefix("functools.")
    with pytest.raises(StagingError, match=f"a {kind} is (kept outside|put into a list or dict)"):
        rt.function(module_of(WORLD + source)["f"])(np.int64(5))
