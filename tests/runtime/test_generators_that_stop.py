"""A StopIteration that leaves the code of a generator is a RuntimeError (PEP 479)."""

import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.programs import Programs

PROGRAMS = Programs()


def advancing(n):
    items = iter(range(n))
    while True:
        yield next(items)


def raising(n):
    for i in range(n):
        if i > 2:
            raise StopIteration(i)
        yield i


def first_of(items):
    return next(items)


@PROGRAMS.of((0,), (3,))
def in_a_call(n):
    return list(advancing(n))


@PROGRAMS.of((0,), (3,))
def in_a_loop(n):
    total = 0
    for v in advancing(n):
        total += v
    return total


@PROGRAMS.of((0,), (3,))
def of_a_generator_expression(n):
    return list(next(iter(range(k))) for k in range(n, 3))


@PROGRAMS.of((0,), (3,))
def pulled(n):
    return next(advancing(n))


@PROGRAMS.of((0,), (3,))
def delegated(n):
    def outer():
        yield from advancing(n)

    return list(outer())


@PROGRAMS.of((3,), (7,))
def of_a_function_that_the_generator_calls(n):
    def generator():
        items = iter(range(n))
        for _ in range(5):
            yield first_of(items)

    return list(generator())


@PROGRAMS.of((0,), (3,))
def one_that_the_generator_handles(n):
    def generator():
        items = iter(range(n))
        while True:
            try:
                v = next(items)
            except StopIteration:
                return
            yield v

    return list(generator())


@PROGRAMS.of((0,), (3,))
def one_of_the_consumer(n):
    items = iter(range(n))
    total = 0
    for _ in raising(3):
        total += next(items)
    return total


test_program = PROGRAMS.test()


def test_one_that_only_a_run_raises_is_refused():
    with pytest.raises(StagingError, match="a StopIteration leaves a generator") as refused:
        rt.function(lambda n: sum(raising(n)))(5)
    assert "return there" in (refused.value.hint or "")
