"""Generators with `try` and `with` around their `yield`, and loops that close them: each with each."""

import pytest

from tests.differential import Call, check
from tests.runtime.generators import GENERATORS
from tests.spread import spread


def to_the_end(items, n, stop):
    total = 0.0
    for v in items(n):
        total += v
        print("item", v)
    else:
        print("no break")
    return total


def with_break(items, n, stop):
    total = 0.0
    for v in items(n):
        total += v
        if v > stop:
            break
    else:
        print("no break")
    print("after")
    return total


def with_return(items, n, stop):
    for v in items(n):
        if v > stop:
            return v
    print("none")
    return -1.0


def that_raises(items, n, stop):
    total = 0.0
    for v in items(n):
        if v > stop:
            raise ValueError("large", v)
        total += v
    return total


def that_catches(items, n, stop):
    total = 0.0
    try:
        for v in items(n):
            if v > stop:
                raise ValueError("large", v)
            total += v
    except ValueError as error:
        print("handled", error.args, error.__context__)
        total += 100
    except ArithmeticError as error:
        print("failed", error.args)
    return total


def that_catches_outside(items, n, stop):
    try:
        return that_raises(items, n, stop)
    except (ValueError, ArithmeticError) as error:
        print("handled", error.args)
        return -2.0


def in_a_handler_of_its_own(items, n, stop):
    total = 0.0
    try:
        if stop > 0:
            raise KeyError("mine")
    except KeyError as mine:
        for v in items(n):
            if v > stop:
                break
            total += v
        print("still", mine)
    return total


def under_a_condition(items, n, stop):
    total = 0.0
    if n > 2:
        for v in items(n):
            if v > stop:
                break
            total += v
    return total


def again_and_again(items, n, stop):
    total, k = 0.0, 0
    while k < 3:
        for v in items(n):
            if v > stop + k:
                break
            total += v
        k += 1
    return total


def twice_nested(items, n, stop):
    total = 0.0
    for v in items(n):
        for w in items(n):
            if w > stop:
                break
            total += w
        if v > stop:
            break
        total += v
    return total


def builtins(items, n, stop):
    return sum(items(n)), list(items(n)), [v for v in items(n) if v > stop], max(items(n), default=0.0)


def builtins_that_end_early(items, n, stop):
    return any(v > stop for v in items(n)), all(v <= stop for v in items(n))


def counted(items, n, stop):
    total = 0.0
    for k, v in enumerate(items(n)):
        if v > stop:
            break
        total += v * k
    print("after")
    return total


def side_by_side(items, n, stop):
    total = 0.0
    for v, w in zip(items(n), [1.0, 2.0, 3.0]):
        total += v * w
    print("after")
    return total


LOOPS = [
    to_the_end, with_break, with_return, that_raises, that_catches, that_catches_outside,
    in_a_handler_of_its_own, under_a_condition, again_and_again, twice_nested, builtins,
    builtins_that_end_early, counted, side_by_side,
]  # fmt: skip

#: the trace does not see that the generator yields no more once it took the GeneratorExit
REFUSED = {
    ("that_returns_at_the_end", loop) for loop in ("to_the_end", "twice_nested", "side_by_side", "builtins")
}


@pytest.mark.parametrize(("items", "loop"), spread(GENERATORS, LOOPS))
def test_each_with_each(items, loop):
    def f(n, stop):
        return loop(items, n, stop)

    refused = (items.__name__, loop.__name__) in REFUSED
    # Native takes long to compile, most of all several loops over one generator.
    every = (GENERATORS.index(items) + LOOPS.index(loop)) % 4 or loop in (twice_nested, builtins)
    calls = [Call(5.0, 2.0), Call(1.0, 0.5), Call(0.0, 2.0), Call(5.0, 50.0)]
    engines = ["numpy"] if every else ["numpy", "native"]
    equal = check(f, *calls, engines=engines, may_refuse=refused)
    assert refused or equal
