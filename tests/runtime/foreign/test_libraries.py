"""Objects of classes that programs are full of: converted, read by each call, or refused with a hint."""

import configparser
import ipaddress
from collections import ChainMap, UserDict, UserList, UserString

import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()


class Doubling(UserList):
    def append(self, item):
        super().append(item * 2)

    def top(self):
        return self.data[-1]


class Lower(UserDict):
    def __setitem__(self, key, item):
        super().__setitem__(key.lower(), item)


class Scopes(ChainMap):
    def inner(self, **names):
        return self.new_child(names)


class Keyed:
    def __init__(self, number):
        self.number = number

    def keys(self):
        return ["a", "b"]

    def __getitem__(self, key):
        return self.number + len(key)


LISTS = [UserList([1, 2.0]), UserList([5.0, 6, 7]), Doubling([3, 1]), UserList([])]
MAPPINGS = [UserDict(a=1, b=2.0), UserDict(a=3, c=5), ChainMap({"a": 1}, {"a": 2, "d": 4}), Lower(A=9)]


@PROGRAMS.of(*LISTS)
def read_list(items):
    total = 0
    for item in items:
        total += item
    ordered = sorted(items), list(reversed(items)), [2 * v for v in items], [*items, 0]
    return total, sum(items), len(items), 2.0 in items, 1 if items else 2, items == [1, 2.0], ordered


@PROGRAMS.of(*LISTS)
def change_list(items):
    items.append(3.0)
    items.extend([1.0])
    items[0] = items[-1] + len(items)
    return items[0], items[1:3] == items, items.count(1.0), str(items)


@PROGRAMS.of(Doubling([3, 1]), Doubling([4.0]))
def own_method(items):
    items.append(7)
    return items.top()


@PROGRAMS.of(*MAPPINGS)
def read_mapping(table):
    found = [table[key] for key in table], sorted(table), len(table), "a" in table, table.get("z", 4)
    return found, list(table.values()), sorted(table.items()), dict(table), {**table, "q": 1}


@PROGRAMS.of(*MAPPINGS)
def change_mapping(table):
    table["Q"] = 1.0
    return len(table), "q" in table


@PROGRAMS.of(*MAPPINGS[:2], Keyed(1.0), Keyed(4.0))
def passed_by_names(table):
    def total(a, **more):
        return a + sum(more.values())

    return total(**table), dict(**table)


@PROGRAMS.of(Scopes({"x": 1.0}), Scopes({"x": 2.0}))
def inner_scope(scopes):
    return scopes.inner(y=5.0)["y"] + scopes["x"]


@PROGRAMS.scenario
def read_series(function):
    every = [
        pd.Series([1.0, 2.0]), pd.Series([5.0, 6.0, 7.0]), pd.Series([3, 4]), pd.Series([True, False]),
        pd.Series([1.5, 2.0], dtype="float32"), pd.Series([1.0, np.nan]), pd.Index([3, 4]), pd.RangeIndex(2),
    ]  # fmt: skip

    @function
    def read(series):
        total = 0
        for value in series:
            total += value
        first, second, *_ = series
        kinds = [type(value).__name__ for value in series]
        paired = [i * v for i, v in enumerate(series)], [a * b for a, b in zip(series, [1, 2])]
        return total, sum(series), max(series), len(series), first, second, [*series], kinds, paired

    return [read(series) for series in every]


@PROGRAMS.scenario
def captured_objects(function):
    prices, items = pd.Series([1.0, 2.0]), UserList([1, 2])
    scaled = function(lambda k: (sum(prices) * k, sum(items) * k))
    seen = [scaled(1.0)]
    prices[0] = 10.0
    items.append(10)
    seen.append(scaled(1.0))
    prices, items = pd.Series([4.0]), UserList([4])
    return [*seen, scaled(2.0)]


@PROGRAMS.scenario
def series_over_an_array(function):
    under = np.array([1.0, 2.0])
    series = pd.Series(under, copy=False)

    @function
    def changed(array):
        array[0] = 5.0
        return sum(series)

    return changed(under)


test_program = PROGRAMS.test()


def test_a_derivative_by_the_items_of_a_series():
    slope = rt.grad(lambda x, series: sum(x * v for v in series))
    assert [slope(2.0, pd.Series([1.0, 2.0])), slope(2.0, pd.Series([4.0, 2.0]))] == [3.0, 6.0]


def arrays_of(tmp_path):
    mapped = np.memmap(tmp_path / "numbers", dtype="f8", mode="w+", shape=(3,))
    mapped[:] = [1.0, 2.0, 4.0]
    return {"memmap": mapped, "jax": jnp.array([1.0, 2.0, 4.0]), "jax ints": jnp.array([1, 2, 4])}


@pytest.mark.parametrize("engine", ["native", "numpy"])
def test_arrays_of_other_libraries_are_taken_as_arrays(tmp_path, engine):
    """As an argument, in a dict and captured; their memory is read at each call."""
    for given in arrays_of(tmp_path).values():
        captured = given
        program = rt.function(lambda x, named: np.sum(x * 2) + named["w"][1] + captured[2], engine=engine)
        for held in (given, given[1:]):
            expected = np.sum(np.asarray(held)) * 2 + np.asarray(held)[1] + 4
            assert program(held, {"w": held}) == expected
        captured = given * 3
        assert program(given, {"w": given}) == 28
        if np.asarray(given).dtype.kind == "f":
            slope = rt.grad(lambda parameters: np.sum(parameters["w"] ** 2))({"w": given})
            np.testing.assert_allclose(slope["w"], np.asarray(given) * 2)


def test_what_is_stored_into_mapped_memory_is_there(tmp_path):
    mapped = arrays_of(tmp_path)["memmap"]

    @rt.function
    def store(x):
        x[0] = 7.0
        x[1:] += 1.0

    store(mapped)
    store(mapped)
    assert mapped.tolist() == [7.0, 4.0, 6.0]


CONFIGURED = configparser.ConfigParser()
CONFIGURED.read_dict({"a": {"b": "1"}})
FRAME = pd.DataFrame({"a": [1.0, 2.0]})
REFUSED = {
    "polars": (lambda s: sum(s), pl.Series([1.0, 2.0]), "to_numpy"),
    "pandas, by NumPy": (lambda s: np.sum(s), pd.Series([1.0, 2.0]), "to_numpy"),
    "polars, length": (lambda s: len(s), pl.Series([1.0, 2.0]), "to_numpy"),
    "texts": (lambda s: [v for v in s], pd.Series(["a", "b"]), "to_numpy"),
    "missing": (lambda s: sum(s), pd.Series([1, None], dtype="Int64"), "to_numpy"),
    "categories": (lambda s: [v for v in s], pd.Categorical([1, 2]), "to_numpy"),
    "frame": (lambda d: [c for c in d], FRAME, "to_numpy"),
    "groups": (lambda g: [k for k, _ in g], FRAME.groupby("a"), "outside"),
    "column names": (lambda d: list(d), FRAME.columns, "to_numpy"),
    "item": (lambda s: s[0], pd.Series([1.0]), "to_numpy"),
    "operator": (lambda s: s + 1, pd.Series([1.0]), "to_numpy"),
    "config": (lambda c: sorted(c), CONFIGURED, "outside"),
    "network": (lambda n: len(list(n)), ipaddress.ip_network("10.0.0.0/30"), "outside"),
    "polynomial": (lambda p: p(2.0), np.poly1d([1.0, 2.0]), "by their names"),
    "times": (lambda pair: pair[0] < pair[1], (pd.Timestamp(0), pd.Timestamp(1)), "outside"),
    "copy": (lambda u: list(u.copy()), UserList([1]), "outside"),
    "made of another": (lambda d: len(UserDict(d)), UserDict(a=1), "outside"),
    "text": (lambda t: [c for c in t], UserString("abc"), "outside"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_hint(name):
    program, given, hint = REFUSED[name]
    with pytest.raises(StagingError, match=hint):
        rt.function(program)(given)
