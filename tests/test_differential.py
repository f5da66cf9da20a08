"""The harness notices every way in which a decorated program can differ."""

import warnings

import numpy as np
import pytest

from autograph.errors import StagingError
from tests.differential import (
    Call,
    CallOf,
    Difference,
    Refused,
    check,
    check_maker,
    check_scenario,
    run_plain,
)
from tests.observation import Observer, first_difference

X = np.array([1.0, -2.0, 3.0])


def replaced_by(other):
    """A decorator that runs `other` instead."""
    return lambda f: other


def differs(f, other, *calls, words):
    with pytest.raises(Difference, match=words):
        check(f, *calls, engines=[replaced_by(other)])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (2.0, "expected int 2, got float 2.0"),
        (np.int64(2), "expected int 2, got NumPy scalar int64"),
        (True, "expected int 2, got bool True"),
        (None, "expected int 2, got None"),
        (np.array(2), "expected int 2, got array"),
    ],
)
def test_values_and_types(value, words):
    differs(lambda: 2, lambda: value, (), words=words)


def test_a_zero_dimensional_array_is_no_scalar():
    differs(lambda: np.float64(2), lambda: np.array(2.0), (), words="expected NumPy scalar float64")


def test_dtype_shape_items_and_the_sign_of_zero():
    differs(lambda: X, lambda: X.astype("f4"), (), words="<f8.*<f4")
    differs(lambda: X, lambda: X[:2], (), words=r"\[3\].*\[2\]")
    differs(lambda: X, lambda: X + [0, 0, 1], (), words=r"\[2\]: expected np.float64\(3.0\)")
    differs(lambda: 0.0, lambda: -0.0, (), words="expected float 0.0, got float -0.0")


def test_nan_equals_nan():
    assert check(lambda: float("nan"), (), engines=[replaced_by(lambda: float("nan"))])


def test_structures():
    differs(lambda: {"a": 1, "b": 2}, lambda: {"b": 2, "a": 1}, (), words="parts")
    differs(lambda: [1, (2, 3)], lambda: [1, (2, 4)], (), words=r"\[1\]\[1\]: expected int 3, got int 4")
    differs(lambda: [1], lambda: (1,), (), words="expected list of 1, got tuple of 1")


def test_aliases():
    def same(x):
        y = [x[0]]
        return y, y

    def equal(x):
        return [x[0]], [x[0]]

    differs(same, equal, (X,), words="the object seen as number")
    differs(lambda x: x, lambda x: x.copy(), (X,), words="memory shared with arrays")
    differs(lambda x: x[1:] * 1, lambda x: x[1:], (X,), words="memory shared with arrays")


def test_printed_lines():
    differs(lambda: print("a"), lambda: print("b"), (), words="printed: expected\n    a\ngot\n    b")
    differs(lambda: print("a"), lambda: None, (), words=r"\(nothing\)")


def test_warnings():
    differs(lambda: warnings.warn("odd"), lambda: None, (), words="warnings: expected .*odd")


def test_exceptions_by_type_message_attributes_and_line():
    def fails(kind, message):
        raise kind(message)

    def fails_later(kind, message):
        pass
        raise kind(message)

    differs(fails, lambda kind, message: None, (ValueError, "m"), words="expected raised ValueError")
    differs(fails, lambda kind, message: fails(TypeError, message), (ValueError, "m"), words="got TypeError")
    differs(fails, lambda kind, message: fails(kind, "n"), (ValueError, "m"), words="ValueError: n")
    differs(fails, fails_later, (ValueError, "m"), words="exception's line")


def test_mutated_arguments():
    def writes(x):
        x[0] = 5

    differs(writes, lambda x: None, (X,), words=r"\['arguments'\]\[0\]\[0\]: expected np.float64\(5.0\)")


count = 0


def test_changed_globals_and_cells():
    def counts():
        global count
        count += 1

    differs(counts, lambda: None, (), words=r"global count'\]: expected int 1, got int 0")
    assert count == 0
    seen = []
    differs(lambda: seen.append(1), lambda: None, (), words=r"seen'\]")
    assert seen == []


class Counter:
    def __init__(self):
        self.n = 0

    def step(self):
        self.n += 1
        return self.n


BASE = np.arange(6.0)
KEPT = {"view": BASE[1:4], "back": BASE[::-2], "fixed": np.arange(3.0)}
KEPT["fixed"].flags.writeable = False


def test_captured_arrays_share_memory_and_stay_read_only():
    def store(k):
        KEPT["view"][k] = 7.0
        KEPT["back"][k] = 8.0
        return BASE.copy()

    def store_in_fixed(k):
        KEPT["fixed"][k] = 7.0

    plain = run_plain(lambda decorate: decorate(store), [Call(1), Call(0)])
    assert [outcome.value.tolist() for outcome in plain] == [[0, 1, 7, 8, 4, 5], [0, 7, 7, 8, 4, 8]]
    (refused,) = run_plain(lambda decorate: decorate(store_in_fixed), [Call(1)])
    assert str(refused.exception) == "assignment destination is read-only"
    check(store, (1,), (0,))
    check(store_in_fixed, (1,))


def test_arrays_of_other_classes_are_compared_by_their_items():
    matrix = np.array([[1, 2]]).view(np.matrix)
    masked = np.ma.array([1, 2], mask=[False, True])
    see = lambda *values: Observer().see(list(values))
    assert first_difference(see(matrix, masked), see(matrix.copy(), masked.copy())) is None
    assert "[0, 1]: expected np.int64(2)" in first_difference(see(matrix), see(matrix + [0, 1]))
    unmasked = np.ma.array([1, 2], mask=[False, False])
    assert "[0].mask[1]: expected np.True_" in first_difference(see(masked), see(unmasked))


def test_changed_objects():
    counter = Counter()
    assert check(counter.step, (), (), engines=[lambda f: f])
    differs(counter.step, lambda: 1, (), words=r"\['self'\]\[0\].n: expected int 1, got int 0")
    assert counter.n == 0


def test_the_later_call_that_differs_is_named():
    def f(n):
        return n * 2

    with pytest.raises(Difference, match=r"(?s)return n \* 2.*call 1: Call\(3\)"):
        check(f, (2,), (3,), engines=[replaced_by(lambda n: n + 2)])


def test_overlapping_arguments_are_made_anew():
    def shift(x, y):
        x[:] = y * 2

    def overlapping():
        base = np.arange(4.0)
        return base[1:], base[:-1]

    assert check(shift, CallOf(overlapping), engines=[lambda f: f])
    differs(shift, lambda x, y: shift(x, y.copy()) or x.fill(9), CallOf(overlapping), words="arguments")


def refuse(**about):
    def refused(*args):
        raise StagingError("not yet", **about)

    return replaced_by(refused)


def test_refusals():
    good = {"file": __file__, "line": 3, "hint": "write something else"}
    with pytest.raises(Refused, match="not yet"):
        check(lambda x: x, (X,), engines=[refuse(**good)])
    assert not check(lambda x: x, (X,), engines=[refuse(**good)], may_refuse=True)
    for lacking, words in [("file", "the user's file"), ("line", "a line"), ("hint", "a hint")]:
        with pytest.raises(Difference, match=f"a refusal without {words}"):
            check(lambda x: x, (X,), engines=[refuse(**{**good, lacking: None})], may_refuse=True)


def test_a_refused_call_has_no_effect():
    def refused(x):
        x[0] = 7
        raise StagingError("too late", file=__file__, line=1, hint="h")

    with pytest.raises(Difference, match="a refused call had an effect"):
        check(lambda x: x, (X,), engines=[replaced_by(refused)], may_refuse=True)


def test_scenarios_and_makers():
    def scenario(function):
        scale = 2
        f = function(lambda x: x * scale)
        first = f(3)
        scale = 5
        return first, f(3)

    def stale(f):
        return lambda x: x * 2

    assert check_scenario(scenario, engines=[lambda f: f])
    with pytest.raises(Difference, match=r"\['result'\]\[1\]: expected int 15, got int 6"):
        check_scenario(scenario, engines=[stale])
    assert check_maker(lambda function: function(lambda *, k: k), Call(k=1), engines=[lambda f: f])
