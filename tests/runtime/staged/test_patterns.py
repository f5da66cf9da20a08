"""`re.sub` and `re.subn`, and methods of patterns and matches."""

import re

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check

CALLS = [(np.array(items),) for items in ([1, 2], [3, 2], [3, 0])]
PATTERN = re.compile("([a-z])([0-9]*)")


@pytest.mark.parametrize(
    "make",
    [
        lambda x: re.sub("a", lambda match: f"{x[0]}", "bab"),
        lambda x: re.subn("a", repl=lambda match: "c", string="bab"),
        lambda x: PATTERN.sub(lambda match: "c", "a1"),
        lambda x: PATTERN.subn(string="a1", repl=str),
    ],
)
def test_texts_by_a_function_are_refused(make):
    with pytest.raises(StagingError, match="a function gives the texts that take the place of the matches"):
        rt.function(make)(CALLS[0][0])


def test_what_helps():
    def f(x):
        pieces, end = [], 0
        for match in re.finditer("a", "bab"):
            pieces += ["bab"[end : match.start()], f"<{x[0]}>"]
            end = match.end()
        return (
            "".join(pieces) + "bab"[end:],
            re.sub("a", "c", "bab"),
            re.sub("a", "c" if x[1] else "d", "bab"),
        )

    check(f, *CALLS)


def test_an_iterator_of_matches_under_a_condition():
    def f(x):
        found = re.finditer("a", "abaa")
        start = 0
        if x[0] > 1:
            start = next(found).start()
        return next(found).start(), start

    check(f, *CALLS, may_refuse=True)
