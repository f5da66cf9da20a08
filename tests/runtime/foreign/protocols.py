"""What Python asks of an object: a program for each protocol, by name.

Each takes an object that holds numbers, and gives what tells two such objects apart.
"""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import math
import operator
import os
from collections.abc import Callable
from typing import Any

import numpy as np

PROTOCOLS: dict[str, Callable[[Any], Any]] = {
    # iteration
    "list": lambda o: list(o),
    "tuple": lambda o: tuple(o),
    "set": lambda o: sorted(set(o)),
    "sum": lambda o: sum(o),
    "max": lambda o: max(o),
    "min by key": lambda o: min(o, key=lambda v: -v),
    "any": lambda o: any(o),
    "all": lambda o: all(v > 2 for v in o),
    "sorted": lambda o: sorted(o),
    "comprehension": lambda o: [v * 2 for v in o],
    "dict comprehension": lambda o: {v: 1 for v in o},
    "enumerate": lambda o: [(i, v) for i, v in enumerate(o)],
    "zip": lambda o: [(i, v) for i, v in zip(range(9), o)],
    "zip with an array": lambda o: [a * v for a, v in zip(np.ones(9), o)],
    "map": lambda o: list(map(lambda v: v + 1, o)),
    "filter": lambda o: list(filter(lambda v: v > 2, o)),
    "reduce": lambda o: functools.reduce(operator.add, o),
    "chain": lambda o: list(itertools.chain(o, [1.0])),
    "accumulate": lambda o: list(itertools.accumulate(o)),
    "iter": lambda o: next(iter(o)),
    "iter, next": lambda o: (lambda it: [next(it), next(it, None)])(iter(o)),
    "extend": lambda o: (lambda xs: (xs.extend(o), xs))([0.0]),
    "star": lambda o: [*o, 1.0],
    "star of a call": lambda o: max(*o),
    "unpacking": lambda o: (lambda: [(a, b) for a, *b in [o]])(),
    "Counter": lambda o: sorted(collections.Counter(o).items()),
    "deque": lambda o: list(collections.deque(o)),
    "fsum": lambda o: math.fsum(o),
    "prod": lambda o: math.prod(o),
    "join": lambda o: "-".join(map(str, o)),
    "from_iterable": lambda o: list(itertools.chain.from_iterable([o, o])),
    "dict.fromkeys": lambda o: dict.fromkeys(o, 1),
    "set.union": lambda o: sorted({1.0} | set(o)),
    "reversed": lambda o: list(reversed(o)),
    # items
    "len": lambda o: len(o),
    "item": lambda o: o[0],
    "last item": lambda o: o[-1],
    "slice": lambda o: o[:2],
    "in": lambda o: 5.0 in o,
    "not in": lambda o: 5.0 not in o,
    "index by keys": lambda o: {**{"n": 1}, "keys": o.keys()},
    "dict": lambda o: len(dict(zip(o, o))),
    "keywords": lambda o: dict(**o),
    "display of a dict": lambda o: {"a": 1, **o},
    "update": lambda o: (lambda found: (found.update(o), found))({}),
    "mapping": lambda o: {k: 1 for k in o.keys()},
    "operator.getitem": lambda o: operator.getitem(o, 0),
    "itemgetter": lambda o: operator.itemgetter(0)(o),
    "operator.contains": lambda o: operator.contains(o, 5.0),
    "countOf": lambda o: operator.countOf(o, 5.0),
    # truth, identity, comparison
    "if": lambda o: 1 if o else 2,
    "bool": lambda o: bool(o),
    "not": lambda o: not o,
    "and": lambda o: (o and 1) == 1,
    "or": lambda o: type(o or 1).__name__,
    "operator.truth": lambda o: operator.truth(o),
    "filter by truth": lambda o: len(list(filter(None, [o, 1]))),
    "any of objects": lambda o: any([o]),
    "==": lambda o: o == 3.0,
    "!=": lambda o: o != 3.0,
    "<": lambda o: o < 6.0,
    ">= reflected": lambda o: 6.0 >= o,
    "in a list": lambda o: 3.0 in [o],
    "list ==": lambda o: [o] == [3.0],
    "tuple <": lambda o: (o, 1) < (6.0, 1),
    "index": lambda o: [1.0, o, 3.0].index(3.0),
    "count": lambda o: [o, 3.0].count(3.0),
    "max of two": lambda o: float(max(o, 6.0)),
    "sorted with": lambda o: [type(v).__name__ for v in sorted([6.0, o])],
    "hash": lambda o: hash(o),
    "key of a dict": lambda o: {o: 1}.get(7),
    "item of a set": lambda o: len({o, 3.0}),
    "hash of a tuple": lambda o: hash((o, 1)),
    "dict lookup": lambda o: {3.0: 1, 18.0: 2}.get(o),
    # numbers
    "int": lambda o: int(o),
    "float": lambda o: float(o),
    "complex": lambda o: complex(o),
    "operator.index": lambda o: operator.index(o),
    "abs": lambda o: abs(o),
    "round": lambda o: round(o),
    "round to": lambda o: round(o, 1),
    "isclose by keyword": lambda o: math.isclose(o, 3.0, rel_tol=0.1),
    "round by keyword": lambda o: round(o, ndigits=1),
    "trunc": lambda o: math.trunc(o),
    "floor": lambda o: math.floor(o),
    "ceil": lambda o: math.ceil(o),
    "sqrt": lambda o: math.sqrt(o),
    "atan2": lambda o: math.atan2(1.0, o),
    "range": lambda o: list(range(o)),
    "place": lambda o: [1, 2, 3, 4, 5][o],
    "bounds of a slice": lambda o: [1, 2, 3, 4, 5][:o],
    "repeat": lambda o: [1] * o,
    "chr": lambda o: chr(o),
    "hex": lambda o: hex(o),
    "islice": lambda o: list(itertools.islice([1, 2, 3, 4], o)),
    "neg": lambda o: -o,
    "pos": lambda o: +o,
    "invert": lambda o: ~o,
    "add": lambda o: o + 1.0,
    "add reflected": lambda o: 1.0 + o,
    "sub": lambda o: o - 1.0,
    "mul": lambda o: 2 * o,
    "mul with itself": lambda o: o * o,
    "truediv": lambda o: o / 2,
    "floordiv": lambda o: o // 2,
    "mod": lambda o: o % 2,
    "pow": lambda o: o**2,
    "pow of": lambda o: pow(2.0, o),
    "pow, mod": lambda o: pow(o, 2),
    "divmod": lambda o: divmod(o, 2),
    "divmod of": lambda o: divmod(9, o),
    "matmul": lambda o: o @ 2,
    "and bits": lambda o: o & 3,
    "or bits": lambda o: 3 | o,
    "xor": lambda o: o ^ 1,
    "lshift": lambda o: o << 1,
    "rshift": lambda o: 64 >> o,
    "operator.add": lambda o: operator.add(o, 1),
    "sum of objects": lambda o: sum([o, 1.0]),
    "Fraction": lambda o: math.gcd(o, 6),
    # texts
    "str": lambda o: str(o),
    "repr": lambda o: repr(o),
    "f-string": lambda o: f"{o} {o!r} {o:x}",
    "format": lambda o: format(o, "y"),
    "str.format": lambda o: "{} {!r}".format(o, o),
    "%": lambda o: "%s %r" % (o, o),
    "% number": lambda o: "%.2f" % o,
    "text of a list": lambda o: str([o]),
    "print": lambda o: print(o),
    "ascii": lambda o: ascii(o),
    # calls, contexts, attributes
    "call": lambda o: o(1.0),
    "map of it": lambda o: list(map(o, [1.0, 2.0])),
    "key": lambda o: sorted([2.0, 1.0], key=o),
    "partial": lambda o: functools.partial(o, 1.0)(),
    "method": lambda o: o.__len__(),
    "method of the class": lambda o: type(o).__len__(o),
    "bound method": lambda o: (lambda f: f())(o.__len__),
    "getattr": lambda o: getattr(o, "__len__")(),
    "methodcaller": lambda o: (lambda f: f(o))(operator.attrgetter("__len__"))(),
    "copy": lambda o: list(copy.copy(o)),
    "deepcopy": lambda o: list(copy.deepcopy(o)),
    # arrays, buffers
    "asarray": lambda o: np.asarray(o),
    "array": lambda o: np.array(o),
    "array of a list": lambda o: np.array([o, o]),
    "np.sum": lambda o: np.sum(o),
    "np.exp": lambda o: np.exp(o),
    "array +": lambda o: np.ones(2) + o,
    "+ array": lambda o: o + np.ones(2),
    "array ==": lambda o: np.ones(2) == o,
    "np scalar *": lambda o: np.float64(2.0) * o,
    "array item": lambda o: np.arange(9.0)[o],
    "np.zeros": lambda o: np.zeros(o),
    "np.full": lambda o: np.full(2, o),
    "reshape": lambda o: np.arange(6.0)[:3].reshape(o),
    "bytes": lambda o: bytes(o),
    "bytearray": lambda o: bytearray(o),
    "memoryview": lambda o: len(memoryview(o)),
    "frombuffer": lambda o: np.frombuffer(o),
    "fspath": lambda o: os.fspath(o),
}


def statement(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROTOCOLS[function.__name__] = function
    return function


@statement
def for_loop(o):
    total = 0.0
    for v in o:
        total += v
    return total


@statement
def for_loop_with_break(o):
    total = 0.0
    for v in o:
        if v > 5:
            break
        total += v
    return total


@statement
def while_truth(o):
    n = 0
    while o and n < 3:
        n += 1
    return n


@statement
def unpacked(o):
    a, b, *c = o
    return a, b, c


@statement
def matched_sequence(o):
    match o:
        case [a, b, *_]:
            return a + b
        case _:
            return "no sequence"


@statement
def matched_value(o):
    match o:
        case 3.0:
            return "three"
        case 18.0:
            return "eighteen"
        case _:
            return "another"


@statement
def matched_class(o):
    match o:
        case float():
            return "a float"
        case object(__len__=n):
            return n()


@statement
def context(o):
    with o as held:
        return held


@statement
def asserted(o):
    assert o, "false"
    return 1


@statement
def item_stored(o):
    o[0] = 9.0
    return o[0]


@statement
def item_deleted(o):
    del o[0]
    return 1


@statement
def item_added_to(o):
    o[0] += 1.0
    return 1


@statement
def added_in_place(o):
    o += 2.0
    return 1


@statement
def multiplied_in_place(o):
    o *= 2.0
    return 1


@statement
def list_added_in_place(o):
    xs = [1.0]
    xs += o
    return xs


@statement
def stored_in_an_array(o):
    x = np.zeros(2)
    x[0] = o
    return x


@statement
def slice_stored(o):
    xs = [1.0, 2.0]
    xs[:1] = o
    return xs


@statement
def yielded_from(o):
    def items():
        yield from o

    return [*items()]


@statement
def raised(o):
    try:
        raise ValueError(o)
    except ValueError as error:
        return str(error)


@statement
def starred_into_a_function(o):
    def first(a, *more):
        return a, more

    return first(*o)
