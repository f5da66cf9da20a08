"""Lists, dicts and objects that are one thing at one call and two at the next."""

import types

import pytest

import runtime as rt


def appended(a, b):
    a.append(1.0)
    return len(b)


def stored(a, b):
    a[0] = 9.0
    return b[0]


def updated(a, b):
    a["k"] = 9.0
    return b["k"]


def assigned(a, b):
    a.v = 9.0
    return b.v


def identical(a, b):
    return a is b


def nested(a, b):
    a[0].append(1.0)
    return len(b)


def two_lists():
    return [2.0], [3.0]


def one_list():
    items = [2.0]
    return items, items


def two_dicts():
    return {"k": 1.0}, {"k": 2.0}


def one_dict():
    table = {"k": 1.0}
    return table, table


def two_objects():
    return types.SimpleNamespace(v=1.0), types.SimpleNamespace(v=2.0)


def one_object():
    made = types.SimpleNamespace(v=1.0)
    return made, made


def apart():
    return [[1.0]], [2.0]


def within():
    items = [2.0]
    return [items], items


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize(
    "function, makers",
    [
        (appended, [two_lists, one_list]),
        (stored, [two_lists, one_list]),
        (updated, [two_dicts, one_dict]),
        (assigned, [two_objects, one_object]),
        (identical, [two_lists, one_list, two_dicts, one_dict]),
        (nested, [apart, within]),
    ],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_arguments(function, makers, engine, backwards):
    decorated = rt.function(function, engine=engine)
    for make in (makers[::-1] if backwards else makers) * 2:
        ours, theirs = make(), make()
        assert decorated(*ours) == function(*theirs)
        assert ours == theirs
    assert decorated.trace_count == len(makers)


def test_an_argument_that_is_also_captured():
    held = [1.0]

    def f(a):
        a.append(2.0)
        return len(held)

    decorated = rt.function(f)
    assert decorated([5.0]) == 1
    assert decorated(held) == 2
    assert decorated([5.0]) == 2


def test_captured_lists_that_part():
    left = right = [1.0]
    f = rt.function(lambda x: x * left[0] + right[0])
    assert f(1.0) == 2.0
    right = [5.0]
    assert f(1.0) == 6.0
    left = right
    assert f(1.0) == 10.0


def test_one_list_in_two_places_is_another_trace():
    f = rt.function(lambda a, b: a[0] + b[0])
    assert (f([1.0], [2.0]), f(*one_list()), f([1.0], [3.0])) == (3.0, 4.0, 4.0)
    assert f.trace_count == 2
