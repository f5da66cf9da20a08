"""A value is formatted before the next one of its f-string is evaluated, which may change it."""

import numpy as np

from tests.differential import check_converted
from tests.programs import Programs

PROGRAMS = Programs()
CALLS = [(np.array(items),) for items in ([1.0, 2.0], [-1.0, 5.0])]
case = PROGRAMS.of(*CALLS)


def write(a):
    a[0] = 99.0
    return a[1]


class Counter:
    def __init__(self, v):
        self.v = v

    def __str__(self):
        return f"<{self.v}>"

    def bump(self):
        print("bump")
        self.v = self.v + 1
        return self.v


@case
def an_array_that_is_written(a):
    first = f"{a} and {write(a):.3f}"
    a[0] = 1.0
    return first, f"{a!r} {write(a)} {a}", a


@case
def with_percent(a):
    first = "%s and %s" % (a, write(a))
    a[0] = 1.0
    second = "%5s|%-30r|%.4s %%" % (a[0], a, write(a))
    a[0] = 1.0
    return first, second, "%d of %s" % (a[1], write(a)), "%s %d" % (a, write(a))


@case
def a_list_that_grows(a):
    items = [1.0]
    if a[0] > 0:
        items.append(5.0)

    def grow():
        items.append(a[1])
        return len(items)

    return f"{items} {grow()} {items}", "%s %s %s" % (items, grow(), items)


@case
def an_object_that_changes(a):
    counter = Counter(a[0])
    return f"{counter} {counter.bump()} {counter}", "%s|%s" % (counter, counter.bump())


@case
def a_complaint_before_the_next_value(a):
    try:
        return f"{a[0]:d} {write(a)}"
    except ValueError as error:
        return str(error), a


test_program = PROGRAMS.test()


def test_converted_without_a_trace():
    for f in (an_array_that_is_written, with_percent, a_list_that_grows, an_object_that_changes):
        check_converted(f, *CALLS)
