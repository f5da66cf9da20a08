"""Lists in machine code: nothing leaks, and nothing is given back twice."""

import gc
import sys
import weakref

import numpy as np
import pytest

import runtime as rt

pytestmark = pytest.mark.usefixtures("fresh_heap")


def shuffle(items, n):
    """Items are read, stored, appended and taken out."""
    for i in range(n):
        item = items[i % len(items)]
        items[0] = item
        items.append(item)
        last = items.pop()
        items[-1] = last
    return len(items)


def beyond(items, n):
    kept = []
    for i in range(n):
        kept.append(items[i])
    return kept


def moved(items, n):
    """Items lie in several lists, and leave them in several ways."""
    kept = []
    for i in range(n):
        item = items[i]
        kept.append(item)
        kept.insert(0, items[-1])
        items[i] = kept[-1]
        some = kept[:2] + [item] * 2
        kept.reverse()
        kept.extend(some)
        del kept[0]
        items.append(some.pop(0))
        if some[0] in kept:
            kept.remove(some[0])
    items.clear()
    return len(kept)


def chosen(items, n):
    """Items that are read in one branch, and used after it."""
    last = items[0]
    for i in range(n):
        item = items[i]
        if len(item) > i:
            last = items[-1 - i]
        else:
            items.append(last)
            last = item
        other = items[len(items) - 1]
        items[0] = other
    return last


def chosen_again(items, n):
    """Items that are taken apart, and put into other lists as they were."""
    some, others = [], []
    for i in range(n):
        number, name = items[i]
        if number > 1.0:
            some.append((number, name))
        else:
            some.insert(0, (number, name))
            others.append((name, number))
        items[0] = items[-1]
        others.append(number)
        some.append((number, name))
        items.append(some[-1])
    return len(others)


def run(compiled, items, n):
    try:
        compiled(list(items), n)
    except IndexError:
        pass
    gc.collect()


KINDS = {
    "lists": lambda k: [float(k)],
    "texts": lambda k: f"text {k}",
    "rows": lambda k: (float(k), f"text {k}"),
}
CASES = [(function, kind) for function in (shuffle, beyond, moved, chosen) for kind in ("lists", "texts")]


@pytest.mark.parametrize("function, kind", [*CASES, (chosen_again, "rows"), (shuffle, "rows")])
def test_reference_counts(function, kind):
    compiled = rt.function(function, engine="native")
    items = [KINDS[kind](k) for k in range(3)]
    for n in (2, 7, 2, 7):
        run(compiled, items, n)  # what a first call keeps, and a first exception
    counts = [sys.getrefcount(item) for item in items]
    for n in (1, 2, 3, 7, 1, 2, 3, 7):
        run(compiled, items, n)
    assert [sys.getrefcount(item) for item in items] == counts


def replaced(rows, arrays, n):
    total = 0.0
    for i in range(n):
        rows.append([0.5])
        arrays.append(arrays[0])
        row = rows[i]
        arrays[i] = arrays[-1]
        total += row[0]
    return total


def test_the_end_of_an_array_may_change_the_lists():
    """What was read from a list goes on to live where the list is emptied meanwhile."""

    def call(function):
        rows = [[1.5] for _ in range(50)]
        arrays = [np.zeros(3) for _ in range(50)]
        ended = weakref.ref(arrays[1], lambda _: rows.clear())
        try:
            return function(rows, arrays, 3), rows, len(arrays), ended()
        except IndexError as error:
            return str(error), rows, len(arrays), ended()

    compiled = rt.function(replaced, engine="native")
    call(compiled)  # a trace keeps what it was made with
    for _ in range(3):
        assert call(compiled) == call(replaced) == ("list index out of range", [[0.5]], 53, None)


def replaced_between(items, n):
    """A number is put into a list after the place that it was read from has got another one."""
    some = []
    for i in range(n):
        number = items[i]
        items[i] = number * 2 + 1000
        some.append(number)
        some.append(items[i])
        items[i] = number
        last = some[-1]
        some[-1] = last + 1000
        some.append(last)
    return some, items


@pytest.mark.parametrize("number", [1.5, 3, 10**6, 2**40, -7, -(10**6)])
def test_numbers_are_replaced_in_their_objects_only_where_nobody_has_them(number):
    compiled = rt.function(replaced_between, engine="native")
    for _ in range(3):
        items, again = [number + k for k in range(40)], [number + k for k in range(40)]
        assert compiled(items, 40) == replaced_between(again, 40)
    for value in compiled(items, 40)[0]:
        assert value == eval(repr(value)) and hash(value) == hash(eval(repr(value)))


def test_tuples_that_are_put_into_another_list_are_the_same_ones():
    @rt.function(engine="native")
    def right(points):
        some = []
        for point in points:
            if point[0] > 1.0:
                some.append(point)
        return some

    points = [(k * 0.1, str(k)) for k in range(40)]
    assert all(a is b for a, b in zip(right(points), points[11:], strict=True))


def test_numbers_do_not_stay():
    @rt.function(engine="native")
    def positive(x):
        kept = []
        for v in x:
            if v > 0:
                kept.append((v, [v]))
        return kept

    x = np.arange(50.0)
    positive(x)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(50):
        positive(x)
    gc.collect()
    assert sys.getallocatedblocks() - before < 200


def test_what_runs_in_machine_code():
    @rt.function(engine="native")
    def squares(n):
        kept = []
        for i in range(n):
            kept.append(i)
            kept[-1] = kept[i] * i
        return kept.pop(), len(kept), kept

    assert squares(4) == (9, 3, [0, 1, 4])
    compiled = squares.concrete_functions[0].compiled
    assert {name for name, _ in compiled.executable.fallbacks} <= {"list.new"}


def test_an_item_that_the_trace_did_not_know_is_refused_at_run_time():
    @rt.function(engine="native")
    def first(items, n):
        for _ in range(n):
            items.append(1.5)
        return items[0] + 1.0

    assert first([2.5], 2) == 3.5
    assert first([2, 3], 1) == 3.0  # another signature, another trace


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_as_many_items_as_variables(engine):
    def fields(lines):
        found = []
        for line in lines:
            first, *rest = line.split(":")
            name, number = rest[0].split(",")
            found.append((first, name, int(number)))
        return found

    compiled = rt.function(fields, engine=engine)
    lines = [f"k{k}:n,{k}" for k in range(40)]
    assert compiled(lines) == fields(lines)
    for wrong, message in (("a:b", "not enough values to unpack"), ("a:b,c,d", "too many values to unpack")):
        with pytest.raises(ValueError, match=message):
            compiled([*lines, wrong])
