"""Lists, dicts and sets that a trace knows item by item, under several names, changed on paths of the run."""

import copy
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
X = np.array([1.0, -2.0, 3.0])


@PROGRAMS.of((X,), (-X,))
def one_row_under_two_indices(x):
    row = [0.0] * 3
    table = [row, row, [0.0] * 3]
    if x[0] > 0:
        table[0][1] = 5.0
    else:
        table[2][0] = 7.0
    return table, table[0] is table[1]


@PROGRAMS.of((X,), (-X,))
def one_of_two_lists_is_changed(x):
    a, b = [1.0], [2.0]
    chosen = a if x[0] > 0 else b
    chosen.append(x[1])
    chosen[0] += 10
    return a, b, chosen is a


@PROGRAMS.of((X, 3), (-X, 0), (X, 2))
def rows_change_places_in_a_loop(x, n):
    rows = [[0.0] * 2 for _ in range(2)]
    for i in range(min(n, 2)):
        rows[i] = rows[1 - i]
        rows[i][0] += x[0]
    return rows, rows[0] is rows[1]


@PROGRAMS.of((X,), (-X,))
def what_a_try_leaves(x):
    items = [1.0]
    try:
        items.append(2.0)
        if x[0] > 0:
            raise ValueError(x[1])
        items.append(3.0)
    except ValueError as error:
        items.append(error.args[0])
    finally:
        items.append(99.0)
    return items


@PROGRAMS.of((X,), (-X,))
def a_name_that_becomes_another_list_in_each_turn(x):
    items = [1.0, 2.0]
    name = items
    for i in range(3):
        if x[i] > 0:
            name = [x[i]]
        name.append(float(i))
    return items, name


@PROGRAMS.of((X, 3), (X, 0))
def lists_of_different_things_in_one_dict(x, n):
    log = {"loss": [], "names": []}
    for i in range(n):
        log["loss"].append(x[i % 3])
        log["names"].append("step")
    return log, len(log["names"])


@PROGRAMS.of((X,), (-X,))
def dicts_under_two_names(x):
    table = {"a": 1.0}
    if x[0] > 0:
        table["b"] = x[0]
    other = table
    other["c"] = 2.0
    return table, list(table), "b" in table, table.get("b", -1.0), {**table, "z": 0.0}


@PROGRAMS.of((X,), (-X,))
def a_stack_until_it_is_empty(x):
    stack, total = [1, 2, 3], 0
    while stack:
        value = stack.pop()
        total += value
        if value == 3 and x[0] > 0:
            stack.append(7)
    return total, stack


@PROGRAMS.of((X,), (-X,))
def sets_and_their_kin(x):
    seen, queue = {1, 2}, deque([1.0, 2.0], maxlen=3)
    if x[0] > 0:
        seen.add(3)
        queue.append(x[0])
    both = seen | {9}
    seen.discard(1)
    queue.appendleft(5.0)
    return seen, both, 3 in seen, queue, queue.pop()


@PROGRAMS.of((X, 3), (-X, 1))
def special_dicts(x, n):
    counts, groups, order = Counter("aab"), defaultdict(list), OrderedDict(a=1)
    for i in range(n):
        counts["a"] += i
        groups[i % 2].append(x[0])
    if x[0] > 0:
        order["b"] = 2
    return counts, groups, order, counts.most_common(1)


@PROGRAMS.of((X,), (-X,))
def copies_share_what_python_shares(x):
    rows = [[1.0], [2.0]]
    shallow, deep = copy.copy(rows), copy.deepcopy(rows)
    if x[0] > 0:
        rows[0][0] = 9.0
    shallow.append([3.0])
    return rows, shallow, deep


@PROGRAMS.of((X,), (-X,))
def closures_and_keywords(x):
    items, named = [], {"q": x[0]}

    def add(*values, **more):
        more["z"] = 1.0
        items.extend(values)
        return more

    if x[0] > 0:
        add(1.0)
    return add(*[x[1], 5.0], **named), named, items


@PROGRAMS.of(([[1.0, 2.0], [3.0]], X), ([[1.0, 2.0], [3.0]], -X))
def rows_of_an_argument(rows, x):
    rows[0].append(x[0])
    if x[0] > 0:
        rows.append(rows[0])
    rows[-1][0] = -1.0
    return rows[-1] is rows[0], len(rows)


@PROGRAMS.of(({"w": np.ones(2), "b": 1.0}, X), ({"w": np.ones(2), "b": 1.0}, -X))
def parameters_in_a_dict(table, x):
    table["w"][0] = x[0]
    if x[0] > 0:
        table["b"] = table["b"] + x[1]
    table["w"] = table["w"] * 2
    return table


test_program = PROGRAMS.test()
