"""Bisection over a black-box function: at which interest rate does a plan of payments break even?

`bisect` knows nothing of the function it is given but its values; the function has a loop of its own.

    python examples/bisection.py
"""

import numpy as np

import runtime as rt
from beside import beside_python


def bisect(function, low, high, tolerance):
    """A zero of `function` between `low` and `high`, where its signs must differ."""
    at_low = function(low)
    if at_low * function(high) > 0.0:
        raise ValueError("the function has the same sign at both ends")
    while high - low > tolerance:
        middle = (low + high) / 2.0
        at_middle = function(middle)
        if at_middle == 0.0:
            return middle
        if at_low * at_middle < 0.0:
            high = middle
        else:
            low, at_low = middle, at_middle
    return (low + high) / 2.0


@rt.function
def internal_rate(payments):
    """The monthly rate at which the payments' present value is zero."""

    def present_value(rate):
        value, discount = 0.0, 1.0
        for payment in payments:
            value += payment * discount
            discount /= 1.0 + rate
        return value

    return bisect(present_value, 0.0, 1.0, 1e-14)


def main(months: int = 2_000, engine: str = "auto") -> float:
    """A loan of 100000 paid back in `months` rising parts; returns its yearly rate."""
    payments = 1000.0 * (1.0 + 0.0004 * np.arange(months + 1))
    payments[0] = -100_000.0
    rate = beside_python(internal_rate, payments, engine=engine)
    yearly = (1.0 + float(rate)) ** 12 - 1.0
    print(f"{months} payments: {rate:.8%} a month, {yearly:.4%} a year")
    return yearly


if __name__ == "__main__":
    main()
