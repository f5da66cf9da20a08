"""Whatever a function reads, wherever it finds it: a change between calls is seen, or reading is refused."""

import array
import collections
import ctypes
import functools
import io
import itertools
import threading
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError

X = np.array([1.0, -2.0, 3.0])


class Kind(NamedTuple):
    make: Callable[[], Any]
    read: Callable[[Any], Any]
    change: Callable[[Any], Any]


def _set(key, value):
    return lambda held: held.__setitem__(key, value)


class Held:
    value = 1


def _viewed(view):
    table = {"a": 1}
    return view(table), table


class Text(str):
    size = 1


class ByName:
    def __init__(self):
        self.table = {"a": 1}

    def __getattr__(self, name):
        return self.__dict__["table"][name]  # a KeyError where there is none


def _function():
    def made(n=3):
        return n

    made.calls = 1
    return made


KINDS = {
    "array": Kind(lambda: array.array("d", [1, 2]), lambda a: a[0], _set(0, 9.0)),
    "bytearray": Kind(lambda: bytearray(b"abc"), lambda b: b[0] + len(b), _set(0, 200)),
    "chain map": Kind(lambda: collections.ChainMap({}, {"a": 1}), lambda c: c["a"], _set("a", 5)),
    "ctypes array": Kind(lambda: (ctypes.c_int * 2)(1, 2), lambda c: c[0], _set(0, 5)),
    "ctypes number": Kind(lambda: ctypes.c_int(4), lambda c: c.value, lambda c: setattr(c, "value", 5)),
    "deque": Kind(lambda: collections.deque([1, 2]), lambda d: d[0], lambda d: d.appendleft(7)),
    "dict view": Kind(lambda: _viewed(dict.values), lambda v: list(v[0]), lambda v: v[1].update(a=5)),
    "instance": Kind(Held, lambda h: h.value, lambda h: setattr(h, "value", 3)),
    "mapping proxy": Kind(
        lambda: _viewed(types.MappingProxyType), lambda v: v[0]["a"], lambda v: v[1].update(a=5)
    ),
    "memoryview": Kind(lambda: memoryview(bytearray(b"abc")), lambda m: m[0], _set(0, 200)),
    "namespace": Kind(lambda: types.SimpleNamespace(a=1), lambda n: n.a, lambda n: setattr(n, "a", 3)),
    "object array": Kind(lambda: np.array([1, "a"], dtype=object), lambda a: a[0], _set(0, 5)),
    "order of a dict": Kind(
        lambda: collections.OrderedDict(a=1, b=2), lambda o: list(o), lambda o: o.move_to_end("a")
    ),
    "set": Kind(lambda: {1, 2}, lambda s: sorted(s), lambda s: s.add(7)),
    "text stream": Kind(lambda: io.StringIO("abc"), lambda s: s.getvalue(), lambda s: s.write("xyz")),
    "thread's own": Kind(threading.local, lambda t: getattr(t, "a", 0), lambda t: setattr(t, "a", 5)),
    "class": Kind(lambda: type("Made", (), {"a": 1}), lambda c: c.a, lambda c: setattr(c, "a", 4)),
    "method of a class": Kind(
        lambda: type("Made", (), {"a": lambda self: 1}),
        lambda c: c().a(),
        lambda c: setattr(c, "a", lambda self: 4),
    ),
    "exception": Kind(lambda: ValueError("a"), lambda e: e.args[0], lambda e: setattr(e, "args", ("b",))),
    "partial": Kind(
        lambda: functools.partial(max, 1), lambda p: p(0), lambda p: p.__setstate__((max, (5,), {}, {}))
    ),
    "attribute of a function": Kind(_function, lambda f: f.calls, lambda f: setattr(f, "calls", 5)),
    "polynomial": Kind(lambda: np.poly1d([1, 2]), lambda p: p(2), lambda p: p.coeffs.__setitem__(0, 7)),
    "text with attributes": Kind(
        lambda: Text("ab"), lambda t: (t + "c", t.size), lambda t: setattr(t, "size", 8)
    ),
    "attributes by name": Kind(ByName, lambda o: o.a, lambda o: o.table.update(a=8)),
    "user dict": Kind(lambda: collections.UserDict(a=1), lambda d: d["a"], _set("a", 5)),
    "user list": Kind(lambda: collections.UserList([1, 2]), lambda d: d[0], _set(0, 5)),
    "counter of calls": Kind(itertools.count, lambda c: next(c), lambda c: next(c)),
}

found = None


def _places(read):
    """Functions that find the object in different places, and what puts it there."""

    class Owner:
        held: Any = None

    class Heir(Owner):
        pass

    box = [None]

    def in_a_global(x):
        return x[0], read(found)

    def in_a_class(x):
        return x[0], read(Heir.held)

    def by_an_instance(x):
        return x[0], read(Heir().held)

    def in_a_list(x):
        return x[0], read(box[0])

    def as_a_default(x, held=None):
        return x[0], read(held)

    def as_an_argument(x, held):
        return x[0], read(held)

    def put_global(held):
        global found
        found = held

    def put_in_class(held):
        Owner.held = held

    def put_default(held):
        as_a_default.__defaults__ = (held,)

    return [
        (in_a_global, put_global),
        (in_a_class, put_in_class),
        (by_an_instance, put_in_class),
        (in_a_list, lambda held: box.__setitem__(0, held)),
        (as_a_default, put_default),
        (as_an_argument, lambda held: None),
    ]


def _observed(f, kind, put, takes_it):
    seen = []
    try:
        for held in (kind.make(), kind.make()):  # the same one changed, then another in its place
            put(held)
            for change in (lambda held: None, kind.change, kind.change):
                change(held)
                args = (X, held) if takes_it else (X,)
                seen.append((f(*args), f(*args)))
    except StagingError as error:
        return error
    return seen


@pytest.mark.filterwarnings("ignore:functools.partial will be a method descriptor:FutureWarning")
@pytest.mark.parametrize("name", KINDS)
def test_a_change_is_seen_or_refused(name):
    kind = KINDS[name]
    for f, put in _places(kind.read):
        takes_it = f.__name__ == "as_an_argument"
        plain = _observed(f, kind, put, takes_it)
        assert not isinstance(plain, StagingError), plain
        assert repr(plain[0]) != repr(plain[1]), "no change can be seen"
        decorated = _observed(rt.function(f, engine="numpy"), kind, put, takes_it)
        if isinstance(decorated, StagingError):
            assert str(decorated.location).startswith(__file__), decorated
        else:
            assert repr(decorated) == repr(plain), f.__name__
