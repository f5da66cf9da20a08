"""Whatever a function changes: each run makes the change, or it is refused and nothing has changed."""

import array
import bisect
import collections
import ctypes
import heapq
import io
import queue
import random
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError

UP, DOWN = np.array([1.0, -2.0, 3.0]), np.array([-1.0, 2.0])


class Change(NamedTuple):
    make: Callable[[], Any]
    change: Callable[[Any, Any], Any]
    look: Callable[[Any], Any]


class Listed(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, [value])


class Table:
    def __init__(self):
        self.rows = {}

    def __setitem__(self, key, value):
        self.rows[key] = value


class Account:
    def __init__(self):
        self.total, self.entries = 0, []

    def add(self, value):
        self.total += value
        self.entries.append(value)


def _set(key):
    return lambda held, value: held.__setitem__(key, value)


CHANGES = {
    "account": Change(Account, lambda a, v: a.add(v), lambda a: (a.total, a.entries)),
    "array": Change(lambda: array.array("d", [1, 2]), _set(0), list),
    "bytearray": Change(lambda: bytearray(b"abc"), lambda b, v: b.append(7), list),
    "chain map": Change(lambda: collections.ChainMap({"a": 1}), _set("b"), dict),
    "class": Change(lambda: type("Made", (), {"a": 1}), lambda c, v: setattr(c, "a", v), lambda c: c.a),
    "counter": Change(collections.Counter, lambda c, v: c.update(["a"]), dict),
    "ctypes array": Change(lambda: (ctypes.c_int * 2)(1, 2), _set(0), list),
    "deque": Change(lambda: collections.deque([1]), lambda d, v: d.appendleft(v), list),
    "derived dict": Change(lambda: Listed(a=1), _set("b"), dict),
    "dict": Change(lambda: {"a": 1}, _set("b"), dict),
    "exception": Change(lambda: ValueError("a"), lambda e, v: setattr(e, "args", (v,)), lambda e: e.args),
    "attribute of an exception": Change(
        lambda: KeyError("a"), lambda e, v: setattr(e, "code", v), lambda e: vars(e)
    ),
    "heap": Change(lambda: [3, 5, 7], lambda h, v: heapq.heappush(h, v), list),
    "namespace": Change(lambda: types.SimpleNamespace(a=1), lambda n, v: setattr(n, "a", v), lambda n: n.a),
    "order of a dict": Change(
        lambda: collections.OrderedDict(a=1, b=2), lambda o, v: o.move_to_end("a"), list
    ),
    "queue": Change(queue.Queue, lambda q, v: q.put(v), lambda q: list(q.queue)),
    "random numbers": Change(lambda: random.Random(3), lambda r, v: r.random(), lambda r: r.getstate()),
    "set": Change(lambda: {1}, lambda s, v: s.add(9), sorted),
    "sorted list": Change(lambda: [3, 5, 7], lambda s, v: bisect.insort(s, v), list),
    "table": Change(Table, _set("b"), lambda t: t.rows),
    "text stream": Change(io.StringIO, lambda s, v: print(v, file=s), lambda s: s.getvalue()),
    "user dict": Change(lambda: collections.UserDict(a=1), _set("b"), dict),
    "user list": Change(lambda: collections.UserList([1]), lambda u, v: u.append(v), list),
}


def _programs(change):
    """Functions that change the object, and what shows them which one."""

    class Owner:
        held: Any = None

    box = [None]

    def in_a_class(x, held):
        change(Owner.held, x[0] * 2)
        return x[0]

    def in_a_loop(x, held):
        for v in x:
            if v > 0:
                change(box[0], v)
        return x[0]

    def an_argument(x, held):
        if x[0] > 0:
            change(held, x[0])
        else:
            change(held, 6)
        return x[0]

    return [
        (in_a_class, lambda held: setattr(Owner, "held", held)),
        (in_a_loop, lambda held: box.__setitem__(0, held)),
        (an_argument, lambda held: None),
    ]


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_made_or_refused(name):
    made = CHANGES[name]
    for f, show in _programs(made.change):
        decorated = rt.function(f, engine="numpy")
        one, other = made.make(), made.make()
        for x in (UP, UP, DOWN):
            before = repr(made.look(other))
            show(other)
            try:
                decorated(x, other)
            except StagingError:
                assert repr(made.look(other)) == before, f"{f.__name__} was refused, and has changed it"
                break
            show(one)
            f(x, one)
            assert repr(made.look(other)) == repr(made.look(one)), f.__name__
