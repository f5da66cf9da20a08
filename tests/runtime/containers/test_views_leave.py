"""Views of dicts that a run knows, and other things that stand for Python's in a trace, do not get out."""

import functools
import types

import numpy as np
import pytest

import autograph
import runtime as rt
from tests.differential import check

LOG = []


class Held:
    kept = None


def growing(x, n):
    table = {}
    for v in x:
        if v > 0:
            table[n] = v
            n = n + 1
    return table


USES = {
    "stored in a list": lambda x, n: LOG.append(growing(x, n).keys()),
    "stored in a class": lambda x, n: setattr(Held, "kept", growing(x, n).items()),
    "printed": lambda x, n: print(growing(x, n).keys()),
    "str": lambda x, n: str(growing(x, n).keys()),
    "in a list, repr": lambda x, n: repr([growing(x, n).values()]),
    "f-string": lambda x, n: f"{growing(x, n).items()}",
    "a partial": lambda x, n: repr(functools.partial(max, x[0])),
    "a proxy": lambda x, n: str(types.MappingProxyType({n: x[0]})),
    "percent": lambda x, n: "%s" % (growing(x, n).items(),),
}


@pytest.mark.parametrize("use", USES)
def test_refused(use):
    words = "of this dict|an iterator|the text of|dict_(keys|values) is kept outside"
    with pytest.raises(autograph.StagingError, match=words):
        rt.function(USES[use])(np.array([1.0, -2.0, 3.0]), 2)
    assert not LOG and Held.kept is None


def texts_of_slices(x, n):
    place = slice(0, n)
    return f"{place}", str(place), "%s" % place, "{}".format(place), repr([place])


def sequence_patterns(x, n):
    match range(n):
        case []:
            return "empty"
        case [a]:
            return "one", a
        case [a, *rest, b]:
            return a, len(rest), b


def truth_of_iterators(x, n):
    found = 1 if enumerate(x) else 2
    while zip(x, x) and found < n:
        found += 1
    return found, not enumerate(x)


@pytest.mark.parametrize(
    "f",
    (
        texts_of_slices,
        sequence_patterns,
        truth_of_iterators,
    ),
)
def test_as_in_python(f):
    x = np.array([1.0, -2.0, 3.0])
    check(f, (x, 0), (x, 1), (x, 2), (-x, 5))


def attribute_of_an_iterator(x, n):
    pairs = iter([x[0], n])
    try:
        pairs.kept = n
    except AttributeError:
        return "no such attribute", next(pairs)


def test_attributes_of_iterators():
    check(attribute_of_an_iterator, (np.ones(2), 1), (np.ones(2), 2))


@pytest.mark.parametrize("reduce", (np.sum, np.max, np.mean))
def test_reductions_of_none(reduce):
    check(lambda x: reduce(None), (1.0,))
