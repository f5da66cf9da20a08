"""What a trace knows of the attributes of objects of the run, and when it must not believe it any more.

Each program could get a value that an attribute held before somebody stored to it by another way. A run
compares what was known with what is there (AUTOGRAPH_VERIFY=loads) as well.
"""

import copy

import pytest

import runtime as rt
from runtime.graph import walk
from tests.features.registry import floats
from tests.programs import Programs
from tests.runtime.heap.test_items import PROGRAMS as ITEMS

PROGRAMS = Programs()
scenario = PROGRAMS.scenario
X = floats(3, -1, 2, 0.5, -4)


class Node:
    def __init__(self, value, following=None):
        self.value = value
        self.following = following
        self.count = 0

    def add(self, amount):
        self.value += amount
        self.count += 1
        return self

    def add_to_next(self, amount):
        if self.following is not None:
            self.following.value += amount


def nodes(x):
    """A list of nodes of which only a run knows how many there are."""
    made = []
    for one in x:
        if one != 0:
            made.append(Node(one))
    return made


@scenario
def one_object_under_two_indices(function):
    @function
    def f(x, i, j):
        made = nodes(x)
        a, b = made[i], made[j]
        a.value = 1.0
        b.value = 2.0
        first = a.value
        a.add(10.0)
        return first, a.value, b.value, a.count, b.count

    return [f(X, 0, 1), f(X, 2, 2), f(X, -1, 4)]


@scenario
def one_object_through_another_one(function):
    @function
    def f(x, i):
        made = nodes(x)
        held = made[0]
        held.value = 1.0
        for k in range(len(made)):
            made[k].following = made[i]
        made[1].add_to_next(5.0)
        before = held.value
        made[1].following.following.value = 7.0
        return before, held.value, made[i].value

    return [f(X, 0), f(X, 1), f(X, 3)]


@scenario
def an_object_chosen_from_two(function):
    @function
    def f(x, first):
        made = nodes(x)
        a, b = Node(1.0), Node(2.0)
        made.append(a)
        made.append(b)
        chosen = a if first else b
        chosen.value = 9.0
        results = a.value, b.value, chosen.value
        a.value = 5.0
        return results, chosen.value, chosen is a

    return [f(X, True), f(X, False)]


@scenario
def an_object_chosen_by_a_value(function):
    @function
    def f(x):
        made = nodes(x)
        a, b = Node(1.0), Node(2.0)
        chosen = a if x[0] > 0 else b
        chosen.add(1.0)
        a.add(10.0)
        made.append(chosen)
        made[-1].add(100.0)
        return a.value, b.value, chosen.value, a.count + 10 * b.count + 100 * chosen.count

    return [f(X), f(-X)]


@scenario
def a_store_on_one_path_only(function):
    @function
    def f(x, i):
        made = nodes(x)
        a, b = made[0], made[i]
        a.value, b.count = 1.0, 4
        if x[0] > 0:
            b.value = 2.0
            seen = a.value
        else:
            seen = a.value
            a.count = 7
        return seen, a.value, b.count, a.count

    return [f(X, 0), f(X, 1), f(-X, 0), f(-X, 1)]


@scenario
def a_path_that_raises(function):
    @function
    def f(x, i):
        made = nodes(x)
        a, b = made[0], made[i]
        a.value = 1.0
        try:
            b.value = 2.0
            if x[1] > 0:
                b.value = 3.0
                raise ValueError
            b.value = 4.0
        except ValueError:
            seen = a.value
            a.value = 5.0
        else:
            seen = a.value
        return seen, a.value, b.value

    return [f(x, i) for x in (X, -X) for i in (0, 1)]


@scenario
def what_a_handler_finds(function):
    @function
    def f(x, d):
        made = nodes(x)
        a = made[0]
        a.count = 1
        total = 0
        for k in range(3):
            try:
                a.count = a.count + 1
                total += 12 // (d - k)
                a.count = a.count + 10
            except ZeroDivisionError:
                total += a.count * 1000
                a.count = 100
            finally:
                a.value = a.value + a.count
        return total, a.count, a.value

    return [f(X, d) for d in (0, 1, 2, 5)]


@scenario
def a_field_that_the_next_iteration_finds(function):
    @function
    def f(x, n):
        made = nodes(x)
        a = made[0]
        a.value, a.count = 1.0, 3
        seen = 0.0
        for k in range(n):
            seen = seen * 2 + a.value
            made[k % 2].value = a.value + 1
            if k > 1:
                a.count = k
        while a.count > 0:
            a.count -= 1
            seen += a.value
        return seen, a.value, a.count, made[1].value

    return [f(X, 0), f(X, 1), f(X, 4)]


@scenario
def an_object_that_comes_to_lie_in_a_field(function):
    @function
    def f(x, n):
        made = nodes(x)
        new, holder = Node(1.0), made[0]
        holder.following = made[1]
        seen = 0.0
        for _ in range(n):
            new.value = 2.0
            holder.following.value = 5.0  # from the second turn on, that is `new`
            seen = seen * 10 + new.value
            holder.following = new
        return seen, new.value

    return [f(X, 0), f(X, 1), f(X, 3)]


def raised_to(node, power):
    """A function that calls itself, and so is one of the graph."""
    if power <= 0:
        return node.value
    node.value = node.value * 2
    return raised_to(node, power - 1) + node.value


@scenario
def two_that_change_places(function):
    @function
    def f(x, n):
        made = nodes(x)
        a, b = made[0], made[1]
        a.value, b.value = 1.0, 2.0
        for _ in range(n):
            a, b = b, a
            a.value = a.value + 10
        return a.value, b.value, made[0].value, made[1].value

    return [f(X, 0), f(X, 1), f(X, 2), f(X, 5)]


@scenario
def stores_in_a_function_that_calls_itself(function):
    @function
    def f(x, n):
        made = nodes(x)
        a = made[0]
        a.value = 1.0
        fresh = Node(3.0)
        found = raised_to(made[0], n)
        kept = a.value, fresh.value
        return found, kept, raised_to(fresh, n), fresh.value, a.value

    return [f(X, 0), f(X, 1), f(X, 3)]


@scenario
def objects_from_outside_that_may_be_one(function):
    @function
    def f(x, a, b):
        made = nodes(x)
        made.append(a)
        a.value = 1.0
        b.value = 2.0
        seen = a.value
        made[-1].add(10.0)
        new = Node(5.0)
        b.value = 7.0
        return seen, a.value, b.value, new.value, made[0].value

    one, other = Node(0.0), Node(0.5)
    results = [f(X, one, other), f(X, one, one), f(X, other, one)]
    return results, one.value, other.value, one.count


@scenario
def copies(function):
    @function
    def f(x, i):
        made = nodes(x)
        made[0].following = made[i]
        a = copy.copy(made[0])
        a.value = 1.0
        made[0].value = 2.0
        a.following.value = 3.0
        b = copy.deepcopy(made[0])
        b.following.value = 4.0
        return a.value, made[0].value, made[i].value, b.value, b.following.value

    return [f(X, 0), f(X, 1)]


@scenario
def attributes_that_are_deleted(function):
    @function
    def f(x, i):
        made = nodes(x)
        a, b = made[0], made[i]
        a.value = 1.0
        before = a.value
        del b.value
        return before, hasattr(a, "value"), getattr(a, "value", -1.0)

    return [f(X, 0), f(X, 1)]


class Sorted(Node):
    def __lt__(self, other):
        return self.value < other.value


@scenario
def methods_that_python_calls(function):
    @function
    def f(x):
        made = []
        for one in x:
            if one != 0:
                made.append(Sorted(one))
        first = made[0]
        first.count = 3
        made.sort()
        made[0].count = 4
        return first.count, made[0].count, first.value, [one.value for one in made]

    return [f(X), f(-X)]


@scenario
def a_with_that_ends_in_a_store(function):
    class Counting:
        def __init__(self, node):
            self.node = node

        def __enter__(self):
            self.node.count += 1
            return self.node

        def __exit__(self, *about):
            self.node.count += 10
            return False

    @function
    def f(x, d):
        made = nodes(x)
        a = made[0]
        a.count = 0
        try:
            with Counting(made[0]) as held:
                held.count = held.count + 100
                d = 6 // d
                a.count += 1000
        except ZeroDivisionError:
            a.count += 10000
        return a.count, d

    return [f(X, 1), f(X, 0)]


test = PROGRAMS.test()


@pytest.mark.parametrize("name", [*PROGRAMS, *ITEMS])
def test_what_was_known_is_what_a_run_finds(name, monkeypatch):
    monkeypatch.setenv("AUTOGRAPH_VERIFY", "loads")
    assert {**PROGRAMS, **ITEMS}[name].run("numpy")


def test_a_wrong_fact_is_found(monkeypatch):
    """The check itself: a heap that forgets nothing."""
    monkeypatch.setenv("AUTOGRAPH_VERIFY", "loads")
    monkeypatch.setattr("runtime.heap.shadow.ShadowHeap.forget", lambda *args: None)

    @rt.function
    def f(x, i):
        made = [Node(x[0]), Node(x[1])]
        a = made[0]
        a.value = 1.0
        made[i].value = 2.0
        return a.value

    with pytest.raises(AssertionError, match=r"Node.value is 2.0, and the trace knew 1.0"):
        f(floats(1, 2), 0)


def test_a_loop_keeps_a_counter_of_an_object_without_asking_it():
    @rt.function(engine="numpy")
    def f(xs):
        made = nodes(xs)
        last = made[-1]
        for one in xs:
            if one > 1:
                last.count += 1
                last.value = last.value * 0.5 + one
        return last.count, last.value

    xs = [k / 4 for k in range(40)]
    assert f(xs) == f.python_function(xs)
    (concrete,) = f.concrete_functions
    *_, loop = [op for op in concrete.graph.operations() if op.name == "for"]
    inside = [op.name for op in walk(loop.blocks[0])]
    assert "object.setattr" in inside
    assert "object.getattr" not in inside


def test_loads_of_the_same_field_are_one():
    @rt.function
    def f(x, i, j):
        made = nodes(x)
        a, b = made[i], made[j]
        b.count = a.value * a.value + a.value  # one load of `value`; a store to `count` is none to it
        return b.count + a.value  # and none of `count`

    assert f(X, 0, 1) == 15.0
    (concrete,) = f.concrete_functions
    loads = [op for op in concrete.optimized.operations() if op.name == "object.getattr"]
    assert [op.inputs[1].owner.attributes["value"] for op in loads] == ["value"]
