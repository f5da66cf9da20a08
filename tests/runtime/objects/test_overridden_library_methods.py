"""Subclasses of library classes: what a library's method calls back is the user's, in each run."""

from __future__ import annotations

import collections
import string
import textwrap
from collections.abc import Callable, MutableMapping
from typing import Any

import numpy as np
import pytest

from tests.differential import check_scenario

CALLS = [np.array(items) for items in ([1, 2], [3, 2], [3, 0], [1, 2])]


def calls(f: Callable[[Any], Any], log: list[Any]) -> list[Any]:
    return [(f(x), list(log)) for x in CALLS]


def formatter(function):
    log, scale = [], [2]

    class Logged(string.Formatter):
        def get_value(self, key, args, kwargs):
            log.append(key)
            if isinstance(key, str):
                return kwargs.get(key, scale[0])
            return super().get_value(key, args, kwargs)

        def convert_field(self, value, conversion):
            return str(value).upper() if conversion == "u" else super().convert_field(value, conversion)

        def format_field(self, value, spec):
            log.append(spec)
            return super().format_field(value, spec)

    made = Logged()

    @function
    def f(x):
        scale[0] += 1
        if x[0] > 1:
            text = made.format("{0} {a!u:>5} {zz}", x[0], a="q")
        else:
            text = Logged().format("{}{b.real}", 1, b=2)
        return text, len(log)

    return calls(f, log)


def wrapper(function):
    class Counted(textwrap.TextWrapper):
        count = 0

        def _split(self, text):
            self.count += 1
            return super()._split(text)

    made = Counted(width=8)

    @function
    def f(x):
        lines = made.wrap("hello you there") if x[0] > 1 else made.wrap("a b")
        return lines, made.count, Counted(width=5).wrap("a b c")

    return calls(f, [made.count])


def user_dict(function):
    log = []

    class Logged(collections.UserDict):
        def __init__(self, *args, **kwargs):
            log.append("made")
            super().__init__(*args, **kwargs)

        def __setitem__(self, key, value):
            log.append(key)
            super().__setitem__(key, value)

        def get(self, key, default=None):
            log.append("get")
            return super().get(key, default)

    kept = Logged(z=1)

    @function
    def f(x):
        if x[0] > 1:
            kept["b"] = x[0]
        else:
            kept.update(c=x[1])
        made = Logged(a=x[0])
        made.setdefault("q", 5)
        read = made.get("a"), made.get("zz", 3), kept.get("b"), kept.pop("z", None)
        return read, len(log), len(made), Logged.fromkeys([1, 2]).data

    return calls(f, log), kept.data


def user_list(function):
    log = []

    class Logged(collections.UserList):
        def __init__(self, *args):
            log.append("made")
            super().__init__(*args)

        def append(self, value):
            log.append(int(value))
            super().append(value)

        def insert(self, place, value):
            self.append(value)

    kept = Logged([1])

    @function
    def f(x):
        if x[0] > 1:
            kept.append(x[0])
        kept.insert(0, 4)
        made = Logged([x[0]]) + [3]
        made.extend([1])
        made.sort()
        return len(log), made.data, (made * 2).data, made[:1].data, made.index(3), kept.data, 4 in kept

    return calls(f, log)


def mapping(function):
    log = []

    class Logged(MutableMapping):
        def __init__(self):
            self.held = {}

        def __getitem__(self, key):
            log.append(key)
            return self.held[key]

        def __setitem__(self, key, value):
            self.held[key] = value

        def __delitem__(self, key):
            del self.held[key]

        def __iter__(self):
            return iter(self.held)

        def __len__(self):
            return len(self.held)

        def keys(self):
            log.append("keys")
            return super().keys()

    made = Logged()

    @function
    def f(x):
        made["a"] = x[0]
        made.update(b=2)
        read = made.get("a"), list(made.keys()), list(made.values()), made.pop("b"), made.pop("zz", 0)
        return read, len(log), "a" in made

    return calls(f, log)


def chain_map(function):
    log = []

    class Logged(collections.ChainMap):
        def new_child(self, m=None):
            log.append("child")
            return super().new_child(m)

        def __missing__(self, key):
            log.append(key)
            return 5

    @function
    def f(x):
        made = Logged({"a": x[0]}, {"b": 2})
        child = made.new_child({"q": 1})
        return made["a"], made["zz"], child["b"], len(log), len(child)

    return calls(f, log)


SCENARIOS = [
    formatter, wrapper, user_dict, user_list, mapping,
    chain_map,
]  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_as_in_python(scenario):
    check_scenario(scenario)
