"""Effects keep program order: prints, raises, asserts, handlers, on every call."""

import numpy as np

from tests.features.registry import floats, ints
from tests.semantics.cases import case, scenario

X, Y = floats(3, -1, 4), floats(-2, 7, -1)


@case(X, Y)
def prints_in_order_from_branches_and_loops(x):
    print("begin", x)
    for i in range(3):
        if x[i] > 0:
            print("item", i, "is", x[i])
            x[i] = 0
        print(x)
    print("end", x.sum(), sep="=", end=".\n")
    return x


@case(X, Y)
def a_printed_array_is_printed_as_it_was_then(x):
    y = x * 1
    print(y)
    y += 1
    if x[0] > 0:
        print(y)
        y[0] = 100
    print(y)


@case(np.int64(3), np.int64(0), np.int64(5))
def print_inside_a_while_with_break(n):
    i = 0
    while True:
        print("i", i)
        if i >= n:
            print("enough")
            break
        i += 1
        if i == 4:
            continue
        print("after", i * 2)
    return i


@case(X, Y)
def and_or_evaluate_their_operands_in_order(x):
    def loud(name, v):
        print("evaluate", name)
        return v

    if loud("a", x[0] > 0) and loud("b", x[1] > 0) or loud("c", x[2] > 0):
        print("yes")
    return loud("d", x[0]) if loud("e", x[1] > 0) else loud("f", x[2])


@case(ints(4, 2), ints(4, 0), ints(-4, 2))
def raise_at_the_users_line(x):
    print("checking")
    if x[1] == 0:
        raise ZeroDivisionError("second item is zero")
    if x[0] < 0:
        raise ValueError(
            f"first item is {x[0]}",
            x[1],
        )
    return x[0] / x[1]


@case(X, Y, -abs(X))
def assert_at_the_users_line(x):
    total = 0.0
    for v in x:
        assert v > -2, f"{v} is too small after {total}"
        assert v != 4
        total = total + v
    return total


@case(X, Y)
def the_message_of_an_assert_is_built_only_when_it_fails(x):
    def message():
        print("building the message")
        return "negative"

    assert x[0] > 0, message()
    return x


@case(np.int64(2), np.int64(5), np.int64(-1))
def an_exception_from_a_callee_carries_its_line(n):
    def checked(v):
        if v > 4:
            raise OverflowError("too large")
        return v + 1

    total = 0
    for i in range(n + 2):
        total = total + checked(i)
    return total


@case(ints(8, 2), ints(8, 0))
def raise_from(x):
    try:
        return int(x[0]) // int(x[1])
    except ZeroDivisionError as error:
        raise ValueError("bad divisor") from error


@case((X, np.int64(1)), (X, np.int64(5)), (X, np.int64(-1)))
def caught_and_continued(x, i):
    try:
        x[0] = x[i]
        print("read", x[0])
    except IndexError as error:
        print("caught", error)
        x[0] = -1
    else:
        print("no error")
    finally:
        print("finally")
    return x


@case((X, np.int64(1)), (X, np.int64(5)))
def finally_runs_when_an_exception_passes(x, i):
    try:
        x[0] = 10
        v = x[i]
    finally:
        x[1] = 20
        print("cleaned up")
    return v


@case(X, Y)
def return_in_finally_order(x):
    for v in x:
        try:
            if v < 0:
                return v
            print("positive", v)
        finally:
            print("done with", v)
    return 0.0


@case(np.int64(4), np.int64(0))
def unbound_variable_raises_with_its_name(n):
    print("before")
    for i in range(n):
        last = i * 2
    print("after")
    return last


@case(X, Y)
def deleted_variable_raises_with_its_name(x):
    y = x * 2
    if x[0] > 0:
        del y
    return y


@case((X, np.int64(0)), (X, np.int64(1)), (X, np.int64(2)))
def f_strings_with_specs_and_conversions(x, i):
    v = x[i]
    text = f"{v}|{v:.2f}|{v:>8}|{v!r}|{int(v)}|{int(v):03d}|{float(v)!r}|{i}"
    print(text, f"{x}", f"{v > 0}", f"{v=}")
    return i


@scenario
def prints_happen_on_every_call(function):
    @function
    def f(x):
        print("called with", x)
        if x[0] > 0:
            print("positive")
        return x[0]

    return [f(v) for v in (X, Y, X, X)]


class Custom(Exception):
    def __init__(self, code, where):
        super().__init__(f"code {code}")
        self.code = code
        self.where = where


@case(X, Y, abs(X))
def exception_objects_keep_their_attributes(x):
    for i, v in enumerate(x):
        if v < 0:
            raise Custom(v, i)
    return x


@case(X, Y)
def caught_exception_objects_are_used(x):
    try:
        if x[0] < 0:
            raise Custom(x[0], 3)
    except Custom as error:
        return error.code * 2, error.where
    return x[0], 0


@case(ints(1, 2), ints(-1, 2))
def effects_of_arguments_come_before_the_call(x):
    def loud(v):
        print("argument", v)
        return v

    def add(a, b=0, *rest, c=0):
        print("call")
        return a + b + sum(rest) + c

    if x[0] > 0:
        return add(loud(x[0]), loud(x[1]), c=loud(3))
    return add(loud(x[1]), *[loud(1), loud(2), loud(3)])
