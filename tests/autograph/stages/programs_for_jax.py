"""Programs that mean the same in plain Python over NumPy and under JAX's transformations.

Each is a function with the arguments to try. `grad` says that it can be differentiated, in reverse mode,
with respect to its first argument; `forward` that it can only be in forward mode (a loop whose number of
iterations is known only at run time).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


@dataclass
class Program:
    function: Callable[..., Any]
    arguments: list[tuple[Any, ...]]
    grad: bool = False
    forward: bool = False

    def __repr__(self) -> str:
        return self.function.__name__


PROGRAMS: list[Program] = []
F = np.float32


def program(*arguments: Any, grad: bool = False, forward: bool = False) -> Any:
    def add(function: Any) -> Any:
        tuples = [a if isinstance(a, tuple) else (a,) for a in arguments]
        PROGRAMS.append(Program(function, tuples, grad, forward or grad))
        return function

    return add


NUMBERS = (F(-2.5), F(-0.3), F(0.4), F(3.7))
VECTOR = np.array([0.5, -1.5, 2.25, 3.0, -0.75], F)
LONG = np.linspace(-2, 3, 17).astype(F)
MATRIX = np.arange(12, dtype=F).reshape(3, 4) / 7 - 0.8


# if


@program(*NUMBERS, grad=True)
def if_else(x):
    if x > 0:
        y = x * x
    else:
        y = -3 * x
    return y


@program(*NUMBERS, grad=True)
def elif_chain(x):
    if x < -1:
        y = x
    elif x < 0:
        y = x * x
    elif x < 1:
        y = x * x * x
    else:
        y = 2 * x
    return y


@program(*NUMBERS, grad=True)
def early_returns(x):
    if x < -1:
        return -x
    if x > 1:
        return x * x
    return 5 * x


@program(*NUMBERS, grad=True)
def nested_ifs(x):
    y = x
    if x > 0:
        if x > 1:
            y = x * 10
        y = y + 1
    else:
        if x < -1:
            y = y * y
    return y


@program(*NUMBERS, grad=True)
def nested_returns(x):
    if x > 0:
        if x > 1:
            return x * 2
        z = x + 1
    else:
        z = x - 1
    return z * z


@program(*NUMBERS)
def counts_promoted(x):
    n = 0
    if x > 0:
        n = 1
    if x > 1:
        n = 2.5
    return n


@program(*NUMBERS, grad=True)
def tuple_and_dict(x):
    pair = (x, 1.0)
    if x > 0:
        pair = (x * 2, x)
    state = {"a": pair[0], "b": pair[1]}
    if x > 1:
        state = {"a": x, "b": x * x}
    return state["a"] * state["b"]


@program(*NUMBERS, grad=True)
def ternary(x):
    return x * x if x > 0 else (-x if x > -1 else 7.0 * x)


@program(*NUMBERS, grad=True)
def ternary_not_evaluated(x):
    return jnp.sqrt(x) if x > 0 else 0.0 * x


@program(*NUMBERS, grad=True)
def walrus(x):
    if (y := x * x) > 1:
        return y + x
    return y


@program(*NUMBERS, grad=True)
def branch_local(x):
    if x > 0:
        t = x * 3
        x = t + 1
    return x


@program(*NUMBERS, grad=True)
def assigned_on_both(x):
    if x > 0:
        a, b = x, 1.0
    else:
        a, b = -1.0, x
    return a * b


@program(*NUMBERS, grad=True)
def none_then_tested(x):
    y = None
    if x > 0:
        y = x * 2
    if y is None:
        return x * x
    return y + 1


@program(*NUMBERS, grad=True)
def not_none(x):
    y = None
    if x > 0:
        y = x * 2
    z = x
    if y is not None and y > 1:
        z = y * x
    return z


@program(*NUMBERS, grad=True)
def none_or_greater(x):
    best = None
    if x < 0:
        best = -x
    if best is None or best > 1:
        best = x * x
    return best


@program(*NUMBERS, grad=True)
def string_chosen(x):
    mode = "square"
    if x < 0:
        mode = "double"
    if mode == "square":
        return x * x
    return x + x


@program(*NUMBERS, grad=True)
def function_chosen(x):
    f = jnp.sin
    if x > 0:
        f = jnp.cos
    return f(x)


@program(*NUMBERS, grad=True)
def match_values(x):
    n = 0
    if x > 0:
        n = 1
    match n:
        case 0:
            return x * 2
        case 1 if x > 1:
            return x * 3
        case _:
            return x * 4


# and, or, not


@program(*NUMBERS)
def logic(x):
    return (x > 0 and x < 1) or not x > -1


@program(*NUMBERS)
def chained(x):
    return -1 < x < 1


@program(*NUMBERS, grad=True)
def or_gives_operand(x):
    return x * (x > 0) or 3.0 * x


@program(F(0), F(2))
def short_circuit(x):
    return x != 0 and 1 / x > 0.2


@program(*NUMBERS)
def membership(x):
    n = int(x)
    return n in (0, 3), n not in [0, -2], n in VECTOR


@program(F(3.7), F(-3.7), F(0))
def conversions(x):
    return int(x), float(x) * 2, bool(x), round(x), abs(x)


@program(*NUMBERS, grad=True)
def min_and_max(x):
    return max(x, 0.0) * 3 + min(x, 1.0, x * x)


# while


@program(F(3), F(100), F(0.5), forward=True)
def halve(x):
    n = 0
    while x > 1:
        x = x / 2
        n += 1
    return x + n


@program(27, 7, 1)
def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@program((48, 36), (17, 5))
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@program(F(2), F(10), F(0.3), forward=True)
def newton(x):
    guess = x
    while abs(guess * guess - x) > 1e-4:
        guess = (guess + x / guess) / 2
    return guess


@program(F(5), F(50), forward=True)
def while_break_continue(x):
    total = 0.0
    i = 0
    while i < 30:
        i += 1
        if i % 2 == 0:
            continue
        if total > x:
            break
        total += i * x / 10
    return total


@program(F(5), F(50), forward=True)
def while_true_return(x):
    total = x
    while True:
        total = total * 1.5
        if total > 60:
            return total


@program(F(5), F(50), F(500), forward=True)
def while_else(x):
    n = 0
    while n < 10:
        n += 1
        if x > 100:
            break
        x = x * 1.7
    else:
        x = -x
    return x + n


@program(3, 11, 90)
def binary_search(key):
    table = jnp.arange(0, 200, 2)
    low, high = 0, 100
    while low < high:
        middle = (low + high) // 2
        if table[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@program(F(4), F(9))
def walrus_in_while(x):
    n = 0
    while (x := x - 1) > 2:
        n += 1
    return n, x


@program(F(5.5), F(50.3), forward=True)
def nested_whiles(x):
    total = 0.0
    while x > 1:
        y = x
        while y > 2:
            y = y / 2
            total += y
        x = x - 7
    return total


@program(10, 100)
def sieve(n):
    count = 0
    i = 2
    while i < n:
        j = 2
        prime = True
        while j * j <= i:
            if i % j == 0:
                prime = False
                break
            j += 1
        if prime:
            count += 1
        i += 1
    return count


# for


@program(0, 5, 20)
def range_of_staged(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


@program((2, 20), (5, 5), (9, 2))
def range_start_stop_step(a, b):
    total = 0
    for i in range(a, b, 3):
        total = total * 2 + i
    return total


@program((20, 2), (5, 5), (2, 9))
def range_down(a, b):
    total = 0
    for i in range(a, b, -4):
        total = total * 2 + i
    return total


@program(*NUMBERS, grad=True)
def static_range(x):
    total = x
    for i in range(12):
        total = total * 0.5 + x * i
    return total


@program(VECTOR, LONG, grad=True)
def over_array(xs):
    total = 0.0
    for x in xs:
        total = total * 0.9 + x * x
    return total


@program(VECTOR, LONG, grad=True)
def sum_of_positive(xs):
    total = 0.0
    for x in xs:
        if x > 0:
            total += x * x
    return total


@program(VECTOR, LONG, grad=True)
def break_in_for(xs):
    total = 0.0
    for x in xs:
        if x > 2:
            break
        total += x * x
    return total


@program(VECTOR, LONG, grad=True)
def continue_in_for(xs):
    total = 0.0
    for i in range(len(xs)):
        if xs[i] < 0:
            continue
        total += xs[i] * i
    return total


@program((VECTOR, F(2.5)), (LONG, F(0.4)), (LONG, F(99)), grad=True)
def return_in_for(xs, limit):
    total = 0.0
    for x in xs:
        if x > limit:
            return total * 2
        total += x * x
    return total


@program((VECTOR, F(3)), (LONG, F(3)), (LONG, F(99)))
def index_of(xs, wanted):
    for i, x in enumerate(xs):
        if x == wanted:
            return i
    return -1


@program((LONG, F(1)), (LONG, F(99)), grad=True)
def for_else(xs, limit):
    total = 0.0
    for x in xs:
        total += x * x
        if total > limit:
            break
    else:
        total = -total
    return total


@program((LONG, LONG * 2 + 1), (VECTOR, VECTOR[::-1] + 0.1), grad=True)
def zipped(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys):
        total += x * y if x < y else x
    return total


@program((LONG, VECTOR))
def zip_unequal(xs, ys):
    total = 0.0
    for i, (x, y) in enumerate(zip(xs, ys), 1):
        total += i * x * y
    return total


@program(LONG, grad=True)
def reversed_array(xs):
    total = 0.0
    for x in reversed(xs):
        total = total * 0.5 + x
    return total


@program(MATRIX, grad=True)
def rows_unpacked(m):
    total = 0.0
    for a, b, _, c in m:
        if a < b:
            total += a * b - c
    return total


@program(MATRIX, grad=True)
def nested_fors(m):
    total = 0.0
    for row in m:
        for x in row:
            if x > 0.5:
                break
            total += x * x
    return total


@program(LONG, VECTOR)
def argmax_by_hand(xs):
    best, at = xs[0], 0
    for i in range(1, len(xs)):
        if xs[i] > best:
            best, at = xs[i], i
    return best, at


@program(LONG, VECTOR, grad=True)
def none_accumulator(xs):
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


@program(LONG, VECTOR, grad=True)
def loop_variable_after(xs):
    for x in xs:
        last = x * x
    return x + last


@program(LONG, grad=True)
def fibonacci_like(xs):
    a, b = xs[0], xs[1]
    for _ in range(15):
        a, b = b, a * 0.5 + b
    return b


@program((LONG, 4), (LONG, 12))
def return_from_nested(xs, k):
    for i in range(20):
        for j in range(k):
            if i * j == 33:
                return i, j
    return -1, -1


@program(LONG, grad=True)
def appended(xs):
    squares = []
    for x in xs:
        squares.append(x * x)
    return jnp.stack(squares)[3] + squares[-1]


@program(*NUMBERS, grad=True)
def python_list_loop(x):
    total = x
    for name, weight in [("a", 0.5), ("b", 2.0)]:
        if total > weight:
            total = total * weight
        elif name == "b":
            total = total - 1
    return total


@program(*NUMBERS, grad=True)
def python_list_break(x):
    total = x
    for weight in [0.5, 2.0, 3.0]:
        total = total + x * weight
        if total > 2:
            break
    return total


@program(VECTOR, LONG, grad=True)
def generators(xs):
    total = sum(x * x for x in xs if x > 0)
    if any(x > 2 for x in xs) and not all(x > 0 for x in xs):
        return total * 2 + sum(a * b for a in xs for b in xs if a < b)
    return total


@program(F(2), F(-0.5), grad=True)
def nested_static_loops(x):
    total = 0.0
    for i in range(10):
        for j in range(10):
            if i * j > 20:
                break
            if (i + j) % 2:
                continue
            total += x * i - j
        else:
            total += x
    return total


class Pair(NamedTuple):
    a: Any
    b: Any


@program(F(1.1), F(7.3), grad=True)
def named_tuples(x):
    pair = Pair(x, 0.0)
    for i in range(20):
        if pair.a > 3:
            pair = pair._replace(a=pair.a - 1, b=pair.b + i * x)
        else:
            pair = Pair(pair.a * 2, pair.b)
    return pair.b + pair.a


@program(0, 1, 2)
def random_keys(seed):
    key = jax.random.key(seed)
    total = 0.0
    for _ in range(20):
        key, part = jax.random.split(key)
        if jax.random.uniform(part) > 0.5:
            total += jax.random.normal(part)
        else:
            key = part
    return total


@program((LONG, True), (LONG, False))
def python_flag(xs, flag):
    total = 0.0
    for x in xs:
        if flag and x > 0:
            total += x
    return total


@program(*NUMBERS)
def python_numbers_stay_python(x):
    size, code = 0, 7
    for i in range(30):
        size += i % 3
        code = (code * 1_000_003 + i) % 2**61
        if code % 101 == 0:
            break
    return jnp.zeros(size) + x, code % 1000


# items


@program(VECTOR, LONG, grad=True)
def cumulative(xs):
    for i in range(1, len(xs)):
        xs[i] += xs[i - 1]
    return xs


@program(VECTOR, LONG, grad=True)
def clipped_in_place(xs):
    for i in range(len(xs)):
        if xs[i] < 0:
            xs[i] = -2 * xs[i]
    return xs


@program((VECTOR, 3), (LONG, 0), grad=True)
def written_at_staged_index(xs, k):
    xs[k] = xs[k] * xs[k] + 1
    xs[k] *= 3
    return xs


@program(LONG, grad=True)
def slices_written(xs):
    xs[1:4] = 0.5 * xs[2:5]
    xs[-3:] += 1
    if xs[0] < 0:
        xs[0] = 7.0
    return xs


@program(VECTOR, LONG)
def bubble_sort(xs):
    for i in range(len(xs)):
        for j in range(len(xs) - 1):
            if xs[j] > xs[j + 1]:
                t = xs[j]
                xs[j] = xs[j + 1]
                xs[j + 1] = t
    return xs


@program(LONG, grad=True)
def list_items(xs):
    totals = [0.0, 0.0]
    for x in xs:
        if x > 0:
            totals[1] += x * x
        else:
            totals[0] = totals[0] - x
    return totals[0] * totals[1]


@program(LONG, grad=True)
def dict_items(xs):
    totals = {"low": 0.0, "high": 0.0}
    for x in xs:
        if x > 0:
            totals["high"] += x * x
        else:
            totals["low"] += x
    return totals["low"] * totals["high"]


# objects, functions


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
