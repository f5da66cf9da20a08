"""What a generator does while it is closed: prints, raises, yields again; and who may hold it till then."""

import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check
from tests.runtime.generators import in_a_handler, with_finally


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


PROGRAMS = [held_by_a_variable, takes_the_error_of_the_inner_one, an_object_with_a_generator]


@pytest.mark.parametrize("f", PROGRAMS)
def test_programs(f):
    assert check(f, Call(5.0, 2.0), Call(1.0, 0.5), Call(5.0, 50.0))


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
