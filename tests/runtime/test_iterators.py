"""Iterators: used up once, wherever they are advanced. And `while` loops that only an exception ends."""

import copy
import itertools
import re
import types

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.modules import module_of
from tests.programs import Programs

PROGRAMS = Programs()
ONE, TWO = np.array([1, 3, 2, 5]), np.array([1, 0, 7, 0])


def _goes_on(name, make, value=lambda item: item):
    @PROGRAMS.of((ONE,), (TWO,))
    def program(a):
        items = make(a)
        total = np.int64(0)
        for item in items:
            if value(item) > 2:
                break
        for item in items:
            total += value(item)
        return total

    PROGRAMS[name] = PROGRAMS.pop("program")


_goes_on("an_enumerate_goes_on_where_a_loop_ended", enumerate, lambda pair: pair[1])
_goes_on("a_zip_goes_on_where_a_loop_ended", lambda a: zip(a, a), lambda pair: pair[1])
_goes_on("a_reversed_goes_on_where_a_loop_ended", reversed)
_goes_on("an_iterator_goes_on_where_a_loop_ended", iter)


@PROGRAMS.of((np.arange(5.0),), (np.arange(40.0)[::-1],))
def groups_of_one_iterator(a):
    kept, known = [v for v in a if v > 0], iter([1, 2, 3, 4, 5, 6])
    next(known)
    total = 0.0
    for first, second in zip(*[iter(a)] * 2, strict=False):
        total += first * second
    return total, list(zip(*[iter(kept)] * 3, strict=False)), list(zip(known, known, strict=False))


@PROGRAMS.of((ONE, 3), (TWO, 2))
def a_list_that_grows_while_it_is_advanced(a, n):
    items = []
    for v in a[:n]:
        if v > 0:
            items.append(v)
    rest = iter(items)
    total = np.int64(0)
    for v in a:
        if v > 2:
            total += next(rest, 100)
            items.append(v)
    return total, list(rest)


@PROGRAMS.of((ONE,), (TWO,))
def what_an_iterator_has_not(a):
    for ask in (len, reversed):
        try:
            ask(enumerate(a))
        except TypeError:
            print("not of an iterator")


@PROGRAMS.of((ONE,), (np.array([1, 1, 3, 2]),))
def an_index_that_leaves_the_array(a):
    i = 0
    try:
        while True:
            i += 1 if a[i] > 0 else 2
            print(i)
    except IndexError as error:
        return i, str(error)


@PROGRAMS.of((ONE,))
def names_of_generator_expressions(a):
    first, nested = (v for v in a), (w for v in a for w in (v, v))
    return [(g.__name__, g.__qualname__) for g in (first, nested)], a


test_program = PROGRAMS.test()


def test_two_iterators_over_one():
    @rt.function
    def mixed(a):
        items = iter(a)
        if a[0] > 0:
            next(items)
        pairs = enumerate(items)
        next(pairs)
        return next(items)

    with pytest.raises(StagingError, match="is advanced, which another iterator runs over"):
        mixed(ONE)


MAKERS = {
    "a list's": lambda a: iter([a[0]]),
    "an array's": lambda a: iter(a),
    "a tuple's": lambda a: iter((a[0],)),
    "a dict's": lambda a: iter({"a": a[0]}),
    "its values'": lambda a: iter({"a": a[0]}.values()),
    "a range's": lambda a: iter(range(int(a[0]))),
    "until": lambda a: iter(lambda: a[0], 5),
    "map": lambda a: map(abs, a),
    "filter": lambda a: filter(None, a),
    "zip": lambda a: zip(a, a),
    "enumerate": lambda a: enumerate(a),
    "expression": lambda a: (v for v in a),
    "reversed list": lambda a: reversed([a[0]]),
    "reversed array": lambda a: reversed(a),
    "reversed range": lambda a: reversed(range(int(a[0]))),
    "ndenumerate": lambda a: np.ndenumerate(a),
    "ndindex": lambda a: np.ndindex(int(a[0])),
    "count": lambda a: itertools.count(a[0]),
    "cycle": lambda a: itertools.cycle(a),
    "chain": lambda a: itertools.chain(a, a),
    "accumulate": lambda a: itertools.accumulate(a),
    "groupby": lambda a: itertools.groupby(a),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_the_class_of_an_iterator(make):
    def looked_at(a):
        made = make(a)
        classes = type(made).__name__, made.__class__.__name__, type(made) is made.__class__
        is_one = isinstance(made, types.GeneratorType), isinstance(made, itertools.count)
        return classes, is_one, hasattr(made, "send"), hasattr(made, "__len__"), hasattr(made, "site")

    assert rt.function(looked_at)(ONE) == looked_at(ONE)


def store(made):
    made.colour = 1


MISTAKES = [len, lambda made: made < 1, lambda made: made + 1, lambda made: made.colour]
STORES = [store, lambda made: setattr(made, "colour", 1)]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_mistakes_with_an_iterator(make):
    stores = [] if make(ONE).__class__ in (np.ndenumerate, np.ndindex) else STORES
    mistakes = MISTAKES[2:] if make(ONE).__class__ is np.flatiter else MISTAKES
    for wrong in (*mistakes, *stores):

        def mistaken(a, wrong=wrong):
            return wrong(make(a))

        with pytest.raises((TypeError, AttributeError)) as plain:
            mistaken(ONE)
        with pytest.raises(plain.type, match="^" + re.escape(str(plain.value))):
            rt.function(mistaken)(ONE)


@pytest.mark.parametrize(
    "make", [lambda a: zip(a, a), lambda a: itertools.count(a[0]), lambda a: iter([a[0]])]
)
def test_the_text_of_an_iterator_is_refused(make):
    with pytest.raises(StagingError, match="the text of a .* is asked for"):
        rt.function(lambda a: str(make(a)))(ONE)


def test_a_copy_of_an_iterator_is_refused():
    with pytest.raises(StagingError, match="the copy of a list_iterator is asked for"):
        rt.function(lambda a: next(copy.copy(iter([a[0], 2]))))(ONE)


class Steps:
    """Gives items, and is no iterable: it has no `__iter__`."""

    def __init__(self):
        self.last = 0

    def __next__(self):
        self.last += 1
        if self.last > 3:
            raise StopIteration
        return self.last


class From:
    def __iter__(self):
        return Steps()


USES = ["list({})", "[v for v in {}]", "iter({})", "dict(zip({}, 'ab'))", "sum({})", "[*{}]"]


@pytest.mark.parametrize("of", USES)
@pytest.mark.parametrize("made", ["Steps()", "From()"])
def test_what_has_no_iter_is_no_iterable(made, of):
    shown = f"next({of})" if of == "iter({})" else of
    source = f"""
def f(n):
    try:
        return {shown.format(made)}, n
    except TypeError as error:
        return str(error), n
"""
    may_refuse = (
        of.startswith("[v") and made == "Steps()"
    )  # its `__next__` may be the advance that is refused
    f = module_of(source, Steps=Steps, From=From)["f"]
    assert check(f, (np.int64(1),), (np.int64(2),), may_refuse=may_refuse) or may_refuse
