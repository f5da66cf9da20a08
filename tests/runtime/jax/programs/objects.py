"""Programs with objects, closures, calls, assertions and exceptions."""

from tests.runtime.jax.programs.program import LONG, NUMBERS, program


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.moves = 0

    def add(self, amount):
        if amount > 0:
            self.balance = self.balance + amount
            self.moves += 1


@program(LONG, grad=True)
def attributes(xs):
    account = Account(1.0)
    for x in xs:
        account.add(x)
    return account.balance * account.moves


@program(*NUMBERS, grad=True)
def attribute_in_branch(x):
    account = Account(x)
    if x > 0:
        account.balance = x * x
    return account.balance


@program(LONG, grad=True)
def nonlocal_state(xs):
    total = 0.0

    def add(x):
        nonlocal total
        if x > 0:
            total += x * x

    for x in xs:
        add(x)
    return total


def _square_if_big(x):
    if x > 1:
        return x * x
    return x


@program(*NUMBERS, grad=True)
def calls(x):
    return _square_if_big(x) + _square_if_big(-x)


@program(*NUMBERS, grad=True)
def closures(x):
    def scaled(y):
        return y * x if y > 0 else y

    return scaled(x + 1) + scaled(-x)


@program(*NUMBERS, grad=True)
def assertion(x):
    assert x < 100, f"too large: {x}"
    return x * x


@program(*NUMBERS, grad=True)
def try_and_finally(x):
    y = x
    try:
        if x > 0:
            y = x * 2
    finally:
        y = y + 1
    return y


@program(*NUMBERS, grad=True)
def raise_in_branch(x):
    if x > 100:
        raise ValueError(f"too large: {x}")
    return x * x


@program(*NUMBERS, grad=True)
def raise_in_else(x):
    if x < 100:
        y = x * x
    else:
        raise ValueError("too large")
    return y
