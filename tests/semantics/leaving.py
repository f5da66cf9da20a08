"""What a call gives away is made at that call: sets, exceptions and objects, returned or stored outside."""

import collections
import functools

from tests.features.registry import floats
from tests.semantics.cases import case, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


class Box:
    pass


BOX = Box()
BOX.point = None
BOX.other = None


@scenario
def a_set_is_another_one_at_each_call(function):
    @function
    def f(x):
        if x[0] > 0:
            return {1, 2}
        return {3}

    first = f(X)
    first.add(5)
    return first, f(X), f(Y)


@scenario
def kinds_of_containers_are_made_anew(function):
    @function
    def f(x):
        return (
            collections.deque([x[0], 2], 5),
            collections.OrderedDict(a=x[0]),
            collections.defaultdict(list, {1: x[1]}),
            bytearray(b"ab"),
        )

    first = f(X)
    first[3].append(3)
    return first, f(X), f(Y)


@scenario
def exceptions_and_partials_are_returned(function):
    def double(v):
        return 2 * v

    @function
    def f(x):
        return ValueError(x[0]), functools.partial(double, x[1])

    (error, call), (other, later) = f(X), f(Y)
    return error.args, call(), other.args, later()


@case(X, Y)
def an_object_is_stored_and_changed(x):
    point = Point(x[0], x[1])
    BOX.point = point
    point.x = x[2]
    return BOX.point.x


@case(X, Y)
def an_object_is_stored_and_returned(x):
    point = Point(x[0], x[1])
    BOX.point = point
    return point


@case(X, Y)
def an_object_is_stored_on_both_paths(x):
    if x[0] > 0:
        BOX.point = Point(x[0], 1)
    else:
        BOX.point = Point(x[1], 2)
    BOX.point.x = 5.5
    return BOX.point


@case(X, Y)
def an_object_from_outside_is_returned_after_it_was_replaced(x):
    BOX.other = Point(1, 2)
    before = BOX.other
    BOX.other = Point(x[0], 2)
    return before.x, BOX.other


@case(X, Y)
def the_text_of_what_holds_values(x):
    point = [x[0], (x[1], 1)]
    print(point, {"a": x[2]})
    return str(point), repr((x[0],)), f"{point} {point!r:>30}", "{:.2f}|{}".format(x[0], point)
