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


@PROGRAMS.of((0,), (3,))
def in_a_call(n):
    return list(advancing(n))


test_program = PROGRAMS.test()


def test_one_that_only_a_run_raises_is_refused():
    with pytest.raises(StagingError, match="a StopIteration leaves a generator") as refused:
        rt.function(lambda n: sum(raising(n)))(5)
    assert "return there" in (refused.value.hint or "")
