"""min, max, sorted, any, all and `in` over what the trace has item by item; and x.tolist()."""

import math

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
ONE, TWO, EQUAL = np.array([1.0, -3.0, 2.0]), np.array([0.0, 3.0, 3.0]), np.array([2.0, 2.0, 2.0])


@PROGRAMS.of((ONE,), (TWO,), (EQUAL,))
def pivots_of_a_column(a):
    found = []
    for k in range(len(a)):
        found.append(max(range(k, len(a)), key=lambda i: abs(a[i])))
    return found


@PROGRAMS.of((ONE,), (TWO,))
def items_in_order_of_their_values(a):
    table = {"x": a[0], "y": a[1]}
    least_first = sorted(table.items(), key=lambda pair: pair[1])
    return least_first, max(table, key=table.get), max(table.values()), min(zip(table.values(), table))[1]


@PROGRAMS.of((ONE,), (TWO,))
def points_that_a_key_takes_apart(a):
    points = [(a[0], a[1]), (a[1], a[2])]
    return min(points, key=lambda p: math.hypot(*p)), sorted(points, key=lambda p: -p[0])


@PROGRAMS.of((ONE,), (TWO,))
def a_key_is_asked_once_for_each_item_in_order(a):
    def key(i):
        print("key of", i, a[i])
        return a[i]

    return max([2, 1, 0], key=key), min((0, 1), key=key, default=9), max([], key=key, default="none")


@PROGRAMS.of((ONE,))
def a_key_of_no_items(a):
    return max([], key=lambda i: a[i])


@PROGRAMS.of((ONE,), (TWO,))
def keys_of_many_items(a):
    return max(range(60), key=lambda i: a[i % 3] * i), sorted(range(40), key=lambda i: (a[i % 3], -i))[:4]


@PROGRAMS.of((ONE,), (TWO,))
def what_the_keys_leave_known_is_known(a):
    words = ["b", "a", "ccc"]
    longest = max(words, key=len)
    return longest, sorted(words, key=str.upper), a[: len(longest) - 1]


@PROGRAMS.of((ONE,), (TWO,))
def any_and_all_ask_as_far_as_they_must(a):
    def positive(v):
        print("asked", v)
        return v > 0

    values = [a[0], a[1], a[2]]
    return any(map(positive, values)), all(map(positive, values)), all({"x": a[0]}.values())


@PROGRAMS.of((ONE, 2), (TWO, 0), (ONE, 3))
def tolist_of_a_length_that_only_a_run_knows(a, n):
    items = a[:n].tolist()
    items.append(7.0)
    return items, items.index(7.0), sum(items)


@PROGRAMS.of((ONE,), (TWO,))
def tolist_gives_a_list_of_its_own(a):
    items = a.tolist()
    items.sort()
    items.remove(max(items))
    return items, items.count(a[1]), items.index(min(items))


@PROGRAMS.of((np.arange(6).reshape(3, 2) - 2, 3), (np.arange(6).reshape(3, 2) - 1, 2))
def tolist_of_rows(a, n):
    rows = a[:n].tolist()
    for row in rows:
        if row[0] > 0:
            row.append(5)
    known = a.tolist()
    for row in known:
        if row[0] > 0:
            row.append(6)
    return rows, known


@PROGRAMS.of(
    (2.5,),
)
def fsum_of_a_number(x):
    try:
        return math.fsum(x)
    except TypeError as e:
        return str(e)


@PROGRAMS.of((np.array([3, 1]),), (np.array([1, 2]),))
def folds_of_ranges(x):
    n, m = int(x[0]), int(x[1])
    return max(range(n)), min(range(n), default=0), any(range(n)), all(range(m)), sum(range(m), 1)


@PROGRAMS.of((ONE,), (EQUAL,))
def a_key_that_changes_what_is_sorted(a):
    kept = [v for v in a if v > -5]

    def key(v):
        kept[2] = v
        return -v

    return sorted(kept, key=key), max(kept, key=key), kept


test_program = PROGRAMS.test()
