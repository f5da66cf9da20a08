"""Section "async"."""

import asyncio

from tests.features.registry import floats, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@scenario("async function")
def async_function(function):
    @function
    async def f(x):
        if x[0] > 0:
            return x * 2
        return x - 1

    return [asyncio.run(f(X)), asyncio.run(f(Y))]
