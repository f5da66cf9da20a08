"""Texts made of values that a run knows, other than f-strings (mechanism E of the table)."""

import numpy as np

from tests.features.registry import floats
from tests.variations.cases import case

ROWS = [floats(1.25, 2), floats(-1, 3)]


@case((np.float64(2.5), 3), (np.float64(-1), -4), (np.float64(1e9), 0))
def numbers_in_a_text_with_percent(x, n):
    print("v=%s n=%03d" % (x, n))
    return "%.2f|%5d|%-8s|%s|%r|%%|%e|%g" % (x, n, "a", x, x, x, n), "%s" % x, "%d" % x


@case(*ROWS)
def structures_in_a_text_with_percent(x):
    way = "up" if x[0] > 0 else None
    named = "%(a)s-%(b).1f" % {"a": x[0], "b": x[1]}
    return "%s and %s %s" % (x, [x[0], 1], way), named, "%s" % ((x[0], 2),)


@case(*ROWS)
def an_error_with_percent(x):
    if x[0] < 0:
        raise ValueError("bad value %.1f of %d" % (x[0], len(x)))
    try:
        return "%d %d" % tuple(x[:1])
    except TypeError as error:
        return str(error)


@case(*ROWS)
def a_text_with_percent_is_a_text(x):
    text = "%d" % x[0] if x[0] > 0 else "below %s" % (x[0],)
    return text, len(text), text + "%s" % text


MESSAGE = "value %g of %s"


@case(*ROWS)
def a_text_of_another_place_with_percent(x):
    form = "%d;" if x[0] > 0 else "%s,"
    rows = [form % v for v in x]
    longer = f"{x[0]} or %s" % x[1]
    if x[0] < 0:
        raise ValueError(MESSAGE % (x[0], rows))
    return rows, longer, MESSAGE % tuple(x), 7 % len(x)


@case(*ROWS)
def a_column_as_wide_as_its_texts(x):
    width = max(len(f"{v}") for v in x)
    return [f"{v:>{width}}|{v!r:<{width + 2}}|" for v in x]


class Quantity:
    def __init__(self, value):
        self.value = value

    def __str__(self):
        return "%.1f units" % self.value


@case(*ROWS)
def an_object_in_a_text_with_percent(x):
    return "%s!" % Quantity(x[0])
