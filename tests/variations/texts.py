"""Texts made of values that a run knows, other than f-strings (mechanism E of the table)."""

from tests.features.registry import floats
from tests.variations.cases import case

ROWS = [floats(1.25, 2), floats(-1, 3)]


@case(*ROWS)
def structures_in_a_text_with_percent(x):
    way = "up" if x[0] > 0 else None
    named = "%(a)s-%(b).1f" % {"a": x[0], "b": x[1]}
    return "%s and %s %s" % (x, [x[0], 1], way), named, "%s" % ((x[0], 2),)


@case(*ROWS)
def a_text_with_percent_is_a_text(x):
    text = "%d" % x[0] if x[0] > 0 else "below %s" % (x[0],)
    return text, len(text), text + "%s" % text


@case(*ROWS)
def a_column_as_wide_as_its_texts(x):
    width = max(len(f"{v}") for v in x)
    return [f"{v:>{width}}|{v!r:<{width + 2}}|" for v in x]
