"""Attributes that a loop changes are stored once, after the loop; nobody sees a difference."""

import numpy as np

import runtime as rt
from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()


class Account:
    bonus = 0.25

    def __init__(self, total=0.0, count=0):
        self.total = total
        self.count = count

    def add(self, value):
        self.total += value
        self.count += 1

    def __repr__(self):
        return f"Account({vars(self)})"


class Slotted:
    __slots__ = ("total", "count")

    def __init__(self):
        self.total = 0.0
        self.count = 0


class Watched(Account):
    def __setattr__(self, name, value):
        print("stores", name)
        super().__setattr__(name, value)


class Simulation:
    def __init__(self):
        self.x, self.v, self.t = 0.0, 1.0, 0.0

    def step(self, dt):
        self.v -= self.x * dt
        self.x += self.v * dt
        self.t += dt

    def until(self, t, dt):
        while self.t < t:
            self.step(dt)
        return self.x


NUMBERS = [k % 7 - 2.5 for k in range(50)]


def stores_in_loops(f, *args):
    """How many stores to attributes stand in loops of the graph that runs."""
    compiled = rt.function(f, engine="native")
    compiled(*args)
    graph = compiled.concrete_functions[0].compiled.executable.graph
    loops = [op for op in graph.operations() if op.name in ("for", "while")]
    inside = {op for loop in loops for block in loop.blocks for op in _walk(block)}
    return sum(op.name in ("store_attr", "store_item", "object.setattr") for op in inside)


def _walk(block):
    for op in block.operations:
        yield op
        for nested in op.blocks:
            yield from _walk(nested)


def test_which_stores_leave_their_loops():
    assert stores_in_loops(positive, Account(), NUMBERS) == 0
    assert stores_in_loops(Simulation.until, Simulation(), 1.0, 0.1) == 0
    assert stores_in_loops(over_accounts, [Account() for _ in range(40)], NUMBERS) == 2  # of the outer loop
    assert stores_in_loops(two_names, Account(), Account(), NUMBERS) == 2
    assert stores_in_loops(of_a_module, NUMBERS) == 0
    assert stores_in_loops(counter()[0], NUMBERS) == 0
    # where an index may be too small, or too large: `x[k + 1]`, and `x[k]` twice
    assert stores_in_loops(over_an_array, Account(), floats(1, 2, 3), 0, 2) == 2 * 2 * 3
    assert stores_in_loops(printed, Account(), NUMBERS) > 0
    assert stores_in_loops(new_attributes, Account(), NUMBERS) == 2


@PROGRAMS.of((Account(), NUMBERS), (Account(1.0, 2), []), (Slotted(), NUMBERS))
def positive(account, xs):
    for x in xs:
        if x > 0:
            account.total += x
            account.count += 1
    return account.total


@PROGRAMS.of((Simulation(), 1.0, 0.01), (Simulation(), -1.0, 0.01))
def simulated(simulation, t, dt):
    return simulation.until(t, dt), simulation.t, simulation.v


@PROGRAMS.of(([Account(k * 0.5) for k in range(40)], NUMBERS), ([Account() for _ in range(35)], []))
def over_accounts(accounts, xs):
    for account in accounts:
        for x in xs:
            if x > account.total:
                account.add(x)
    return len(accounts)


@PROGRAMS.scenario
def one_object_twice(function):
    @function
    def f(a, b, xs):
        for x in xs:
            a.total += x
            b.total *= 0.5
        return a.total, b.total

    one, other = Account(), Account(3.0)
    return f(one, other, NUMBERS), f(one, one, NUMBERS), vars(one), vars(other)


@PROGRAMS.of((Account(), Account(2.0), NUMBERS))
def two_names(a, b, xs):
    """A store by one of the names may be read by the other."""
    for x in xs:
        a.total += x
        b.total -= a.total
    return a, b


@PROGRAMS.of((Account(), NUMBERS))
def printed(account, xs):
    """What is printed in the loop shows what is stored by then."""
    for x in xs:
        account.total += x
        if x > 3:
            print(account)
    return account


@PROGRAMS.of((Account(), [2.0, -1.0, 0.0, 4.0]), (Account(), [1.0]), (Account(), [0.0]))
def divided(account, xs):
    """An exception leaves the object as it was when it was raised."""
    for x in xs:
        account.count += 1
        account.total += 1.0 / x
        account.count *= 2
    return account.total


@PROGRAMS.scenario
def divided_in_a_handler(function):
    @function
    def f(account, xs):
        try:
            for x in xs:
                account.count += 1
                account.total += 6 // x
        except ZeroDivisionError:
            account.total = -account.total
        return account.count

    account = Account()
    return f(account, [3, 2, 0, 1]), vars(account), f(account, [3, 1]), vars(account)


def new_attributes(account, xs):
    for x in xs:
        if x > 3:
            account.last = x
        if x < 0:
            account.bonus = account.bonus * 0.5 + x
        account.total += x
    return account.total


@PROGRAMS.scenario
def in_their_order(function):
    """Attributes stand in ``vars`` in the order in which they came, also where the class has a default."""
    account, other, none = Account(), Account(), Account()
    f = function(new_attributes)
    results = [f(account, NUMBERS), f(other, NUMBERS[::-1]), f(none, [])]
    return results, [list(vars(one)) for one in (account, other, none)]


@PROGRAMS.of(
    (Account(), floats(1, 2, -3, 4), 0, 3), (Account(), floats(1, 2), 0, 5),
    (Account(), floats(1, 2, 3), -3, 2), (Account(), floats(1, 2), -3, 2),
    (Account(), np.ones((2, 3)), 0, 3), (Account(), floats(1), 5, 6),
)  # fmt: skip
def over_an_array(account, x, start, n):
    """`x[k]` may raise an IndexError, with what was stored by then."""
    for k in range(start, n):
        account.total += x[k + 1] if x.ndim == 1 else x[k, k]
        account.count = k
        x[k] *= 2
        account.total += x.sum()
    return account.total


@PROGRAMS.of((Account(), NUMBERS, 5), (Account(), NUMBERS, 1000))
def left_early(account, xs, n):
    for k in range(100):
        for x in xs:
            account.add(x)
            if account.count >= n:
                break
        else:
            account.total *= 0.5
            continue
        break
    return account.total, k


@PROGRAMS.of((Account(), NUMBERS))
def int_and_float(account, xs):
    """An attribute that is now an int, now a float."""
    for x in xs:
        account.total = int(x) if x > 0 else x
    return account.total


TOTAL, COUNT = 0.0, 0


def of_a_module(xs):
    global TOTAL, COUNT
    for x in xs:
        if x > 0:
            TOTAL += 0.5 * x
            COUNT += 1
    return TOTAL


@PROGRAMS.scenario
def variables_of_a_module(function):
    """Also by the name of the module, and with a `ZeroDivisionError` in between."""
    import sys

    module = sys.modules[__name__]

    def both(xs):
        global COUNT
        for x in xs:
            COUNT += 1
            module.COUNT += 10
            module.TOTAL -= x

    def divided(xs):
        global COUNT
        for x in xs:
            COUNT += 1
            module.TOTAL += 1 // x

    module.TOTAL, module.COUNT = 0.0, 0
    seen = []
    for f in (function(of_a_module), function(both), function(divided)):
        for xs in (NUMBERS, [1, 2, 0, 3]):
            try:
                seen.append(f(xs))
            except ZeroDivisionError as error:
                seen.append(str(error))
            seen.append((module.TOTAL, module.COUNT))
    return seen


def counter():
    total, count = 0.0, 0

    def add(xs):
        nonlocal total, count
        for x in xs:
            total += x
            if x > 2:
                count += 1
        return total, count

    return add, lambda: (total, count)


@PROGRAMS.scenario
def variables_of_a_closure(function):
    add, read = counter()
    add = function(add)
    return add(NUMBERS), read(), add([]), read(), add([5.0]), read()


@PROGRAMS.of((Watched(), NUMBERS[:4]))
def a_setattr_of_its_own(account, xs):
    for x in xs:
        account.total += x
    return account.total


test_program = PROGRAMS.test()
