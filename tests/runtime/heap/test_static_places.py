"""Attributes of objects from outside, globals, variables of closures and iterators, where paths meet.

Each is a fact of the same heap as what objects of the run hold: the same rules for `if`, loops, handlers
and recursion. What they hold after a call is compared as well.
"""

from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
of, scenario = PROGRAMS.of, PROGRAMS.scenario

CALLS = [floats(1, -2, 3, 0.5, -0.5, 2.5), floats(-1, 2, -3), floats(2, 1, 2)]


@of(*CALLS)
def a_counter_leaves_its_path(x):
    def counter(a):
        c = a

        def add(k):
            nonlocal c
            c += k
            return c

        return add

    if x[0] > 0:
        f = counter(x[0] * 2)
        f(1)
    else:
        f = counter(3)
    r = f(5)
    if x[1] > 0:
        r = r + f(7)
    return r + f(0)


@of(*CALLS)
def a_variable_is_deleted_and_set_again(x):
    y = 1.0

    def get():
        return y

    def put(v):
        nonlocal y
        y = v

    z = 0.0
    for v in x:
        z += get()
        if v > 1:
            put(v)
        elif v < -1:
            del y
            y = 7.0
    return z, y


@of(*CALLS)
def the_test_of_a_while_changes_a_variable(x):
    n = i = 0

    def test():
        nonlocal n
        n += 1
        return i < len(x) and x[i] > 0

    while test():
        i += 1
    return i, n


@of(*CALLS)
def an_iterator_is_advanced_in_its_loop(x):
    it, taken = iter(x), []
    for v in it:
        if v > 0:
            taken.append(v + next(it, -9.0))
        else:
            try:
                taken.append(next(it))
            except StopIteration:
                taken.append(-100.0)
    return taken


@of(*CALLS)
def a_class_counts_its_instances(x):
    made = 0

    class Part:
        n = 0

        def __init__(self, v):
            nonlocal made
            made += 1
            Part.n += 1
            self.v = v

    part = None
    for v in x:
        if v > 0:
            part = Part(v)
    return made, Part.n, 0.0 if part is None else part.v


@of(*CALLS)
def a_generator_counts(x):
    n = 0

    def positive():
        nonlocal n
        for v in x:
            if v > 0:
                n += 1
                yield v

    s = 0.0
    for v in positive():
        s += v * n
    return s, n


test_program = PROGRAMS.test()
