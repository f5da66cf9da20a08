"""Objects of the standard library that never change are constants: fractions, dates, paths, patterns."""

import datetime
import decimal
import ipaddress
import re
import uuid
import zoneinfo
from fractions import Fraction
from pathlib import PurePosixPath

import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 7, 1, 12)
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
NAN, SIGNALING = decimal.Decimal("NaN"), decimal.Decimal("sNaN")


@PROGRAMS.of((HALF, 1.0), (THIRD, 2.0), (HALF, 3.0))
def fractions_and_floats(f, x):
    return f + 1, f.limit_denominator(2), str(f), round(f), f == 0.5, x * float(f), type(f) is Fraction


@PROGRAMS.of((decimal.Decimal("10.00"),), (decimal.Decimal("10.0"),), (NAN,), (SIGNALING,))
def decimals(price):
    if price.is_nan():
        return "no price"
    return str(price), (price * decimal.Decimal("1.19")).quantize(decimal.Decimal("0.01"))


@PROGRAMS.of((NOON,), (NOON.replace(fold=1),), (NOON.replace(tzinfo=BERLIN),))
def times(when):
    return when.fold, when.utcoffset(), when.time(), f"{when:%H}", when > when.replace(hour=1)


@PROGRAMS.of((PurePosixPath("/a/b.txt"), 1), (PurePosixPath("c"), 2), (PurePosixPath("c"), 3))
def paths(path, n):
    return path / ("x" if n > 1 else "y"), path.with_suffix(".npy"), path.parts, path / f"{n}", f"{n}" / path


@PROGRAMS.of((re.compile("a+"), "caat"), (re.compile("A+"), "caat"), (re.compile("A+", re.I), "caat"))
def patterns(pattern, text):
    found = pattern.search(text)
    return None if found is None else found.group(), pattern.sub("o", text), pattern.flags


test_constants = PROGRAMS.test()


@pytest.mark.parametrize("key", [uuid.UUID(int=7), ipaddress.ip_address("10.0.0.1")])
def test_others_are_refused(key):
    with pytest.raises(StagingError, match="which is not converted"):
        rt.function(lambda key, x: x if key == key else -x)(key, 1.0)


def test_equal_ones_share_a_trace():
    @rt.function
    def f(x, y):
        return x * 2, y

    values = Fraction(3, 2), decimal.Decimal("1.5"), datetime.timedelta(1)
    for value in (*values, Fraction(6, 4), decimal.Decimal("1.5"), datetime.timedelta(hours=24)):
        f(value, 1.0)
    assert f.trace_count == len(values)


@pytest.mark.parametrize("ask", [
    lambda day: datetime.date.today() - day,
    lambda day: day.strftime("%A"),
    lambda day: datetime.datetime(day.year, 1, 1).timestamp(),
])  # fmt: skip
def test_what_asks_the_world_is_refused(ask):
    with pytest.raises(StagingError, match="would be computed once, while tracing"):
        rt.function(ask)(DAY)
