"""`None` or a text that a run makes; and code that no value reaches, after tests that took them all."""

import numpy as np
import pytest

from tests.differential import check

XS = [(np.array([3.0, 2.0]),), (np.array([0.0, 4.0]),), (np.array([-1.0, 2.0]),)]


def asked_by_is(x):
    message = None
    if x[0] > 2:
        message = f"{x[0]:.1f}"
    if message is None:
        return 1
    return message


def asked_by_a_pattern(x):
    message = f"{x[0]:.1f}" if x[0] > 2 else None
    match message:
        case None:
            return 1
        case text:
            return text


def beside_a_number(x):
    message = None
    if x[0] > 2:
        message = f"{x[0]:.1f}"
    elif x[0] < 0:
        message = x[1]
    return "none" if message is None else message


def of_an_exception(x):
    error = None
    try:
        if x[0] > 2:
            raise ValueError(f"bad {x[0]}")
    except ValueError as e:
        error = str(e)
    if error is None:
        return x[1]
    return error


def in_a_loop(x):
    texts = []
    for v in x:
        text = f"{v}" if v > 2 else None
        texts.append(text)
    return [text for text in texts if text is not None], [text is None for text in texts]


def beside_anything(x):
    text = f"{x[0]}"
    items = [v for v in x if v > 0]
    return text is None, text is True, text is int, text is x, x[0] is text, text is items, text is not None


@pytest.mark.parametrize(
    "f",
    [asked_by_is, asked_by_a_pattern, beside_a_number, of_an_exception, in_a_loop, beside_anything],
    ids=lambda f: f.__name__,
)
def test_a_text_of_the_run_is_something_else(f):
    check(f, *XS)


def no_value_is_left(x):
    v = None if x[0] > 2 else "s"
    match v:
        case str() | None:
            return 1
        case o:
            return len(o), type(o), o.real


def no_tuple_is_left(x):
    r = (1, x[0]) if x[0] > 2 else None
    match r:
        case (_, _) | None:
            return 1
        case k:
            return len(k)


def no_value_is_left_by_tests(x):
    v = None if x[0] > 2 else "s"
    if v is None or isinstance(v, str):
        return 1
    v.foo = [*v]
    return v + 1, v[0], not v


@pytest.mark.parametrize(
    "f", [no_value_is_left, no_tuple_is_left, no_value_is_left_by_tests], ids=lambda f: f.__name__
)
def test_where_no_value_is_left(f):
    check(f, *XS)
