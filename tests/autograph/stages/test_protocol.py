"""What a stage can rely on: each test is one promise of the protocol."""

import operator
import threading
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import autograph
import runtime as rt
from autograph import config
from autograph.registry import active_stage
from autograph.stages import SelectStage
from autograph.stages.heap import Contents, Heap, Slot
from autograph.staging import NOTHING
from tests.autograph.stages.toys import Graphs, Term, Terms, graphs, run_graphs, run_terms, terms
from tests.differential import registered


class Value:
    """A value of a stage that writes down what it is asked."""

    def __gt__(self, other):
        return Value()

    __lt__ = __gt__


class Asked(autograph.Stage):
    name = "asked"

    def __init__(self):
        self.seen = []

    def claims(self, value):
        return isinstance(value, Value)


def sign(x):
    if x > 0:
        return 1
    return -1


# Traces


def test_a_stage_is_asked_in_its_own_trace_only():
    stage = Asked()
    with pytest.raises(autograph.StagingError, match="an `if` statement over values of stage 'asked'"):
        autograph.convert(sign, stage=stage)(Value())
    assert autograph.convert(sign)(Value()) == 1  # an object of Python's, which is true
    assert active_stage() is None


def test_two_stages_in_each_other_do_not_meet():
    def inner(y):
        return y + 1 if y > 0 else y

    def outer(x):
        number = run_graphs(inner, 5)  # a trace of another library in a branch of ours
        return x + number if x > 1 else x - number

    assert [run_terms(outer, x) for x in (0, 2)] == [-6, 8]


def test_a_branch_of_the_outer_stage_in_a_function_of_the_inner_one():
    """The statement belongs to the stage of its test; what it must not do is asked of that one."""
    x = Term("x0")
    held = []

    def inner(y):
        if x > 0:
            held.append(1)
        return y

    with (
        pytest.raises(autograph.StagingError, match="over values of stage 'terms'"),
        autograph.trace_of(terms),
    ):
        run_graphs(inner, 5)
    assert held == []


def test_two_threads_side_by_side_do_not_meet():
    barrier, results = threading.Barrier(2, timeout=20), {}

    class MeetingTerms(Terms):
        def truth(self, value):
            barrier.wait()  # both are in a trace now
            return value

    class MeetingGraphs(Graphs):
        truth = MeetingTerms.truth

    def work(run, stage):
        results[stage.name] = run(sign, 3, stage=stage), active_stage()

    pairs = (run_terms, MeetingTerms()), (run_graphs, MeetingGraphs())
    threads = [threading.Thread(target=work, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {"terms": (1, None), "graphs": (1, None)}


def test_a_function_of_the_runtime_in_a_trace_of_ours():
    @rt.function
    def doubled(v):
        return v * 2 if v[0] > 1 else v

    def f(x):
        return x + doubled(np.array([2.0]))[0] if x > 0 else x

    with pytest.raises(autograph.StagingError, match="`doubled` is a function of the runtime"):
        run_terms(f, 3)
    assert doubled(np.array([2.0])) == [4.0]  # nothing of that is kept
    assert run_terms(f, 3) == 7.0


def test_the_innermost_trace_claims_first():
    class Other(Terms):
        name = "other"

        def where(self, condition, a, b):
            return 7

    other = Other()
    both = autograph.convert(lambda x: 1 if x > 0 else 2, stage=other)
    assert terms.convert(lambda x: both(x))(Term("x")) == 7


def test_functions_methods_partials_and_objects_are_entries():
    class Scaled:
        @terms.convert
        def clipped(self, x):
            return x if x > 0 else 0

        @staticmethod
        def lower(x):
            return x if x < 0 else 0

        def __call__(self, x):
            return self.clipped(x)

    x = Term("x")
    convert = partial(autograph.convert, stage=terms)
    for entry in (Scaled().clipped, convert(Scaled.lower), convert(Scaled()), convert(partial(sign))):
        assert autograph.was_converted(entry)
        assert isinstance(entry(x), (Term, int))
    decorated = autograph.convert(stage=terms)(sign)
    assert decorated.__name__ == "sign" and autograph.original(decorated) is sign
    assert not autograph.was_converted(sign)


def test_what_runs_after_the_trace_is_refused():
    def numbers(x):
        yield x if x > 0 else 0

    for f in (numbers, lambda x: (v for v in [x])):
        with pytest.raises(autograph.StagingError, match="a generator .* runs after the trace"):
            run_terms(f, 1)


# Statements


def test_an_if_over_a_plain_value_is_offered_to_a_stage_that_asks():
    class Every(Asked):
        def stages_if(self):
            return True

        def if_stmt(self, cond, body, orelse, state):
            self.seen.append(cond)
            return NotImplemented

    stage = Every()
    assert autograph.convert(sign, stage=stage)(3) == 1 and stage.seen == [True]


def test_a_while_may_be_given_back_to_python():
    class Declines(Asked):
        def while_stmt(self, test, body, state):
            self.seen.append(state.names)
            return NotImplemented

    class Counted(Value):
        def __init__(self, n):
            self.n = n

        def __bool__(self):
            return self.n > 0

    def down(n):
        while Counted(n):
            n -= 1
        return n

    stage = Declines()
    assert autograph.convert(down, stage=stage)(3) == 0 and stage.seen


def test_python_formats_what_a_stage_declines():
    class Plain(Asked):
        def fstr(self, pieces):
            return NotImplemented

    class Word(Value):
        def __format__(self, spec):
            return f"<{spec}>"

    assert autograph.convert(lambda x: f"a {x:5} b", stage=Plain())(Word()) == "a <5> b"


def test_an_augmented_item_comes_with_the_function_of_operator():
    class Items(Asked):
        def aug_item(self, target, key, operator, value):
            self.seen.append(operator)
            return target

    def f(x):
        x[0] += 1
        x[0] <<= 2

    stage = Items()
    autograph.convert(f, stage=stage)(Value())
    assert stage.seen == [operator.iadd, operator.ilshift]


@pytest.mark.parametrize("f", [lambda x: (x > 3) is True, lambda x: False is (x > 3)])
def test_is_true_is_refused_by_default(f):
    with pytest.raises(autograph.StagingError, match="`is True` and `is False`"):
        autograph.convert(f, stage=Asked())(Value())


def test_a_refusal_is_not_caught_by_the_program():
    def caught(x):
        try:
            if x > 0:
                return 1
        except Exception:
            return 2

    with pytest.raises(autograph.StagingError, match="an `if` statement"):
        autograph.convert(caught, stage=Asked())(Value())


def test_the_place_of_the_program():
    class Placed(Asked):
        def if_stmt(self, cond, body, orelse, state):
            self.seen.append(self.place())

    stage = Placed()
    autograph.convert(sign, stage=stage)(Value())
    (place,) = stage.seen
    assert (place.function, place.text) == ("sign", "if x > 0:")
    assert (place.file, place.line) == (__file__, sign.__code__.co_firstlineno + 1)


def test_the_if_of_a_comprehension_is_offered_with_its_clause():
    class Keeps(Asked):
        def keeps(self, kept, clause):
            self.seen.append(clause.element(5))
            return False

    stage = Keeps()
    assert autograph.convert(lambda x: [v + 1 for v in [1] if x > v], stage=stage)(Value()) == []
    assert stage.seen == [6]


# Which code


def test_marks_hold_for_the_function_itself_and_by_name():
    class Marked(Asked):
        def binary_operator(self, function, a, b):
            self.seen.append(function.__name__)
            return NotImplemented

        def get_item(self, container, key):
            self.seen.append("item")
            return NotImplemented

    def f(x):
        return (x == 1, [x][0])

    for marks, seen in ((False, []), ({"compare"}, ["eq"]), ({"items"}, ["item"]), (True, ["eq", "item"])):
        stage = Marked()
        stage.marks = frozenset(marks) if isinstance(marks, set) else marks
        autograph.convert(f, stage=stage)(3)
        autograph.convert(lambda x: f(x), stage=stage)(3)  # and for those that it calls
        assert stage.seen == seen * 2


def helper(x):
    return 1 if x > 0 else 2


def test_packages_and_converts_say_what_is_converted():
    class Library(Terms):
        packages = ("tests",)

    class All(Asked):
        def converts(self, function):
            self.seen.append(function.__name__)
            return function is not helper

    x = Term("x")
    with pytest.raises(TypeError, match="known only when the program runs"):
        Library().convert(lambda x: helper(x))(x)
    assert isinstance(terms.convert(lambda x: helper(x))(x), Term)
    stage = All()
    assert autograph.convert(lambda x: helper(x), stage=stage)(Value()) == 1 and stage.seen == ["helper"]


def test_config_holds_from_the_next_call_on():
    call = terms.convert(lambda x: helper(x))
    x = Term("x")
    assert isinstance(call(x), Term)
    config.exclude(__name__)
    try:
        with pytest.raises(TypeError, match="known only"):
            call(x)
    finally:
        config.include(__name__)
    assert isinstance(call(x), Term)


def test_functions_that_a_library_calls():
    def fold(function, items):
        return [function(item) for item in items]

    class Folds(Terms):
        def converts(self, function):
            return function is not fold

        def passes_on(self, function):
            return function is fold

    x = Term("x")
    assert all(isinstance(value, Term) for value in Folds().convert(lambda x: fold(helper, [x, x]))(x))
    later = autograph.converted_later(helper)
    with autograph.trace_of(terms):
        assert isinstance(later(x), Term)
    assert later(3) == 1


# What a block changes


def test_lists_are_looked_into_and_packages_are_not():
    stage = Graphs()
    assert not stage.opaque([1]) and not stage.opaque(sign) and not stage.opaque(Cell(1))
    assert stage.opaque(pytest.param(1)) and stage.opaque(stage)

    class Elsewhere(Graphs):
        packages = ("tests",)

    assert Elsewhere().opaque(Cell(1))
    assert type("Fractions", (Graphs,), {"types": (Fraction, Term)})().packages == ("fractions",)


class Cell:
    """A mutable value of a library's."""

    def __init__(self, value):
        self.value = value

    def add(self, by):
        self.value = self.value + by


def test_mutable_values_of_a_library_are_watched():
    class Watches(Terms):
        packages = ("tests",)

        def watch(self, value):
            if not isinstance(value, Cell):
                return None
            return Slot(value, "value", "a cell", lambda: value.value, partial(setattr, value, "value"))

    def f(x):
        cell = Cell(0)
        if x > 0:
            cell.add(x)
        else:
            cell.add(1)
        return cell.value

    assert [run_terms(f, x, stage=Watches()) for x in (3, -3)] == [3, 1]


def test_a_store_to_a_mutable_value_is_made_on_its_path():
    class Row(Term):
        """A term of two, changed in place."""

        def __init__(self, *items):
            self.items = list(items)

        def __getitem__(self, key):
            return self.items[key]

        def __setitem__(self, key, value):
            self.items[key] = value

    stage = Terms()
    stage.types = (Term,)

    def f(x):
        row = alias = Row(0, 0)
        if x > 0:
            row[0] = x
            row[1] += 2
        else:
            alias[1] = 5
        return alias.items

    def asked(row, times):
        row[0] += 1
        times[0] += 1
        return row[0]

    def in_a_condition(x):
        row, times = Row(0), [0]
        if x > 0 and asked(row, times) > 0:
            times.reverse()
        return [*row.items, *times]

    assert [run_terms(f, x, stage=stage) for x in (3, -3)] == [[3, 2], [0, 5]]
    assert [run_terms(in_a_condition, x, stage=stage) for x in (3, -3)] == [[1, 1], [0, 0]]

    row = Row(0, 0)

    def in_a_branch(x):
        if x > 0:
            row[0] = x
            print(x)

    def in_the_other(x):
        if x > 0:
            row[0] = x
        else:
            print(x)

    def in_a_loop(x):
        n = 0
        while n < x:
            row[0] = row[0] + n
            n += 1
            if n == 3:
                print(x)

    for f in (in_a_branch, in_the_other, in_a_loop):
        with pytest.raises(autograph.StagingError, match="a call of `print` in a branch"):
            run_terms(f, 1, stage=stage)
        assert row.items == [0, 0]


def test_what_the_library_decides_is_not_traced():
    class Knows(Terms):
        def known(self, condition):
            return condition.operands[1] < 0 if condition.operands[1] != 0 else None

    def f(x):
        return [1 if x > -1 else 2, 3 if x > 1 else 4, [1] if x > 5 else {}]

    assert run_terms(f, 0, stage=Knows()) == [1, 4, {}]


def test_a_library_may_wrap_what_a_block_raises():
    def wrapped(method):
        def run(self, *arguments):
            try:
                return method(self, *arguments)
            except BaseException as error:
                raise RuntimeError("encountered an exception") from error

        return run

    class Wraps(Graphs):
        cond, while_loop = wrapped(Graphs.cond), wrapped(Graphs.while_loop)

    def f(n):
        steps = 0
        while n > 1:
            if steps > 5:
                return -1
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    def refused(x):
        y = 1
        while x > 0:
            x, y = x - 1, "text"
        return y

    assert [run_graphs(f, n, stage=Wraps()) for n in (8, 27)] == [3, -1]
    with pytest.raises(autograph.StagingError, match="`y`, which is a number on one path and a str"):
        run_graphs(refused, 1, stage=Wraps())


def test_a_raise_ends_a_path():
    class Ends(Terms):
        def __init__(self):
            self.raises = []

        def raised(self, exception, cause):
            self.raises.append((exception, cause, self.path()))
            from autograph.stages.select import Dead

            raise Dead

    def withdraw(balance, amount):
        for _ in range(2):
            if amount > balance:
                raise ValueError("not enough")
            balance = balance - amount
        return balance

    stage = Ends()
    assert run_terms(withdraw, 10, 4, stage=stage) == 2
    assert len(stage.raises) == 2 and stage.raises[0][1] is NOTHING
    assert [path.value({"x0": 10, "x1": 8}) for _, _, path in stage.raises] == [False, True]


def test_registered_without_an_entry_a_stage_has_its_branches():
    stage = SelectStage.__new__(Terms)
    with registered(stage):
        made = autograph.convert(sign)(Term("x"))
    assert [made.value({"x": x}) for x in (2, -2)] == [1, -1]


def test_the_text_of_a_value_is_its_own():
    class Shown(Value):
        def __repr__(self):
            return "<a and b>c>"

    with pytest.raises(autograph.StagingError) as error:
        autograph.convert(sign, stage=Asked())(Shown())
    assert error.value.where == "`x` is a and b>c"


def test_heap_names_variables():
    count = 0

    def bump():
        nonlocal count
        count += 1

    heap = Heap([bump])
    bump()
    assert [slot.name for slot in heap.changes()] == ["count"]
    assert Contents((), ()).values == () and graphs.name == "graphs"
