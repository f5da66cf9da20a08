"""Programs with nested loops, generators, lists and tuples that a loop carries."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tests.runtime.jax.programs.program import LONG, NUMBERS, VECTOR, F, program


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
