"""Lists and dicts of what no run can have: variables, functions made inside, iterators, own subclasses."""

import datetime
import itertools

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()
X = np.array([1.5, -2.0, 3.0])
on_both_paths = PROGRAMS.of((X,), (-X,))


@PROGRAMS.scenario
def variables(function):
    first, second = rt.Variable(1.0), rt.Variable(2.0)

    @function
    def f(x):
        held = [first, second]
        other = held
        if x[0] > 0:
            held[0] = second
        other[0].assign_add(x[2])
        held.reverse()
        table = {"a": held[0], "b": first}
        for name, variable in table.items():
            variable.assign_sub(1.0 if name == "a" else 0.5)
        return [float(one) for one in other], held, table, held[1] is second

    return f(X), f(-X), first, second


@on_both_paths
def functions_are_chosen_and_called(x):
    functions = [lambda a: a + 1, lambda a: a * 2]
    same = functions
    if x[0] > 0:
        same[0], same[1] = same[1], same[0]
    total = 0.0
    for turn in range(int(x.shape[0]) * 3):
        total += functions[turn % 2](x[0])
        if total > 5:
            functions[0] = functions[1]
    return functions[0](x[1]), functions[1](x[1]), total


@on_both_paths
def functions_are_looked_for(x):
    first, second = (lambda v: v), (lambda v: v + 1)
    held = [first, second, abs]
    found = second in held, len(held), held == [first, second, abs]
    del held[0]
    return found, held[0](x[0]), len(held), [first] != [second]


@PROGRAMS.of((X, 1), (X, 0), (X, -1), (X, 5))
def at_a_place_that_only_a_run_knows(x, i):
    functions = [lambda v: v, lambda v: v + 1]
    days = [datetime.date(2020, 1, 1), datetime.date(2021, 2, 3)]
    return functions[i](x[0]), days[i].year


@on_both_paths
def a_callee_changes_it(x):
    held = [lambda v: v]

    def change(functions):
        functions.append(lambda v: v * 3)
        functions[0] = functions[-1]
        return functions

    changed = change(held)
    if x[0] > 0:
        change(changed)
    return held[0](x[0]), changed is held


@on_both_paths
def iterators_views_and_ranges(x):
    held = {"count": itertools.count(5), "pairs": zip([1, 2], [3, 4], strict=True), "to": range(int(x.size))}
    first = next(held["count"])
    if x[0] > 0:
        first += 100
    table = {"a": x[0]}
    views = [table.values(), table.keys()]
    table["b"] = x[1]
    return first, next(held["count"]), list(held["pairs"]), sum(held["to"]), [list(view) for view in views]


@on_both_paths
def where_one_path_alone_goes_on(x):
    if x[0] > 0:
        table = {"f": lambda v: v + 1, "items": [x[1]]}
        items = table["items"]
    else:
        raise KeyError("none")
    items.append(3.0)
    table["items"][0] = table["f"](1.0)
    return table["items"], items, len(table)


@on_both_paths
def dates(x):
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=k) for k in range(5)]
    if x[0] > 0:
        days.append(datetime.date(2022, 1, 1))
    return days, days[-1].year, days.index(datetime.date(2020, 1, 3)), max(days)


@on_both_paths
def past_the_end(x):
    held, table = [1.0, x[0]], {"a": 1}
    told = []
    for read in (lambda: held[2], lambda: held[-3], lambda: table["b"]):
        try:
            told.append(read())
        except LookupError as error:
            told.append(repr(error))
    return told


test_program = PROGRAMS.test()


@pytest.mark.parametrize("keep", ["grown", "at a place of a run", "outside"])
def test_who_asks_a_run_for_it_is_refused(keep):
    kept = []

    @rt.function
    def f(x, i):
        held = [lambda v: v, lambda v: v + 1]
        if keep == "grown" and x[0] > 0:
            held.pop()
        elif keep == "at a place of a run":
            held[i] = abs
        elif keep == "outside":
            kept.append(held)
        return held[-1](x[0])

    with pytest.raises(StagingError, match="made inside is read from a list|made inside is kept outside"):
        f(X, np.int64(1))
    assert not kept
