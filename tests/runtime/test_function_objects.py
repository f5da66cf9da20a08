"""A decorated function as an object: its parts, attributes, copies and pickles are those of a function."""

import copy
import functools
import inspect
import pickle
import weakref

import pytest

import runtime as rt
from tests.differential import Call, check, check_scenario


def parts(function):
    @function
    def f(a, /, b: int = 2, *args: float, c=3, **kw) -> str:
        """What it says."""
        return a + b + c

    text = str(inspect.signature(f)), inspect.getdoc(f), inspect.getfullargspec(f).args
    names = f.__name__, f.__qualname__, f.__module__, f.__doc__, f.__annotations__
    code = f.__code__.co_varnames, f.__closure__, f.__globals__ is globals()
    return f(1), text, names, code, f.__defaults__, f.__kwdefaults__, inspect.unwrap(f).__name__


def counted(f):
    @functools.wraps(f)
    def wrapper(x):
        wrapper.calls += 1
        if x > 0:
            wrapper.sum += x
        return f(x) + wrapper.calls

    wrapper.calls = wrapper.sum = 0
    wrapper.reset = lambda: setattr(wrapper, "calls", 0)
    return wrapper


def attributes_by_two_names_in_a_trace(function):
    @function
    @counted
    def f(x):
        return x * 2

    @function
    def g(x):
        f.calls += x
        f.tag = "u" if x > 0 else "v"
        return f(x) + f.calls

    seen = [g(1), f.calls, f.tag, g(-1), f.calls]
    f.calls = 3
    return [*seen, g(-1), f.tag, f.calls, f(1), f.calls]


def attributes_of_a_method(function):
    class A:
        @function
        def m(self, x):
            A.m.calls += 1
            return x * A.m.calls if x > 0 else 0

        @staticmethod
        @function
        def s(x):
            A.s.last = getattr(A.s, "last", 0) + x
            return A.s.last

        @function
        def both(self, x):
            return self.m(x) + A.m.calls + self.s(x)

    A.m.calls = 0
    a = A()
    seen = [a.m(1), a.m(2), A.m.calls, a.both(-1), a.both(3), A.m.calls, A.s(4), A.s.last]
    A.m.calls = 10
    return [*seen, a.m(1), a.both(1), a.m.calls]


def wrapped_by_the_user(function):
    @function
    def f(x):
        return x * 2 if x > 0 else x

    f.tag = "t"

    @functools.wraps(f)
    def w(x):
        return f(x) + 1

    functools.update_wrapper(f, w)
    return w(1), w(-1), sorted(vars(w)), w.tag, w.__name__


def copies_and_keys(function):
    @function
    def f(x):
        return x + 1

    known = {f: 1}
    known[f] += 1
    same = copy.copy(f) is f, copy.deepcopy([f])[0] is f, weakref.ref(f)() is f
    try:
        pickle.dumps(f)
    except Exception as error:
        return known[f], same, f(1), type(error)


class Model:
    def __init__(self, function, k):
        self.k = k
        self.step = function(self.advance)

    def advance(self, x):
        self.k += 1
        return x * self.k if x > 0 else self.k


def copies_of_an_object_that_holds_a_method(function):
    model = Model(function, 2)
    seen = [model.step(3)]
    deep, pickled, shallow = copy.deepcopy(model), pickle.loads(pickle.dumps(model)), copy.copy(model)
    seen += [deep.step(1), deep.k, pickled.step(1), pickled.k, model.k]
    return [*seen, shallow.step(1), shallow.k, copy.copy(model.step)(1), model.k]


@pytest.mark.parametrize(
    "scenario",
    [
        parts,
        attributes_by_two_names_in_a_trace,
        attributes_of_a_method,
        wrapped_by_the_user,
        copies_and_keys,
        copies_of_an_object_that_holds_a_method,
    ],
    ids=lambda scenario: scenario.__name__,
)
def test_a_decorated_function_is_the_object_that_the_function_is(scenario):
    check_scenario(scenario)


@rt.function
def of_the_module(x):
    return x + 1 if x > 0 else 0


def undecorated(x):
    return x + 2 if x > 0 else 0


def test_a_function_of_a_module_is_pickled_by_name():
    assert pickle.loads(pickle.dumps(of_the_module)) is of_the_module
    found = pickle.loads(pickle.dumps(rt.function(undecorated, engine="numpy", name="other")))
    assert (found(1), found.engine, found.name) == (3, "numpy", "other")


def test_classes_of_functions_keep_their_own_name_and_text():
    kind = type(of_the_module)
    assert (kind.__name__, kind.__qualname__, kind.__module__) == (
        "Function",
        "Function",
        kind.__init__.__module__,
    )
    assert kind.__doc__.startswith("A polymorphic function")


def test_a_function_object_is_passed_to_a_trace():
    def shift(x):
        return x + shift.by

    shift.by = 1

    def apply(f, x):
        return f(x) + f.by if x > 0 else f.by

    check(apply, Call(shift, 1), Call(shift, -1))
    check(lambda x: apply(rt.function(shift), x), Call(1), Call(-1), may_refuse=True)


def test_a_look_at_the_class_leaves_the_annotations_of_functions_what_they_are():
    def f(x: int) -> float:
        return x / 2

    assert rt.Function.__annotations__ is not None
    assert rt.function(f).__annotations__ == {"x": int, "return": float}
