"""`with contextlib.closing(generator)` around a loop that may end early: closed where Python closes it."""

import contextlib
from contextlib import closing

import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import Call, check


def numbers(n):
    i = 0.0
    try:
        while i < n:
            yield i
            i += 1.0
    finally:
        print("closed at", i)


def that_raises_when_closed(n):
    i = 0.0
    try:
        while i < n:
            yield i
            i += 1.0
    finally:
        raise KeyError("while closing")


def plain_numbers(n):
    i = 0.0
    while i < n:
        yield i
        i += 1.0


class Manager:
    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, kind, error, traceback):
        print("exit", kind)


def with_manager(n):
    with Manager():
        for i in range(6):
            if i < n:
                yield i * 1.0


def breaks(x):
    total = 0.0
    with closing(numbers(x)) as items:
        for v in items:
            if v > 2:
                break
            total += v
    print("after")
    return total


def returns(x):
    with contextlib.closing(with_manager(x)) as items:
        for v in items:
            if v > 2:
                return v
        else:
            print("all")
    return -1.0


def raises(x):
    with closing(numbers(x)) as items:
        for v in items:
            if v > 2:
                raise ValueError(v)
    return 0.0


def takes(x):
    total = 0.0
    try:
        with closing(numbers(x)) as items:
            start = 2.0
            for v in items:
                if v > start:
                    raise ValueError("high")
                total += v
    except ValueError as error:
        print(error)
    return total


def raises_twice(x):
    with closing(that_raises_when_closed(x)) as items:
        for v in items:
            if v > 2:
                raise ValueError("of the loop")
            if v > 1.5 and x > 4:
                break
    return 0.0


def takes_what_closing_raises(x):
    try:
        with closing(that_raises_when_closed(x)) as items:
            for v in items:
                if v > 1:
                    break
    except KeyError as error:
        return str(error), repr(error.__context__)
    return "nothing", ""


def without_try(x):
    total = 0.0
    with closing(plain_numbers(x)) as items:
        for v in items:
            if v > 2:
                break
            total += v
    return total


def nested(x):
    total = 0.0
    with closing(numbers(x)) as outer:
        for v in outer:
            with closing(with_manager(v)) as inner:
                for w in inner:
                    total += w
                    if w > 1:
                        break
            if total > 4:
                break
    return total


def in_a_loop(x):
    total = 0.0
    while total < x:
        with closing(numbers(x)) as items:
            for v in items:
                total += v + 1.0
                if total > 3:
                    break
    return total


def one_of_two_managers(x):
    with Manager(), closing(numbers(x)) as items:
        for v in items:
            if v > 1:
                return v
    return -1.0


def under_a_condition(x):
    if x > 1:
        with closing(numbers(x)) as items:
            for v in items:
                if v > 1:
                    break
    return x


class Swallowing(Manager):
    def __exit__(self, kind, error, traceback):
        print("swallows", kind)
        return True


def within_one_that_swallows(x):
    with Swallowing():
        with closing(numbers(x)) as items:
            for v in items:
                if v > 1:
                    raise ValueError(v)
        print("through")
    return x


def within_a_generator(x):
    def low():
        with closing(numbers(x)) as items:
            for v in items:
                if v > 3:
                    return
                yield v

    total = 0.0
    for v in low():
        if v > 2.5:
            break
        total += v
    return total


FUNCTIONS = (
    breaks, returns, raises, takes, raises_twice, takes_what_closing_raises, without_try, nested, in_a_loop,
    one_of_two_managers, under_a_condition, within_one_that_swallows, within_a_generator,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_closed_as_in_python(function):
    check(function, *map(Call, (0.5, 5.0, 2.0, 4.0, 1.0, 3.5)))


def another_manager_leaves_first(x):
    with closing(numbers(x)) as items, Manager():
        for v in items:
            if v > 1:
                break
    return x


def another_loop_follows(x):
    with closing(numbers(x)) as items:
        for v in items:
            if v > 1:
                break
        print("between")
    return x


def given_by_another_manager(x):
    with closing(numbers(x)) as items:
        with contextlib.nullcontext(items) as again:
            for v in again:
                if v > 1:
                    break
        print("between")
    return x


def advanced_by_another_name(x):
    first = numbers(x)
    with closing(first) as items:
        for v in items:
            if v > 1:
                break
            next(first, None)
    return x


def advanced_afterwards(x):
    with closing(numbers(x)) as items:
        for v in items:
            if v > 1:
                break
    return next(items, -1.0)


@pytest.mark.parametrize(
    "function",
    [
        another_manager_leaves_first,
        another_loop_follows,
        given_by_another_manager,
        advanced_by_another_name,
        advanced_afterwards,
    ],
)
def test_closed_later_is_refused(function):
    with pytest.raises(StagingError, match="generator"):
        rt.function(function)(5.0)


def kept(x):
    items = numbers(x)
    for v in items:
        if v > 1:
            break
    return x


def test_the_hint_names_the_way_out():
    with pytest.raises(StagingError, match=r"contextlib.closing\(numbers\(...\)\) as items"):
        rt.function(kept)(5.0)
