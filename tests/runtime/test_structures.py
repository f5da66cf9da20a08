"""Structures as arguments, as results, and as the state of `cond` and `while_loop`."""

import collections
import dataclasses
import types

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError

X = np.array([1.0, -2.0, 3.0])
Pair = collections.namedtuple("Pair", "a b")


class Pack:
    """With attributes that are no constructor arguments."""

    def __init__(self, *parts, label=""):
        self.parts = parts
        self.label = label


class Other(Pack):
    pass


@dataclasses.dataclass
class Point:
    x: object
    y: object = 2


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: object


class Slotted:
    __slots__ = ("a", "__b")

    def __init__(self, a, b):
        self.a = a
        self.__b = b


class Triple(tuple):
    pass


def seen(value):
    """What can be compared of a value: classes, attributes, items."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.tolist()
    if isinstance(value, dict):
        return type(value), [(key, seen(item)) for key, item in value.items()], seen_attributes(value)
    if isinstance(value, list | tuple | collections.deque):
        return type(value), list(map(seen, value)), seen_attributes(value)
    if type(value).__module__ in ("builtins", "numpy"):
        return type(value), value
    return type(value), seen_attributes(value)


def seen_attributes(value):
    names = list(getattr(value, "__dict__", ())) + [
        name
        for name in ("a", "_Slotted__b", "x")
        if name in getattr(type(value), "__slots__", ()) or "Slot" in name
    ]
    return {name: seen(getattr(value, name)) for name in names if hasattr(value, name)}


@pytest.fixture(params=["numpy", "native"])
def function(request):
    return lambda f: rt.function(f, engine=request.param)


RESULTS = {
    "OrderedDict": lambda x: collections.OrderedDict(b=x * 2, a=1),
    "deque": lambda x: collections.deque([x * 2, 1], 5),
    "defaultdict": lambda x: collections.defaultdict(list, a=x * 2),
    "namedtuple": lambda x: Pair(x * 2, "b"),
    "class of its own": lambda x: Pack(x * 2, 1, label="l"),
    "dataclass": lambda x: Point(x * 2),
    "frozen": lambda x: Frozen(x * 2),
    "slots": lambda x: Slotted(x * 2, x.sum()),
    "tuple subclass": lambda x: Triple((x * 2, 1, 2)),
    "nested": lambda x: [collections.OrderedDict(a=Point(Pair(x * 2, [x]))), (Triple(),)],
}


@pytest.mark.parametrize("name", RESULTS)
def test_results(name, function):
    plain = RESULTS[name]
    decorated = function(plain)
    for x in (X, X + 1, X):
        assert seen(decorated(x)) == seen(plain(x))
    assert decorated(X) is not decorated(X)


ARGUMENTS = {
    "OrderedDict": (lambda v: v["a"] * v["b"], lambda: collections.OrderedDict(a=X, b=2.0)),
    "OrderedDict in a loop": (
        lambda v: sum(item.sum() for item in v.values()),
        lambda: collections.OrderedDict(a=X, b=X * 2),
    ),
    "deque": (lambda v: v[0] + v[-1], lambda: collections.deque([X, X * 2])),
    "defaultdict": (lambda v: v["a"] * 2, lambda: collections.defaultdict(list, a=X)),
    "class of its own": (lambda v: v.parts[0] * v.parts[1], lambda: Pack(X, 2.0)),
    "dataclass": (lambda v: v.x * v.y, lambda: Point(X)),
    "frozen": (lambda v: v.x * 2, lambda: Frozen(X)),
    "namedtuple": (lambda v: v.a * v.b, lambda: Pair(X, 2.0)),
    "tuple subclass": (lambda v: v[0] * v[1], lambda: Triple((X, 2.0))),
    "SimpleNamespace": (lambda v: v.a * v.b, lambda: types.SimpleNamespace(a=X, b=2.0)),
    "nested": (lambda v: v[0]["k"].x + v[1].a, lambda: [{"k": Point(X)}, Pair(X, 1)]),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments(name, function):
    plain, make = ARGUMENTS[name]
    decorated = function(plain)
    for _ in range(3):
        assert seen(decorated(make())) == seen(plain(make()))
    assert decorated.trace_count == 1


def test_the_same_object_comes_back(function):
    point, queue = Point(X), collections.deque([X])
    assert function(lambda p: p)(point) is point
    assert function(lambda q: [q, q])(queue)[1] is queue


@pytest.mark.parametrize(
    "make",
    [
        lambda x: collections.ChainMap({"a": x * 2}),
        lambda x: types.MappingProxyType({"a": x * 2}),
        lambda x: {"a": x * 2}.values(),
    ],
)
def test_what_would_carry_staged_values_out_is_refused(make, function):
    with pytest.raises(
        StagingError, match="that holds staged values is returned|belongs to the trace that made it"
    ):
        function(make)(X)


def test_a_method_of_a_list_is_returned_as_one_of_the_run(function):
    append = function(lambda x: [x * 2].append)(X)
    append(1)
    assert seen(append.__self__) == seen([X * 2, 1])


# -- cond and while_loop -------------------------------------------------------------------------------


def test_cond_over_objects(function):
    def f(x):
        return rt.cond(
            x.sum() > 0,
            lambda: Pack(x, (1, {"k": x}), label="l"),
            lambda: Pack(-x, (2, {"k": x * 2}), label="l"),
        )

    decorated = function(f)
    for x in (X, -X, X):
        assert seen(decorated(x)) == seen(f(x))


def test_cond_with_objects_of_different_classes(function):
    f = lambda x: rt.cond(x.sum() > 0, lambda: Pack(x), lambda: Other(x, x))
    decorated = function(f)
    for x in (X, -X):
        assert seen(decorated(x)) == seen(f(x))


def test_while_loop_over_an_object(function):
    def f(x):
        state = Pack(x, 0, label="kept")
        return rt.while_loop(
            lambda s: s.parts[0].sum() < 100,
            lambda s: Pack(s.parts[0] * 2, s.parts[1] + 1, label=s.label),
            state,
        )

    decorated = function(f)
    for x in (X, X * 3, X * 200):
        assert seen(decorated(x)) == seen(f(x))


def test_while_loop_over_several(function):
    def f(x, n):
        return rt.while_loop(
            lambda i, table, pair: i < n,
            lambda i, table, pair: (
                i + 1,
                collections.OrderedDict(b=table["b"] + x, a=table["a"] + 1),
                Pair(pair.b, pair.a + 1),
            ),
            (0, collections.OrderedDict(b=x, a=0), Pair(x, x * 2)),
        )

    decorated = function(f)
    for n in (0, 1, 5):
        assert seen(decorated(X, n)) == seen(f(X, n))


def test_on_concrete_values_nothing_is_taken_apart():
    point = Pack(1)
    assert rt.while_loop(lambda p: False, lambda p: p, point) is point
    assert rt.cond(True, lambda: point, lambda: None) is point
