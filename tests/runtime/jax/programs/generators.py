"""Programs with generator functions, whose loops and conditions are staged."""

from tests.runtime.jax.programs.program import LONG, NUMBERS, VECTOR, program


def positives(xs):
    for x in xs:
        if x > 0:
            yield x


def both_ways(xs):
    for x in positives(xs):
        yield x * 2
    yield from positives(-xs)
    if xs[0] > 0:
        yield xs[0]


def halves(x):
    while x > 0.15:
        yield x
        x = x / 2


class Readings:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        for x in self.xs:
            if x > 0.55:
                yield x

    def between(self, low, high):
        for i, x in enumerate(self.xs):
            if low < x < high:
                yield i, x


@program(LONG, VECTOR, grad=True)
def a_generator_function(xs):
    total = 0.0
    for x in positives(xs):
        total += x * x
    return total


@program(LONG, -LONG, grad=True)
def a_generator_with_break(xs):
    total, count = 0.0, 0
    for x in positives(xs):
        if count == 3:
            break
        total, count = total + x * x, count + 1
    return total


@program(LONG, VECTOR)
def a_generator_with_return(xs):
    for x in positives(xs):
        if x > 0.6:
            return x
    return -1.0


@program(LONG, -LONG, grad=True)
def a_generator_of_generators(xs):
    total = 0.0
    for x in both_ways(xs):
        total = total * 0.9 + x
    return total


@program(*NUMBERS, forward=True)
def a_generator_with_while(x):
    total = 0.0
    for part in halves(x):
        total += part * part
    return total


@program(LONG, -LONG)
def folds_of_generator_functions(xs):
    squares = sum(x * x for x in positives(xs) if x < 1)
    return sum(positives(xs)), squares, max(positives(xs), default=0.0), any(x > 2 for x in positives(xs))


@program(LONG, -LONG, grad=True)
def generator_methods(xs):
    readings, total = Readings(xs), 0.0
    for i, x in readings.between(-1.0, 1.5):
        total += i * x
    for x in readings:
        total = total * 0.5 + x
    return total + sum(readings)


@program(LONG, -LONG, grad=True)
def a_generator_and_its_consumer_share_names(xs):
    total = 0.0

    def products():
        total = 1.0
        for x in xs:
            if x > 0:
                total = total * x
            yield total

    for x in products():
        total += x
    return total


@program(LONG, -LONG, grad=True)
def items_assigned_while_a_generator_runs(xs):
    found = xs * 0
    for x in positives(xs):
        found[0] += x
        found[1] = x
    return found


@program(VECTOR, grad=True)
def a_generator_that_is_pulled(xs):
    def pairs(n):
        for i in range(n):
            for j in range(i):
                yield i, j

    made = pairs(len(xs))
    first = next(made)
    total = xs[first[0]]
    for i, j in made:
        total += xs[i] * xs[j]
    return total * len(list(pairs(3)))
