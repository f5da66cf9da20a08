"""`range` with bounds that only a run knows."""

import numpy as np
import pytest

from tests.differential import check
from tests.modules import module_of


def test_a_range_of_an_exception_is_a_type_error():
    def count(x):
        total = x
        try:
            total = 1.0 // x
        except ZeroDivisionError as error:
            for i in range(error):
                total = total + i
        return total

    assert check(count, (0.0,), (2.0,))


#: what may be asked of ``r``, a range of which only a run knows the length; ``n`` is an int
QUESTIONS = (
    """
r.start, r.stop, r.step; n in r
len(r), bool(r)
str(r), repr(r), f"{r}", "%s" % (r,)
list(r), sum(r), sorted(r, reverse=True)
isinstance(r, range), isinstance(r, (int, range)), type(r) is range; r.__len__(); r.foo; r(); r + r
r < r; r * 2
int(r); [10, 20, 30, 40, 50][r.stop]; (r, [r]); {"r": r}; not r
""".strip()
    .replace("\n", "; ")
    .split("; ")
)


@pytest.mark.parametrize(
    "question",
    [
        "r.index(2)",
        "r == range(3)",
        "r != range(n)",
        "{r: 1}",
        "range(5).index(n)",
        "r[0]",
        "r[1:]",
        "r or 5",
    ],
)
def test_what_a_range_is_not_asked(question):
    asked = module_of(f"def asked(n):\n    r = range(n + 1)\n    return {question}\n")["asked"]
    assert not check(asked, (np.int64(2),), may_refuse=True)


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_a_range_is_asked(question):
    source = f"def asked(n):\n    r = range(n + 1)\n    return {question}\n"
    asked = module_of(source)["asked"]
    assert check(asked, (np.int64(2),), (3,), (np.int64(4),))
