"""A StopIteration of a function that an iterator of Python's own calls is the end of the iteration."""

import itertools
import operator

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check
from tests.modules import module_of
from tests.spread import spread

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


ITERATORS = {
    "map": "map(f, x)",
    "filter": "filter(f, x)",
    "takewhile": "itertools.takewhile(f, x)",
    "dropwhile": "itertools.dropwhile(f, x)",
    "filterfalse": "itertools.filterfalse(f, x)",
    "starmap": "itertools.starmap(f, zip(x, x))",
    "accumulate": "itertools.accumulate(x, f)",
    "iter": "iter(f, 9)",
    "chain": "itertools.chain(map(f, x), x)",
    "zip": "zip(map(f, x), x)",
}
USES = {
    "list": "return list({})",
    "star": "return [*{}]",
    "count": "return len(tuple({}))",
    "loop": "out = []\n    for v in {}:\n        out.append(v)\n    return out",
    "next": "it = {}\n    return next(it, 'd'), x",
}
ARRAYS = [[1.0, 2.0, 3.0, -1.0], [5.0], []]


@pytest.mark.parametrize(("iterator", "use", "engine"), spread([*ITERATORS], [*USES], ["numpy", "native"]))
def test_a_function_that_asks_an_iterator_which_ends(iterator, use, engine):
    body = USES[use].format(ITERATORS[iterator])
    source = (
        f"import itertools\ndef g(x):\n    ids = iter([1, 2])\n    f = lambda *_: next(ids)\n    {body}\n"
    )
    for calls in ([(items,) for items in ARRAYS], [(np.array(items),) for items in ARRAYS]):
        check(module_of(source)["g"], *calls, engines=[engine], may_refuse=True)
    assert check(module_of(source)["g"], (ARRAYS[0],), engines=[engine])


def test_python_s_own_would_go_on_with_the_next_item():
    def f(x):
        ids = iter([1, 2])
        kept = filter(lambda v: next(ids) * v, [v for v in x])
        return list(kept), next(kept, "end")

    with pytest.raises(
        StagingError, match="a filter is advanced after what it calls has raised StopIteration"
    ):
        rt.function(f)(np.array([1.0, 2.0, 3.0]))


def test_groups_are_not_made_ahead_of_what_a_key_changes():
    def count(x):
        calls = [0]

        def key(v):
            calls[0] += 1
            return v

        for k, _ in itertools.groupby(x, key):
            if k > 1:
                break
        return calls

    assert not check(count, *CALLS, may_refuse=True)
    with pytest.raises(StagingError, match="the key of a `groupby` changes something, and is called as the"):
        rt.function(count)(*CALLS[0])


def by_turns(*iterables):
    turns = map(iter, iterables)
    for left in range(len(iterables), 0, -1):
        turns = itertools.cycle(itertools.islice(turns, left))
        yield from map(next, turns)


def test_what_such_an_iterator_ran_over_is_not_begun_again():
    def f(x):
        return list(by_turns(x, [7, 8, 9]))

    assert not check(f, ([1.0, 2.0],), may_refuse=True)
    with pytest.raises(StagingError, match="a cycle is advanced after a loop over it that may end early"):
        rt.function(f)([1.0, 2.0])


def test_iterators_that_are_items():
    def f(x):
        return list(map(next, map(operator.itemgetter(1), itertools.groupby(x, lambda v: v > 1))))

    assert not check(f, *CALLS, may_refuse=True)
