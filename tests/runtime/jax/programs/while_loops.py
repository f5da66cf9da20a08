"""Programs with `while`."""

import jax.numpy as jnp

from tests.runtime.jax.programs.program import F, program


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
