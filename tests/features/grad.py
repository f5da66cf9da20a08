"""Section "grad": derivatives through control flow."""

import numpy as np

from tests.features.registry import floats, gradient

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@gradient("grad if", X, Y)
def grad_if(x):
    if x[0] > 0:
        y = x * x
    else:
        y = x * 3
    return y.sum()


@gradient("grad while dynamic trip count", X, Y)
def grad_while(x):
    y = x.sum() / 10
    while y < 20:
        y = y * y + 1.5
    return y


@gradient("grad for with break", X, Y)
def grad_for_break(x):
    total = x[0] * 0
    for v in x:
        total = total + v * v
        if total > 20:
            break
    return total


@gradient("grad early return in loop", X, Y)
def grad_early_return(x):
    for v in x:
        if v > 3.5:
            return v * v * v
    return x.sum()


@gradient("grad list append", X, Y)
def grad_list_append(x):
    items = []
    for v in x:
        items.append(v * v if v > 0 else v)
    return np.stack(items).sum()


@gradient("grad array write", X, Y)
def grad_array_write(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] * x[i] if x[i] > 0 else x[i]
    y[0] = y[0] * y[1]
    return y.sum()


@gradient("grad newton solver", X, abs(Y))
def grad_newton(x):
    a = x[0] * x[0] + 1
    guess = a
    while abs(guess * guess - a) > 1e-12:
        guess = (guess + a / guess) / 2
    return guess
