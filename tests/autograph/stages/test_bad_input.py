"""Faults of stages and of programs: one clear error each, at the user's line, and all is as it was before."""

import bisect
import collections
import heapq
import itertools
import math
import operator
from functools import partial

import pytest

import autograph
from autograph.stages import FunctionalStage, SelectStage
from autograph.stages.heap import Slot
from tests.autograph.stages.toys import (
    Graphs,
    Node,
    Term,
    Terms,
    graphs,
    run_graphs,
    run_terms,
    silent_graphs,
    silent_terms,
    terms,
)
from tests.differential import registered

BOTH = pytest.mark.parametrize("run, stage", [(run_terms, Terms), (run_graphs, Graphs)])


class Account:
    def __init__(self):
        self.balance, self.log = 0, [0]


HELD = Account()


def stored(x):
    y = 1
    if x > 0:
        y = x
        HELD.balance = x
        HELD.log[0] = 5
    else:
        y = 2
    return y


def counted(x):
    n = 0
    while n < x:
        n = n + 1
        HELD.log[0] = n
    return n


@pytest.fixture
def as_before():
    """Nothing of what the program did is left."""
    HELD.__init__()
    log = HELD.log
    yield
    assert HELD.balance == 0 and HELD.log is log and log == [0]


def refused(run, stage, function, match, line, *numbers):
    with pytest.raises(autograph.StagingError, match=match) as error:
        run(function, *(numbers or (1,)), stage=stage)
    error = error.value
    assert error.file == function.__code__.co_filename
    assert error.line == function.__code__.co_firstlineno + line
    assert stage.name in error.message
    for ours in ("Missing", "Undefined", "Places", "Const", "Steps", "Left"):
        assert ours not in str(error)
    return error


# The stage


@pytest.mark.parametrize(
    "base, methods, lacking",
    [
        (SelectStage, {"types": (Term,)}, r"`where\(condition, a, b\)`"),
        (SelectStage, {"where": lambda *_: None}, "`types`, the classes of the library's values"),
        (SelectStage, {"where": lambda *_: None, "types": Term}, "`types` that is a tuple of classes"),
        (SelectStage, {"where": lambda *_: None, "types": ("Term",)}, "`types` that is a tuple of classes"),
        (FunctionalStage, {"types": (Node,)}, r"`cond\(condition, then, orelse, values\)`"),
        (FunctionalStage, {"types": (Node,), "cond": lambda *_: ()}, r"`while_loop\(test, body, values\)`"),
        (FunctionalStage, {"cond": lambda *_: (), "while_loop": lambda *_: ()}, "`types`"),
    ],
)
def test_a_method_is_lacking(base, methods, lacking):
    stage = type("Made", (base,), {"name": "made", **methods})()
    for use in (partial(autograph.convert, stored, stage=stage), partial(autograph.register_stage, stage)):
        with pytest.raises(autograph.ArgumentError, match=f"stage 'made' has no {lacking}"):
            use()


@pytest.mark.parametrize("stage, hint", [(3, None), (Terms, "make one: `Terms()`")])
def test_no_stage(stage, hint):
    with pytest.raises(autograph.ArgumentError, match="a stage is an autograph.Stage, not") as error:
        autograph.convert(stored, stage=stage)
    assert error.value.hint == hint


def test_a_stage_without_a_name_is_called_by_its_class():
    class Nameless(SelectStage):
        types = (Term,)

        def where(self, condition, a, b):
            return Term("where", condition, a, b)

    assert Nameless().name == "Nameless" and Graphs().name == "graphs"
    refused(run_terms, Nameless(), different, "over values of stage 'Nameless'", 1)


def test_a_stage_given_twice():
    for stage in (terms, graphs):
        with pytest.raises(autograph.ArgumentError, match="`stored` is converted for stage 'terms' already"):
            autograph.convert(terms.convert(stored), stage=stage)


def test_two_stages_claim_one_value():
    one, other = Terms(), Terms()
    other.name = "others"
    with registered(one), registered(other), pytest.raises(autograph.StagingError) as error:
        autograph.convert(stored)(Term("x"))
    assert "a Term is claimed by stage 'terms' and by stage 'others'" in error.value.message
    assert error.value.line == stored.__code__.co_firstlineno + 2


@pytest.mark.usefixtures("as_before")
@pytest.mark.parametrize(
    "result, match",
    [(None, "a `where` for `y` that gives None"), ({}, r"a `where` for `y` that gives {}")],
)
def test_where_gives_no_value(result, match):
    class Bad(Terms):
        def where(self, condition, a, b):
            return result if a is not False else Term("where", condition, a, b)

    refused(run_terms, Bad(), stored, match, 2)


@pytest.mark.usefixtures("as_before")
@pytest.mark.parametrize(
    "method, function, line",
    [("cond", stored, 2), ("while_loop", counted, 2)],
)
@pytest.mark.parametrize(
    "broken, match",
    [
        (lambda found: found[1:], "gives . values where its blocks give ."),
        (lambda found: None, "gives a NoneType where its blocks give ."),
        (lambda found: 1 / 0, r"ZeroDivisionError \(division by zero\) in `(cond|while_loop)`"),
    ],
)
def test_a_wrong_number_of_results(method, function, line, broken, match):
    bad = type("Bad", (Graphs,), {method: lambda self, *a: broken(getattr(Graphs, method)(self, *a))})
    refused(run_graphs, bad(), function, match, line)


@pytest.mark.usefixtures("as_before")
def test_no_block_is_traced():
    class Bad(Graphs):
        def cond(self, condition, then, orelse, values):
            return ()

    refused(run_graphs, Bad(), stored, "a `cond` that traces no block", 2)


@pytest.mark.usefixtures("as_before")
def test_where_raises():
    class Bad(Terms):
        def where(self, condition, a, b):
            if a is not False:
                raise ValueError("no such choice")
            return Term("where", condition, a, b)

    error = refused(run_terms, Bad(), stored, r"ValueError \(no such choice\) in `where` for `y`", 2)
    assert isinstance(error.__cause__, ValueError)


class Cell(Term):
    """A term that is changed in place."""


@pytest.mark.usefixtures("as_before")
@pytest.mark.parametrize("base, run, method", [(Terms, run_terms, "where"), (Graphs, run_graphs, "cond")])
def test_operands_are_changed(base, run, method):
    cell = Cell("x0")

    def changed(self, *operands):
        cell.function = "x1"
        return getattr(base, method)(self, *operands)

    def watch(self, value):
        if type(value) is not Cell:
            return None
        return Slot(value, "function", "a cell", lambda: value.function, partial(setattr, value, "function"))

    stage = type("Bad", (base,), {method: changed, "watch": watch, "types": (*base.types, Cell)})()
    with pytest.raises(autograph.StagingError, match=", which changes its operand a cell,"):
        run(lambda x: [cell, 1 if cell else 2], 1, stage=stage)
    assert cell.function == "x0"


# The program


@pytest.mark.usefixtures("as_before")
def test_a_loop_without_end():
    class Short(Terms):
        limit, unfinished = 3, SelectStage.unfinished

    refused(run_terms, Short(), counted, "a loop that may take more than 3 iterations", 2)


def different(x):
    if x > 0:
        y = "text"
    else:
        y = 2
    return y


def lists(x):
    out = [1]
    if x > 0:
        out.append(2)
    return out


def unset(x):
    if x > 0:
        y = 1
    return y


def fails(x):
    if x > 0:
        HELD.balance = 7
        raise_in_library(x)
    return x


def raise_in_library(x):
    return [0, 1][x]  # which asks for an index


def endless(x):
    def down(n):
        return 0 if n < x else down(n + 1)

    return down(0)


def ordered(x):
    return sorted([x, 1])


def made_global(x):
    global never_there
    if x > 0:
        never_there = 1
    return 1


@BOTH
@pytest.mark.usefixtures("as_before")
@pytest.mark.parametrize(
    "function, match, line",
    [
        (different, "`y`, which is a str on one path and a number on the other,", 1),
        (lists, "the list `out`.* changes its", 2),
        (unset, "`y`, which has a value on one path only,", 3),
        (endless, "a recursion whose end depends on a value in a branch", 2),
        (ordered, "a call of `sorted`, which may ask for the truth, order, hash or text of values,", 1),
        (made_global, "the global `never_there`, which has no value yet,", 2),
    ],
)
def test_programs(run, stage, function, match, line):
    refused(run, stage(), function, match, line)


ASKING = {
    "truth": lambda x: operator.truth(x - 3),
    "bisect_right": lambda x: bisect.bisect([1, 2], x),
    "Counter": lambda x: len(collections.Counter([x, x + 0])),
    "contains": lambda x: operator.contains([3], x),
    "dict.fromkeys": lambda x: len(dict.fromkeys([x, x + 0])),
    "groupby": lambda x: len([*itertools.groupby([x, x + 0])]),
    "heappushpop": lambda x: heapq.heappushpop([2], x),
    "sqrt": lambda x: math.sqrt(x),
}


@pytest.mark.parametrize("run, stage", [(run_terms, silent_terms), (run_graphs, silent_graphs)])
@pytest.mark.parametrize("name", ASKING)
def test_what_python_asks_of_a_value_that_answers_as_any_object(run, stage, name):
    refused(run, stage, ASKING[name], f"a call of `{name}`, which may ask for the truth, order", 0, 3)


def test_what_asks_a_value_nothing():
    def f(x):
        held = dict(zip("ab", [x, operator.add(x, 1)]))
        held.update(c=sum(held.values()))
        line = collections.deque(held.values())
        line.rotate(1)
        return [*line, *map(abs, reversed([-x])), held.get("a"), *itertools.chain([x], (1,))]

    for run, stage in ((run_terms, silent_terms), (run_graphs, silent_graphs)):
        assert run(f, 3, stage=stage) == f(3)


@BOTH
@pytest.mark.usefixtures("as_before")
def test_a_branch_leaves_through_an_exception_of_the_library(run, stage):
    match = r"TypeError \(a (Term|Node) is known only when the program runs\) in a branch"
    with pytest.raises(autograph.StagingError, match=match) as caught:
        run(fails, 1, stage=stage())
    assert isinstance(caught.value.__cause__, TypeError)
    assert caught.value.line == raise_in_library.__code__.co_firstlineno + 1
