"""What an object of the run or a list holds is read once, until somebody may have stored to that field."""

import runtime as rt
from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
scenario = PROGRAMS.scenario
X = floats(3, -1, 2, 0.5, -4)


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.next = None


def bodies(x):
    made = []
    for one in x:
        if one != 0:
            made.append(Body(one, 1.0))
    return made


@scenario
def a_store_through_another_name(function):
    @function
    def f(x, i, j):
        made = bodies(x)
        a, b = made[i], made[j]
        before = a.x
        b.x = 10.0
        return before + a.x * 100

    return [f(X, 0, 1), f(X, 2, 2), f(X, 1, -4)]


@scenario
def a_store_on_one_path(function):
    @function
    def f(x, i, j):
        made = bodies(x)
        a, b = made[i], made[j]
        a.x = 7.0
        if x[j] > 0:
            b.x = 8.0
        total = a.x
        if x[i] < 0:
            a.x = a.x + 1
        return total + a.x * 10

    return [f(X, i, j) for i in range(3) for j in range(3)]


@scenario
def a_store_that_is_read_in_the_next_iteration(function):
    @function
    def f(x):
        made = bodies(x)
        total = 0.0
        for k in range(len(made)):
            total += made[0].x
            made[k % 2].x = made[k].x + 1
            total += made[0].x * 10
        return total

    return [f(X), f(floats(1)), f(floats(0))]


@scenario
def a_link_that_changes(function):
    @function
    def f(x):
        made = bodies(x)
        for k in range(len(made) - 1):
            made[k].next = made[k + 1]
        first = made[0]
        second = first.next
        first.next = made[-1]
        again = first.next
        again.v = 5.0
        return second.v, again.v, made[-1].v, first.next is again, second is again

    return [f(X), f(floats(1, 2))]


@scenario
def items_of_lists_that_are_one_or_two(function):
    @function
    def f(x, same):
        a = [v for v in x if v > 0]
        b = a if same else [v for v in x if v > 0]
        first = a[0]
        b[0] = 9.0
        a.append(first)
        return first, a[0], b[0], len(a), len(b), a[-1]

    return [f(X, True), f(X, False), f(-X, True)]


@scenario
def an_attribute_that_is_deleted(function):
    @function
    def f(x, i):
        made = bodies(x)
        a = made[i]
        a.v = 3.0
        kept = a.v
        if x[0] > 2:
            del made[0].v
        return kept, hasattr(a, "v")

    return [f(X, 0), f(X, 1), f(-X, 0)]


def test_loads_of_the_same_field_are_one():
    @rt.function
    def f(x, i, j):
        made = []
        for one in x:
            if one != 0:
                made.append(Body(one, one))
        a, b = made[i], made[j]
        b.v = a.x * a.x + a.x  # one load of `x`; a store to `v` is none to `x`
        return b.v + a.x  # and none of `v`

    assert f(X, 0, 1) == 15.0
    (concrete,) = f.concrete_functions
    loads = [op for op in concrete.optimized.operations() if op.name == "object.getattr"]
    assert [op.inputs[1].owner.attributes["value"] for op in loads] == ["x"]
