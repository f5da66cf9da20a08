"""Attributes of objects from outside, globals, variables of closures and iterators, where paths meet.

Each is a fact of the same heap as what objects of the run hold: the same rules for `if`, loops, handlers
and recursion. What they hold after a call is compared as well.
"""

from __future__ import annotations

from tests.features.registry import floats
from tests.programs import Programs

PROGRAMS = Programs()
of, scenario = PROGRAMS.of, PROGRAMS.scenario

CALLS = [floats(1, -2, 3, 0.5, -0.5, 2.5), floats(-1, 2, -3), floats(2, 1, 2)]


class Box:
    total = 0.0

    def __init__(self, v):
        self.v = v
        self.w = 2.0


def on_a_box(program):
    """The program called with a box from outside, which is compared afterwards."""

    def make(function):
        compiled, seen = function(program), []
        for x in CALLS:
            box = Box(0.5)
            try:
                seen.append(compiled(x, box))
            except ValueError as error:
                seen.append(str(error))
            seen.append(vars(box))
        return seen

    make.__name__ = program.__name__
    scenario(make)
    return program


@on_a_box
def attributes_in_handlers_of_a_loop(x, box):
    for i in range(len(x)):
        if x[i] > 0:
            box.v = box.v + x[i]
            try:
                box.w = box.w / 2
                if x[i] > 2:
                    raise ValueError("large")
                box.v += 1
            except ValueError:
                box.v = box.v * 2
        else:
            box.w -= 1
    return box.v, box.w


@on_a_box
def a_loop_in_a_try_in_a_loop(x, box):
    seen = []
    for v in x:
        try:
            for k in range(3):
                box.v = box.v + 1
                if v > k:
                    raise IndexError
        except IndexError:
            seen.append(box.v)
        else:
            seen.append(-box.v)
        finally:
            box.w = box.w + box.v
    return seen


@on_a_box
def an_error_leaves_attributes_behind(x, box):
    for v in x:
        box.v = box.v + v
        if v < 0:
            raise ValueError(f"{box.v}")
        box.w = v
    return box.v


@on_a_box
def a_deleted_attribute_is_set_on_one_path(x, box):
    del box.w
    if x[0] > 0:
        box.w = 5.0
    try:
        return box.w
    except AttributeError:
        return -1.0


@on_a_box
def attributes_are_swapped_by_a_callee(x, box):
    def swap():
        box.v, box.w = box.w, box.v

    for v in x:
        if v > 0:
            swap()
        if v > 2:
            box.v = None
        if box.v is None:
            box.v = 0.0
    return box.v


@on_a_box
def recursion_stores_to_attributes(x, box):
    def walk(k):
        box.v = box.v + k
        if k > 0:
            walk(k - 1)
        box.w = box.w + box.v

    walk(len(x))
    return box.v, box.w


@scenario
def a_loop_stores_a_list_to_an_attribute(function):
    box = Box(None)

    def program(x, n):
        a, b, k = x[:3]
        row = [a, b]
        for k in range(n):
            box.v = row
        return k

    compiled = function(program)
    return [(compiled(CALLS[0], n), box.v) for n in (3, 0)]


@scenario
def two_boxes_of_which_one_is_chosen(function):
    def program(x, a, b):
        box = a
        for v in x:
            box.v = box.v + v
            box = b if v > 0 else a
        return a.v, b.v

    compiled = function(program)
    return [compiled(x, Box(0.5), Box(2.5)) for x in CALLS]


@of(*CALLS)
def a_variable_counts_in_a_handler(x):
    n = 0

    def bump(k):
        nonlocal n
        n += k
        return n

    s = 0.0
    for v in x:
        if v > 0:
            s += bump(2)
        else:
            try:
                if v < -1:
                    raise KeyError(1)
                s -= bump(1)
            except KeyError:
                bump(10)
    return n, s


@of(*CALLS)
def an_inner_handler_alone_goes_on(x):
    v = 0.0
    seen = []

    def double():
        nonlocal v
        v = v * 2

    try:
        try:
            for k in range(3):
                v = v + x[k]
                if v > 3:
                    raise ValueError(v)
            raise KeyError(v)
        except (ValueError, KeyError):
            double()
        seen.append(1.0 / v)
        if v > 7:
            raise IndexError(v)
    except ZeroDivisionError:
        seen.append(v)
    except IndexError:
        seen.append(-v)
    return seen, v


@of(*CALLS)
def an_object_is_made_in_an_inner_handler(x):
    n = 0
    queue = [n]
    box = None

    def same():
        nonlocal n
        n = n

    try:
        try:
            for _ in list(queue):
                queue.pop()
            raise ValueError
        except (ValueError, KeyError):
            box = Box(n)
    finally:
        pass
    return queue, box.v


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
def two_counters_of_one_kind(x):
    def make():
        total = 0.0

        def add(v):
            nonlocal total
            total = total + v
            return total

        return add

    add, other = make(), make()
    for v in x:
        if v > 0:
            add(v)
            fresh = make()
            fresh(v)
        else:
            other(-v)
    return add(0.0), other(0.0)


@of(*CALLS)
def a_variable_is_none_at_first(x):
    most = None

    def see(v):
        nonlocal most
        if most is None or v > most:
            most = v

    for v in x:
        see(v)
    return most


@of(*CALLS)
def a_variable_is_one_of_several_texts(x):
    state, n = "a", 0

    def step(v):
        nonlocal state, n
        if state == "a" and v > 0:
            state = "b"
        elif state == "b" and v < 0:
            state = "c"
            n += 1
        elif state == "c":
            state = "a"

    for v in x:
        step(v)
    return state, n


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
def an_iterator_is_advanced_on_some_paths(x):
    it = iter(x)
    t = 0.0
    if x[0] > 0:
        t += next(it)
        if x[1] > 0:
            t += next(it) * 10
    for v in it:
        t = t * 2 + v
    return t


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


@of(0, 1, 3, 5)
def recursion_counts_its_depth(k):
    depth = most = 0

    def walk(k):
        nonlocal depth, most
        depth += 1
        most = max(most, depth)
        if k > 0:
            walk(k - 1)
            walk(k - 2)
        depth -= 1

    walk(k)
    return depth, most


@scenario
def attributes_of_a_class_from_outside(function):
    def program(x):
        Box.total = 0.0
        for v in x:
            if v > 0:
                Box.total = Box.total + v
            else:
                Box.total -= 0.5
        return Box.total + Box(1.0).total

    compiled = function(program)
    return [(compiled(x), Box.total) for x in CALLS]


test_program = PROGRAMS.test()
