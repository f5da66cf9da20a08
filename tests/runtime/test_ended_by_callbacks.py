"""A StopIteration of a function that an iterator of Python's own calls is the end of the iteration."""

import itertools

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check

CALLS = [(np.array(items),) for items in ([1, 2], [3, 2], [3, 0])]


def twice(v):
    if v > 2:
        raise StopIteration("end")
    return v * 2


def test_on_each_path():
    def f(x):
        total = 0
        for v in map(twice, [1, 5, 2]):
            total += v * x[0]
        pulled = map(twice, [1, 3])
        return (
            (total, next(pulled), next(pulled, 9), tuple(filter(twice, (1, 4, 1)))),
            (list(itertools.takewhile(twice, (1, 4, 1))), list(itertools.starmap(twice, [(1,), (3,)]))),
            list(itertools.accumulate([1, 1, 1, 1], lambda a, b: twice(a) + b)),
            [(key, list(group)) for key, group in itertools.groupby([1, 1, 3], key=twice)],
            [*map(twice, [1, 3])],
            sum(map(twice, (1, 1, 4, 1))),
            list(zip(map(twice, [1, 3]), x, strict=False)),
        )

    check(f, *CALLS)


def test_what_is_caught_there_ends_nothing():
    def careful(v):
        try:
            return twice(v)
        except StopIteration as end:
            return str(end)

    def f(x):
        return list(map(careful, [1, 5, 2])), x

    check(f, *CALLS)


@pytest.mark.parametrize(
    "consume",
    [
        lambda x: list(map(twice, [1, x[0], 2])),
        lambda x: list(map(twice, x)),
        lambda x: [v for v in map(twice, x)],
        lambda x: list(filter(twice, [v for v in x if v > 0])),
        lambda x: sum(map(twice, range(int(x[0])))),
        lambda x: list(itertools.takewhile(twice, x)),
    ],
)
def test_what_only_a_run_knows_is_refused(consume):
    with pytest.raises(StagingError, match="a StopIteration is raised by what an iterator of Python's own"):
        rt.function(consume)(*CALLS[0])
