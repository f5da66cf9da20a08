"""Generators with `try` and `with` around their `yield`, and loops that close them: each with each."""

import contextlib
import itertools

import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check


class Manager:
    def __enter__(self):
        print("enter")
        return 2.0

    def __exit__(self, kind, error, traceback):
        print("exit", kind is None or kind.__name__)


@contextlib.contextmanager
def announced():
    print("begin")
    try:
        yield 3.0
    finally:
        print("end")


# Generators


def with_finally(n):
    i = 0.0
    try:
        while i < n:
            yield i
            i += 1.0
    finally:
        print("finally", i)


def with_handlers(n):
    i = 0.0
    while i < n:
        try:
            if i == 1:
                raise ValueError("one")
            yield i
            if i == 3:
                raise KeyError("three")
        except ValueError as error:
            print("value", error)
            yield -1.0
        except LookupError:
            print("lookup")
        else:
            print("else", i)
        finally:
            print("finally", i)
        i += 1.0


def that_sees_the_end(n):
    i = 0.0
    while i < n:
        try:
            yield i
        except BaseException as error:
            print(type(error).__name__, error.args, error.__context__)
            raise
        i += 1.0


def that_swallows_the_end(n):
    i = 0.0
    try:
        while i < n:
            yield i
            i += 1.0
    except GeneratorExit:
        print("closed")
    print("through", i)


def that_returns_at_the_end(n):
    i = 0.0
    while i < n:
        try:
            yield i
        except GeneratorExit:
            print("closed at", i)
            return
        i += 1.0


def with_manager(n):
    i = 0.0
    with Manager() as factor:
        while i < n:
            yield i * factor
            i += 1.0


def with_contextmanager(n):
    i = 0.0
    with announced() as factor:
        while i < n:
            yield i * factor
            i += 1.0


def with_several(n):
    with Manager() as a, Manager() as b:
        for i in range(4):
            if i < n:
                yield i * a * b
    yield 100.0


def one_in_the_other(n):
    try:
        for v in with_finally(n):
            yield v
    finally:
        print("outer")


def delegating(n):
    try:
        yield from with_finally(n)
        yield from [7.0, 8.0]
    finally:
        print("outer")


def counting(n):
    i = 0.0
    while i < n:
        yield i
        i += 1.0
    return i * 10


def with_value(n):
    got = yield from counting(n)
    print("got", got)
    yield got
    nothing = yield from [1.0]
    print(nothing)


def in_a_handler(n):
    try:
        if n > 1:
            raise ValueError(n)
    except ValueError as error:
        yield 0.5
        yield error.args[0]
    finally:
        print("finally")


def in_a_finally(n):
    i = 0.0
    try:
        i = n * 2
    finally:
        yield i
        yield i + 1


def that_fails(n):
    i = 0.0
    try:
        while i < n:
            yield i
            i += 1.0
            if i == 3:
                raise ArithmeticError(i)
    finally:
        print("finally", i)


GENERATORS = [
    with_finally, with_handlers, that_sees_the_end, that_swallows_the_end, that_returns_at_the_end,
    with_manager, with_contextmanager, with_several, one_in_the_other, delegating, with_value,
    in_a_handler, in_a_finally, that_fails,
]  # fmt: skip


# Loops


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


@pytest.mark.parametrize(("items", "loop"), list(itertools.product(GENERATORS, LOOPS)))
def test_each_with_each(items, loop):
    def f(n, stop):
        return loop(items, n, stop)

    refused = (items.__name__, loop.__name__) in REFUSED
    every = (GENERATORS.index(items) + LOOPS.index(loop)) % 4  # native takes long to compile
    calls = [Call(5.0, 2.0), Call(1.0, 0.5), Call(0.0, 2.0), Call(5.0, 50.0)]
    engines = ["numpy"] if every else ["numpy", "native"]
    equal = check(f, *calls, engines=engines, promotes=True, may_refuse=refused)
    assert refused or equal


# Programs of their own


def held_by_a_variable(n, stop):
    items = with_finally(n)
    total = 0.0
    for v in items:
        total += v
    print("after")
    return total


def raises_while_closed(n):
    i = 0.0
    try:
        while i < n:
            yield i
            i += 1.0
    finally:
        if i > 1:
            raise KeyError("closing")


def delegates_to_what_raises(n):
    try:
        yield from raises_while_closed(n)
    except KeyError as error:
        print("taken", error)


def takes_the_error_of_the_inner_one(n, stop):
    for v in delegates_to_what_raises(n):
        if v > stop:
            break
    print("after")
    return v


class Rows:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        try:
            yield from range(3)
            yield self.n
        finally:
            print("closed")


def an_object_with_a_generator(n, stop):
    for v in Rows(n):
        if v > stop:
            break
    print("after")
    return v


def returns_values(n):
    if n > 3:
        yield n
        return "large", n
    yield -n
    return "small", n


def uses_values(n):
    kind, value = yield from returns_values(n)
    print(kind, value)
    other: tuple = yield from returns_values(value - 3)
    yield value + other[1]


def the_value_of_a_yield_from(n, stop):
    return [v for v in uses_values(n)]


PROGRAMS = [
    held_by_a_variable, takes_the_error_of_the_inner_one, an_object_with_a_generator,
    the_value_of_a_yield_from,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_programs(f):
    assert check(f, Call(5.0, 2.0), Call(1.0, 0.5), Call(5.0, 50.0), promotes=True)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_what_is_raised_while_closed_is_ignored(engine, monkeypatch):
    def f(n, stop):
        for v in raises_while_closed(n):
            if v > stop:
                break
        return v

    seen = []
    monkeypatch.setattr("sys.unraisablehook", seen.append)
    assert rt.function(f, engine=engine)(5.0, 2.0) == f(5.0, 2.0) == 3.0
    ours, plain = seen
    assert ours.exc_type is plain.exc_type is KeyError
    assert ours.exc_value.args == plain.exc_value.args
    assert repr(ours.object).partition(" at ")[0] == repr(plain.object).partition(" at ")[0]
    assert [e.tb_lineno for e in entries(ours)] == [e.tb_lineno for e in entries(plain)]


def entries(args):
    entry = args.exc_traceback
    while entry is not None:
        yield entry
        entry = entry.tb_next


def held_and_left(n, stop):
    items = with_finally(n)
    for v in items:
        if v > stop:
            break
    print("before it is closed")
    return v


def held_in_enumerate(n, stop):
    pairs = enumerate(with_finally(n))
    for k, v in pairs:
        if v > stop:
            break
    print("before it is closed")
    return k


def yields_again(n, stop):
    def stubborn():
        i = 0.0
        while i < n:
            try:
                yield i
            except GeneratorExit:
                print("no")
            i += 1.0

    for v in stubborn():
        if v > stop:
            break


def asks_what_is_handled(n, stop):
    for v in in_a_handler(n):
        try:
            if v > stop:
                raise KeyError(v)
        except KeyError as error:
            print(error.__context__)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (held_and_left, "may end before the generator `with_finally` does, which a variable holds"),
        (held_in_enumerate, "may end before the generator `with_finally` does, which a variable holds"),
        (yields_again, "the generator `yields_again.<locals>.stubborn` may yield while it is closed"),
        (
            asks_what_is_handled,
            "the context of an exception is read in a loop over a generator that yields in a",
        ),
    ],
)
def test_refused(f, words):
    with pytest.raises(StagingError) as caught:
        rt.function(f)(5.0, 2.0)
    assert words in str(caught.value)
