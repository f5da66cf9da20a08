"""``input_signature``, ``TensorSpec`` and how arguments are bound."""

import re
from typing import NamedTuple

import numpy as np
import pytest

import runtime as rt
from autograph import ArgumentError
from runtime.binding import Binder

F8 = rt.TensorSpec([None], "float64")


def said(call):
    with pytest.raises(TypeError) as caught:
        call()
    return str(caught.value).splitlines()[0].partition(": ")[2].partition(" (defined at ")[0]


def test_one_trace_for_all_that_fit():
    f = rt.function(lambda x: x.sum(), input_signature=[F8])
    assert [f(np.ones(n)) for n in range(4)] == [0.0, 1.0, 2.0, 3.0]
    assert f.trace_count == 1


def test_structures_and_numbers():
    signature = [(F8, {"scale": float}), [int, rt.TensorSpec([2], "i4")]]

    @rt.function(input_signature=signature)
    def f(pair, more):
        return pair[0] * pair[1]["scale"] + more[0] * more[1].sum()

    assert f((np.ones(3), {"scale": 2.0}), [3, np.ones(2, "i4")]).tolist() == [8.0, 8.0, 8.0]
    assert f((np.ones(2), {"scale": 1.0}), [1, np.ones(2, "i4")]).tolist() == [3.0, 3.0]
    assert f.trace_count == 1
    ints = np.ones(2, "i4")
    fits = "which does not fit its input_signature"
    assert said(lambda: f((np.ones(3), {"scale": 2}), [3, ints])) == (
        f"argument `pair[1]['scale']` of f() is int, {fits} float"
    )
    assert said(lambda: f((np.ones(3), {"size": 2.0}), [3, ints])) == (
        f"argument `pair[1]` of f() is {{'size': float}}, {fits} {{'scale': float}}"
    )
    assert said(lambda: f((np.ones(3), {"scale": 2.0}), [3, np.ones(3, "i4")])) == (
        f"argument `more[1]` of f() is i32[3], {fits} i32[2]"
    )
    assert said(lambda: f(np.ones(3), [3, ints])) == (
        f"argument `pair` of f() is f64[3], {fits} (f64[None], {{'scale': float}})"
    )


@pytest.mark.parametrize(
    "given, described",
    [
        (np.ones(3, "f4"), "f32[3]"),
        (np.ones((2, 2)), "f64[2,2]"),
        ([1.0, 2.0], "[float, float]"),
        (2.5, "float"),
        (np.float64(1), "f64"),
        (None, "None"),
        ("abc", "'abc'"),
    ],
)
def test_what_does_not_fit_is_named(given, described):
    f = rt.function(lambda x: x, input_signature=[F8])
    assert said(lambda: f(given)) == (
        f"argument `x` of <lambda>() is {described}, which does not fit its input_signature f64[None]"
    )


NUMBERS = [
    2.5,
    np.float64(2.5),
    3,
    np.int64(3),
    np.float32(2.5),
    np.uint8(3),
    True,
    np.True_,
    2j,
    np.complex64(2j),
]


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool", "complex128"])
def test_a_number_is_an_array_of_no_dimensions_of_its_dtype(engine, dtype, tmp_path):
    """Also in a tuple, where the plain function runs beside, in a trace and in a loaded function."""
    spec = rt.TensorSpec([], dtype)
    plain = lambda n, rest: n * rest[0] * 2
    f = rt.function(plain, engine=engine, check="always", input_signature=[spec, (spec,)])
    rt.save(tmp_path / "f", f)
    ways = [f, rt.load(tmp_path / "f")] + [f.get_concrete_function()] * (dtype != "bool")
    for given in NUMBERS:
        array = np.asarray(given)
        for call in ways:
            if array.dtype == dtype:
                for _ in range(2):
                    result = call(given, (given,))
                    assert result == plain(array, (array,)) and result.dtype == plain(array, (array,)).dtype
                    assert call(array, (array,)) == result
            else:
                with pytest.raises(ArgumentError, match="is called with|does not fit"):
                    call(given, (given,))
    assert f.trace_count == 1


def test_numbers_are_numbers_where_a_saved_signature_is_for_numbers(tmp_path):
    f = rt.function(lambda x: x * 2)
    f(np.array(1.0)), f(1.0)
    rt.save(tmp_path / "f", f)
    loaded = rt.load(tmp_path / "f")
    assert [type(loaded(x)) for x in (np.array(2.0), 2.0, np.float64(2.0), 2.0)] == (
        [np.float64, float, np.float64, float]
    )


class Scaled(rt.Module):
    by = 2.0

    def __init__(self):
        self.w = rt.Variable(np.arange(2.0))

    @rt.function(input_signature=[F8])
    def weighted(self, x):
        return x * self.w

    @staticmethod
    @rt.function(input_signature=[F8])
    def inner_static(x):
        return x + 1

    @rt.function(input_signature=[F8])
    @staticmethod
    def outer_static(x):
        return x + 2

    @classmethod
    @rt.function(input_signature=[F8])
    def inner_class(cls, x):
        return x * cls.by

    @rt.function(input_signature=[F8])
    @classmethod
    def outer_class(cls, x):
        return x - cls.by


class Scaled3(Scaled):
    by = 3.0


class Pair(NamedTuple):
    by: float

    @rt.function(input_signature=[F8])
    def scaled(self, x):
        return x * self.by


def test_the_first_argument_of_a_method_has_no_spec(tmp_path):
    """Of each kind of method, before and after it was saved; other objects and classes are told apart."""
    x = np.array([3.0, 5.0])
    names = ["weighted", "inner_static", "outer_static", "inner_class", "outer_class"]
    for owner in (Scaled(), Scaled3(), Scaled()):
        by = owner.by
        wanted = [[0.0, 5.0], [4.0, 6.0], [5.0, 7.0], [3 * by, 5 * by], [3 - by, 5 - by]]
        rt.save(tmp_path / "before", owner)
        assert [getattr(owner, name)(x).tolist() for name in names] == wanted
        rt.save(tmp_path / "after", owner)
        for saved in ("before", "after"):
            assert [getattr(rt.load(tmp_path / saved), name)(x).tolist() for name in names] == wanted
    assert Scaled.weighted(owner, x).tolist() == owner.weighted(x).tolist()
    assert str(Scaled.weighted.get_concrete_function(owner).graph.params[0].type) == "f64[None]"
    assert [Pair(2.0).scaled(x).tolist(), Pair(4.0).scaled(x).tolist()] == [[6.0, 10.0], [12.0, 20.0]]


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_a_subclass_of_an_array_is_another(engine):
    """It may have another `*`."""
    squared = rt.function(lambda x: x * x, engine=engine, input_signature=[rt.TensorSpec([2, 2], "float64")])
    with pytest.raises(ArgumentError, match="MaskedArray"):
        squared(np.ma.array(np.ones((2, 2))))


def test_the_error_says_where_the_function_is_and_shows_the_call():
    def f(x):
        return x

    decorated = rt.function(f, input_signature=[F8])
    with pytest.raises(TypeError) as caught:
        decorated(np.ones(3, "f4"))
    text = str(caught.value)
    assert f"(defined at {__file__}:{f.__code__.co_firstlineno})" in text
    assert "decorated(np.ones(3, " in text
    assert "hint: pass x.astype('float64')" in text


def test_names_in_the_signature():
    f = rt.function(lambda x: x, input_signature=[rt.TensorSpec([2], "float64", name="weights")])
    assert "argument `x` (weights in the input_signature) of" in said(lambda: f(np.ones(3)))
    assert "weights: f64[2]" in str(f.get_concrete_function().graph)


def test_how_many_arguments():
    f = rt.function(lambda x, y: x, input_signature=[F8])
    assert said(lambda: f(np.ones(1), np.ones(1))) == (
        "<lambda>() has an input_signature of 1 argument, 2 given"
    )


def test_keyword_arguments_are_bound_to_their_positions():
    f = rt.function(lambda x, y: x - y, input_signature=[F8, F8])
    assert f(y=np.ones(2), x=np.zeros(2)).tolist() == [-1.0, -1.0]


def test_what_is_no_signature():
    assert said(lambda: rt.function(input_signature=["f64"])(lambda x: x)) == (
        "input_signature holds 'f64', which is no TensorSpec"
    )
    assert said(lambda: rt.function(input_signature=F8)(lambda x: x)).endswith("not a list")


# -- binding -------------------------------------------------------------------------------------------


def everything(a, /, b, c=3, *rest, d, e=5, **others):
    return a, b, c, rest, d, e, others


CALLS = [
    ((1, 2), {"d": 4}),
    ((1, 2, 30, 40, 50), {"d": 4, "e": 50, "f": 6}),
    ((1,), {"b": 2, "d": 4, "a": 7}),
    ((1,), {"b": 2, "d": 4}),
]


@pytest.mark.parametrize("args, kwargs", CALLS)
def test_arguments_are_bound_as_python_binds_them(args, kwargs):
    bound, named = Binder(everything).bind(args, kwargs)
    assert everything(*bound, **named) == everything(*args, **kwargs)


@pytest.mark.parametrize(
    "args, kwargs",
    [((), {}), ((1,), {}), ((1, 2), {}), ((1, 2), {"d": 4, "b": 2}), ((), {"a": 1, "b": 2, "d": 4})],
)
def test_a_wrong_call_gets_pythons_own_words(args, kwargs):
    with pytest.raises(TypeError) as plain:
        everything(*args, **kwargs)
    with pytest.raises(TypeError) as bound:
        Binder(everything).bind(args, kwargs)
    assert str(bound.value) == str(plain.value)


class Model:
    def run(self, x, scale=2.0):
        return x * scale

    def __call__(self, x, shift=1.0):
        return x + shift


@pytest.mark.parametrize("callee", [Model().run, Model()])
def test_methods_and_callable_objects_in_pythons_words(callee):
    decorated = rt.function(callee)
    assert decorated(3.0) == callee(3.0)
    assert decorated(3.0, 5.0) == callee(3.0, 5.0)
    with pytest.raises(TypeError) as plain:
        callee()
    with pytest.raises(TypeError) as wrong:
        decorated()
    assert str(wrong.value) == str(plain.value)


def test_defaults_are_read_at_each_call():
    def f(x, k=2.0, *, m=1.0):
        return x * k + m

    decorated = rt.function(f)
    assert decorated(1.0) == 3.0
    f.__defaults__ = (5.0,)
    assert decorated(1.0) == 6.0
    f.__kwdefaults__["m"] = 7.0
    assert decorated(1.0) == 12.0
    f.__defaults__ = None
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'k'"):
        decorated(1.0)


def test_decorated_methods_bind_their_object():
    class Scaled:
        def __init__(self, scale):
            self.scale = scale

        @rt.function
        def run(self, x):
            return x * self.scale

    two, three = Scaled(2.0), Scaled(3.0)
    assert [two.run(1.0), three.run(1.0), two.run(2.0)] == [2.0, 3.0, 4.0]
    two.scale = 10.0
    assert two.run(1.0) == 10.0
    assert two.run.trace_count == Scaled.run.trace_count


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((np.zeros(3), 1.0), "is called with f64[3] for `x`"),
        ((np.zeros(2, "int32"), 1.0), "is called with i32[2] for `x`"),
        ((3, 1.0), "is called with int for `x`"),
        ((np.zeros(2), 1), "is called with int for `y`"),
        ((np.zeros(2),), "is called with too few arguments"),
    ],
)
def test_a_concrete_function_checks_what_it_is_called_with(engine, arguments, words):
    def add(x, y):
        return x + y

    concrete = rt.function(add, engine=engine).get_concrete_function(np.zeros(2), 1.0)
    assert concrete(np.ones(2), 2.0).tolist() == [3.0, 3.0]
    with pytest.raises(ArgumentError) as refused:
        concrete(*arguments)
    assert words in refused.value.message and refused.value.file == __file__


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_a_traceback_shows_the_users_lines_at_every_call(engine):
    import traceback

    @rt.function(engine=engine)
    def f(x):
        if x[0] > 0:
            raise ValueError("positive")
        return x

    for _ in range(4):
        with pytest.raises(ValueError) as caught:
            f(np.ones(2))
        names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
        names = [name for name in names if name != "__call__"]  # which machine code does not go through
        assert names == ["test_a_traceback_shows_the_users_lines_at_every_call", "f"]


@pytest.mark.parametrize(
    ("traced", "called", "message"),
    [
        (True, False, "is called with False for `k`"),
        (True, 2, "is called with int for `k`"),
        ("a", "b", "is called with 'b' for `k`"),
        (None, "a", "is called with 'a' for `k`"),
        (np.sin, np.cos, "for `k`"),
        ((1.0, "a"), (1.0, "b"), "for `k`"),
    ],
)
def test_a_concrete_function_is_for_the_constants_that_it_was_traced_with(traced, called, message):
    @rt.function
    def f(x, k):
        return x

    concrete = f.get_concrete_function(np.zeros(2), traced)
    assert concrete(np.ones(2), traced).tolist() == [1, 1]
    with pytest.raises(ArgumentError, match=re.escape(message)):
        concrete(np.ones(2), called)
    with pytest.raises(ArgumentError, match="too few arguments"):
        concrete(np.ones(2))


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_a_bool_by_an_input_signature(engine):
    @rt.function(input_signature=[bool, {"on": bool}], engine=engine)
    def f(one, other):
        return 1 if one and not other["on"] else 2

    assert [f(a, {"on": b}) for a in (True, False) for b in (True, False)] == [2, 1, 2, 2]
    assert f.trace_count == 1


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_an_int_past_64_bits_does_not_fit_an_input_signature(engine):
    f = rt.function(lambda n: n + 1, input_signature=[int], engine=engine)
    assert f(2**62) == 2**62 + 1
    with pytest.raises(OverflowError):
        f(2**63)
