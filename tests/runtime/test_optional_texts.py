"""`None` or a text that a run makes; and code that no value reaches, after tests that took them all."""

import numpy as np
import pytest

from tests.differential import check

XS = [(np.array([3.0, 2.0]),), (np.array([0.0, 4.0]),), (np.array([-1.0, 2.0]),)]


def beside_anything(x):
    text = f"{x[0]}"
    items = [v for v in x if v > 0]
    return text is None, text is True, text is int, text is x, x[0] is text, text is items, text is not None


@pytest.mark.parametrize(
    "f",
    [beside_anything],
    ids=lambda f: f.__name__,
)
def test_a_text_of_the_run_is_something_else(f):
    check(f, *XS)


def no_tuple_is_left(x):
    r = (1, x[0]) if x[0] > 2 else None
    match r:
        case (_, _) | None:
            return 1
        case k:
            return len(k)


@pytest.mark.parametrize("f", [no_tuple_is_left], ids=lambda f: f.__name__)
def test_where_no_value_is_left(f):
    check(f, *XS)
