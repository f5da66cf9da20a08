"""When there is a new trace, when there is none, and what is said when there are many."""

import warnings

import numpy as np
import pytest

import runtime as rt

X = np.array([1.0, -2.0, 3.0])


def warned(calls):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        calls()
    return [w for w in caught if issubclass(w.category, rt.RetracingWarning)]


def test_numbers_are_staged_from_the_start():
    f = rt.function(lambda x, n, a: x[: n + 1] * a)
    for n in range(3):
        for a in (1.0, 2.5):
            assert f(X, n, a).tolist() == (X[: n + 1] * a).tolist()
    assert f.trace_count == 1


def test_a_captured_number_is_staged_from_its_third_value_on():
    rate = 0.0
    f = rt.function(lambda x: x * rate)
    for rate in (1.0, 2.0, 3.0, 4.0, 5.0):
        assert f(X).tolist() == (X * rate).tolist()
    assert f.trace_count == 3


def test_a_captured_number_that_must_be_a_constant_stays_one():
    axis = 0
    f = rt.function(lambda x: x.sum(axis=axis))
    cube = np.arange(8.0).reshape(2, 2, 2)
    for axis in (0, 1, 2, 0, -1, -2, -3):
        assert f(cube).tolist() == cube.sum(axis=axis).tolist()
    assert f.trace_count == 6  # 0 is known the second time


def test_one_number_must_be_a_constant_the_other_is_staged_when_it_keeps_changing():
    f = rt.function(lambda x, axis, scale: x.sum(axis=axis) * scale)
    square = np.ones((2, 2))
    for scale in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0):
        assert f(square, 0, scale).tolist() == [2 * scale, 2 * scale]
    assert f.trace_count == 3
    assert f(square, 1, 7.0).tolist() == [14.0, 14.0]
    assert f(square, 1, 8.0).tolist() == [16.0, 16.0]
    assert f.trace_count == 4


def test_many_constants_are_warned_of_once_with_their_values():
    f = rt.function(lambda x, axis: x.sum(axis=axis))
    x = np.ones((1,) * 12)

    def calls():
        for axis in range(12):
            f(x, axis)

    (warning,) = warned(calls)
    text = str(warning.message)
    assert text.startswith(
        "<lambda>() has been traced 8 times, because `axis` keeps changing: 0, 1, 2, 3, 4, 5, 6, 7."
    )
    assert "`axis` is known only at run time, but the shape or type of the result hangs on it" in text
    assert warning.filename == __file__
    assert warning.lineno == calls.__code__.co_firstlineno + 2


def test_many_shapes_are_warned_of():
    f = rt.function(lambda x: x * 2)
    (warning,) = warned(lambda: [f(np.ones(n)) for n in range(1, 12)])
    assert "because `x` keeps changing: f64[1], f64[2], f64[3]" in str(warning.message)
    assert "@rt.function(reduce_retracing=True)" in str(warning.message)


def test_a_set_outside_that_grows_is_an_input():
    items = {1.0}
    f = rt.function(lambda x: x * len(items))
    for _ in range(12):
        assert f(X)[0] == len(items)
        items.add(float(len(items)) + 1.0)
    assert f.trace_count == 1


def test_a_tuple_outside_that_keeps_changing_is_warned_of():
    sizes = ()

    def f(x):
        return x * len(sizes)

    decorated = rt.function(f)

    def calls():
        nonlocal sizes
        for size in range(12):
            assert decorated(X)[0] == len(sizes)
            sizes = (*sizes, size)

    (warning,) = warned(calls)
    assert "because `sizes` keeps changing: a tuple of 0, a tuple of 1" in str(warning.message)
    assert "It is read from outside and is a constant of each trace" in str(warning.message)


def test_arguments_of_many_kinds_are_no_reason_either():
    f = rt.function(lambda x: x * 2)
    kinds = [np.ones(2, dtype) for dtype in ("f8", "f4", "i8", "i4", "i2", "u1")]
    assert warned(lambda: [f(x) for x in [*kinds, 2, 2.5, np.float32(1), np.ones((2, 2))]]) == []


def test_reduce_retracing_leaves_open_what_changes():
    f = rt.function(lambda x, y: (x * 2).sum() + y.sum(), reduce_retracing=True)
    for n in range(1, 9):
        assert f(np.ones((n, 3)), np.ones(4)) == 6 * n + 4
    assert f.trace_count == 3
    assert f.pretty_printed_concrete_signatures().splitlines()[2] == "<lambda>(x: f64[None,3], y: f64[4])"


def test_reduce_retracing_opens_what_changes_later():
    f = rt.function(lambda x: x.sum(), reduce_retracing=True)
    for shape in [(1, 3), (2, 3), (3, 3), (4, 3), (4, 5), (5, 6), (7, 8)]:
        assert f(np.ones(shape)) == shape[0] * shape[1]
    assert f.trace_count == 4
    assert f.concrete_functions[-1].signature == "<lambda>(x: f64[None,None])"


def test_reduce_retracing_where_a_length_must_be_known():
    @rt.function(reduce_retracing=True)
    def f(x):
        names = ["n"] * len(x)
        return x * len("".join(names))

    for n in range(1, 6):
        assert f(np.ones(n)).tolist() == [float(n)] * n


def test_the_concrete_function_asked_for_is_the_one_that_runs():
    rate = 2.0
    f = rt.function(lambda x: x * rate)
    f(X)
    rate = 3.0
    assert f.get_concrete_function(X)(X).tolist() == (X * 3).tolist()


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_calls_of_many_kinds_take_turns(engine):
    f = rt.function(lambda x, k=2: x * k, engine=engine)
    values = [X, X[:2], 3, 2.5, np.float32(2), np.ones((2, 2), "i4"), True, [1, 2]]
    for _ in range(3):
        for value in values:
            expected = f.python_function(value)
            got = f(value)
            assert type(got) is type(expected)
            assert np.array_equal(got, expected)
    assert f.trace_count == len(values)


def test_long_values_are_shortened_and_the_place_of_the_change_is_named():
    f = rt.function(lambda items, text: items[0] * len(text))

    def calls():
        for n in range(9):
            f([1.0] * n + [3] + [1.0] * (31 - n), "a" * 200)

    (warning,) = warned(calls)
    assert len(str(warning.message)) < 800
    assert "because `items` keeps changing: [int, float, float," in str(warning.message)
    assert "at the last call `items[6]` was int, is float" in str(warning.message)
    assert len(repr(f.concrete_functions[0])) < 200 and len(repr(f.concrete_functions[0].graph)) < 600
    assert max(map(len, f.pretty_printed_concrete_signatures().splitlines())) < 200

    g = rt.function(lambda x, text: x * len(text))
    (warning,) = warned(lambda: [g(X, "a" * 190 + "b" * n) for n in range(9)])
    assert len(str(warning.message)) < 1200
    assert "(from character 196 on)" in str(warning.message)


def test_what_a_new_signature_differs_in_is_told():
    f = rt.function(lambda x, *rest, **table: x * 2)
    for args, table in [
        ((X,), {}), ((X[:2],), {}), ((X[:2], (1, 2.0)), {}), ((X[:2], (1, 2)), {}), ((1.0, (1, 2)), {}),
        ((1.0, (1, 2)), {"a": {"b": 1}}), ((1.0, (1, 2)), {"a": {"c": 1}}),
        ((1.0, (1, 2)), {"a": {"c": None}}),
    ]:  # fmt: skip
        f(*args, **table)
    assert [trace.reason for trace in f.concrete_functions] == [
        "the first call",
        "a new signature: `x` was f64[3], is f64[2]",
        "a new signature",
        "a new signature: `rest[0][1]` was float, is int",
        "a new signature: `x` was f64[2], is float",
        "a new signature",
        "a new signature: `a` has another key, 'c'",
        "a new signature: `a['c']` was int, is None",
    ]


def test_the_traces_that_were_used_least_recently_go():
    f = rt.function(lambda x, mode: x * 2 if mode == "double" else x, max_traces=6)

    def calls(*lengths):
        for n in lengths:
            assert f(np.ones(n), "double").tolist() == [2.0] * n
        return f.trace_count, [trace.signature.split("]")[0][-1] for trace in f.concrete_functions]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rt.RetracingWarning)
        assert calls(1, 2, 3, 4, 5, 6) == (6, ["1", "2", "3", "4", "5", "6"])
        assert calls(2, 1, 7) == (7, ["1", "2", "4", "5", "6", "7"])
        assert calls(2, 8, 5) == (8, ["1", "2", "5", "6", "7", "8"])
        for n in range(9, 40):
            calls(n, 5, 5)  # by the short way
            assert f.trace_count == n
        assert len(f.concrete_functions) == len(f._traces) == 6
        assert calls(5)[0] == 39


def test_what_a_forgotten_trace_held_is_let_go():
    import gc
    import weakref

    class Model:
        scale = 2.0

    f = rt.function(lambda x, model: x * model.scale, max_traces=2)
    first = f.get_concrete_function(np.ones(1), Model())
    gone = weakref.ref(first)
    del first
    with pytest.warns(rt.RetracingWarning, match="traced 3 times, because `x` keeps changing"):
        for n in range(1, 8):
            assert f(np.ones(n), Model()).sum() == 2 * n
    gc.collect()
    assert gone() is None


def test_open_lengths_are_one_trace_of_the_bound():
    f = rt.function(lambda x: x * 2, reduce_retracing=True, max_traces=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rt.RetracingWarning)
        for n in range(1, 20):
            assert f(np.ones(n)).tolist() == [2.0] * n
    assert (f.trace_count, len(f.concrete_functions)) == (3, 2)


def test_a_bound_that_is_none():
    for wrong in (0, -1, 2.5, True, "many"):
        with pytest.raises(ValueError, match="max_traces"):
            rt.function(lambda x: x, max_traces=wrong)
    assert rt.function(lambda x: x).max_traces == 128
    f = rt.function(lambda x: x, max_traces=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rt.RetracingWarning)
        for n in range(1, 140):
            f.get_concrete_function(np.ones(n))
    assert len(f.concrete_functions) == 139
