"""Functions that `map`, `filter` and their like call: a StopIteration of theirs, which ends the iteration."""

import itertools

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.spread import spread

X = np.array([1.0, 2.0, 3.0, -1.0])


def twice(v):
    if v > 2:
        raise StopIteration("end")
    return v * 2


#: iterators that call `twice`, some for the items of an array, some for numbers that the trace knows
ITERATORS = {
    "map": lambda x: map(twice, x),
    "map of numbers": lambda x: map(twice, [1, 5, 2]),
    "map of what a run knows": lambda x: map(twice, [1, x[0], 2]),
    "map in a zip": lambda x: zip(map(twice, x), x),
    "map in a chain": lambda x: itertools.chain(map(twice, (1, 4)), x),
    "filter": lambda x: filter(twice, [v for v in x if v > 0]),
    "filter of numbers": lambda x: filter(twice, (1, 4, 1)),
    "takewhile": lambda x: itertools.takewhile(twice, x),
    "takewhile of numbers": lambda x: itertools.takewhile(twice, (1, 4, 1)),
    "accumulate": lambda x: itertools.accumulate([1, 1, 1, 1], lambda a, b: twice(a) + b),
    "groupby": lambda x: itertools.groupby([1, 1, 3], key=twice),
    "next": lambda x: map(next, [iter([1]), iter(())]),
}
USES = {
    "list": lambda items: len(list(items)),
    "star": lambda items: len([*items]),
    "loop": lambda items: sum(1 for _ in items),
    "sorted": lambda items: len(sorted(items, key=str)),
}


@pytest.mark.parametrize(("iterator", "use"), spread([*ITERATORS], [*USES]))
def test_it_is_refused_where_a_run_or_the_trace_meets_it(iterator, use):
    with pytest.raises(StagingError, match="a StopIteration leaves a generator, or a function"):
        rt.function(lambda x: USES[use](ITERATORS[iterator](x)))(X)


def by_turns(*iterables):
    turns = map(iter, iterables)
    for left in range(len(iterables), 0, -1):
        turns = itertools.cycle(itertools.islice(turns, left))
        yield from map(next, turns)


def test_what_such_an_iterator_ran_over_is_not_begun_again():
    assert not check(lambda x: list(by_turns(x, [7, 8, 9])), ([1.0, 2.0],), may_refuse=True)
