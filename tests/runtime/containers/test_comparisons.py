"""`<`, `<=`, `==` of lists of which only a run knows the length."""

from tests.programs import Programs
from tests.runtime.containers.values import X, Y

PROGRAMS = Programs()


@PROGRAMS.of((X,), (Y,))
def lists_of_scalars(x):
    a = [v for v in x if v > 0]
    b = [v for v in x if v < 0]
    return a < b, a <= b, a > b, a >= b, a == b, a != b, a < [1.0], [2] > a, a == [3.0, 4.0]


@PROGRAMS.of((3,), (0,), (5,))
def lists_of_tuples(n):
    a = []
    b = []
    for i in range(n):
        a.append((i, str(i)))
        b.append((i, str(i + 1)))
    return a < b, sorted(a + b), max(a + b, default=None), min(b, default=0)


@PROGRAMS.of((3,), (0,), (5,))
def lists_of_lists(n):
    a = []
    b = []
    for i in range(n):
        a.append([i, i])
        b.append([i])
    return a < b, sorted(a + b), max(a + b, default=None)


@PROGRAMS.of((3,), (0,), (5,))
def as_tests(n):
    a = []
    for i in range(n):
        a.append(i)
    if a > [0, 1]:
        return 1
    while a < [5]:
        a = [a[-1] + 3 if a else 1]
    return a


test_program = PROGRAMS.test()
