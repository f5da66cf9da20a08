"""Async functions that compute are graphs; what really waits is refused by name."""

import asyncio

import numpy as np
import pytest

import runtime as rt
from autograph.errors import StagingError
from tests.differential import check_scenario

X, Y = np.array([3.0, -1.0, 4.0]), np.array([-2.0, 7.0, -1.0])


def test_control_flow_that_depends_on_data():
    def scenario(function):
        @function
        async def f(x):
            total = 0.0
            for v in x:
                if v > 3:
                    return total, "early"
                total += v
            return total, "end"

        return [asyncio.run(f(x)) for x in (X, Y, X[:1])]

    assert check_scenario(scenario)


def test_an_async_function_in_another():
    @rt.function
    async def inner(x):
        return x * 2 if x[0] > 0 else x

    @rt.function
    async def outer(x):
        return (await inner(x)).sum()

    assert asyncio.run(outer(X)) == 12
    assert asyncio.run(outer(Y)) == 4
    assert outer.trace_count == 1


class Ready:
    """Hands its loop something to wait for."""

    def __await__(self):
        yield self


def test_what_waits_is_refused():
    @rt.function
    async def f(x):
        await Ready()
        return x

    with pytest.raises(StagingError, match=r"`.*f` waits for something that happens outside"):
        asyncio.run(f(X))


def test_sleeping_is_refused():
    @rt.function
    async def f(x):
        await asyncio.sleep(0)
        return x

    with pytest.raises(StagingError, match="sleep"):
        asyncio.run(f(X))
