"""Generators with `try` and `with` around their `yield`, which loops close."""

import contextlib


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
