"""The truth of a range and of the views of a dict is that of their length; an iterator is always true."""

from tests.programs import Programs

PROGRAMS = Programs()


@PROGRAMS.of((0, 0, 1), (0, 3, 1), (3, 0, 1), (3, 0, -1))
def of_a_range_with_a_step(start, stop, step):
    return bool(range(start, stop, step))


@PROGRAMS.of((0,), (2,))
def in_a_while(n):
    r, turns = range(n), 0
    while r:
        r, turns = r[1:], turns + 1
    return turns


@PROGRAMS.of((0,), (2,))
def in_a_guard(n):
    match n:
        case int() if range(n):
            return 1
        case _:
            return 2


test_program = PROGRAMS.test()
