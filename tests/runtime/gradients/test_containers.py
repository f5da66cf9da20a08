"""Gradients through lists, dicts and objects whose lengths and contents only a run knows."""

import bisect
import heapq
from collections import deque

import numpy as np
import pytest

import runtime as rt
from tests.long import some
from tests.runtime.gradients.differences import directional, gradient

X = np.array([0.3, 0.7, 1.2])


def numbers_appended_and_read(x, n):
    found = []
    s = 0.0
    for i in range(n):
        s = s * x[0] + x[i % 3]
        found.append(s)
    return sum(found) * found[2]


def lists_of_numbers_in_a_loop(x, n):
    total = 0.0
    for i in range(n % 7):
        row = []
        for j in range(3):
            row.append(x[j] * (i + 1.0))
        total += sum([v * v for v in row]) * row[-1] + (np.array(row) ** 2).sum()
    return total


def a_list_that_begins_with_constants(x, n):
    found = [1.0]
    for i in range(n % 7):
        found.append(i * 0.5)
    for i in range(n % 7):
        try:
            found.append(float(x[i % 3]) * found[-1] + found[i])
        except ZeroDivisionError:
            found.append(0.0)
    return sum(found, x[0]) * found[len(found) // 2] + found[-1] ** 2


def a_stack_that_is_emptied(x, n):
    todo = [x[0]]
    total = 0.0
    while n > 0 and len(todo) > 0:
        v = todo.pop()
        total += v * v + sum(todo)
        n -= 1
        if v < 1.5:
            todo.append(v * x[1] + 0.4)
            todo.append(v * x[2])
            todo[0] = todo[0] * 1.1
    return total + (max(todo) - min(todo) * 2 if len(todo) > 0 else 0.0)


def arrays_stacked(x, n):
    states = []
    h = x
    for i in range(n):
        h = np.tanh(h * x[i % 3])
        states.append(h)
    return (np.stack(states) ** 2).sum() + states[-1].sum()


def a_list_that_reads_itself(x, n):
    found = [1.0, 2.0]
    for i in range(n):
        found.append(found[i] * x[i % 3] + found[i + 1])
    found[2] = found[1] * x[0]
    return found.pop() * max(found)


def arrays_read_and_taken_out(x, n):
    rows = [x]
    for i in range(n % 5 + 4):
        rows.append(rows[i // 2] * np.cos(rows[-1]) + x[i % 3])
        if i % 3 == 2:
            row = rows.pop()
            rows[1] = row[::-1] * rows[0][1]
    parts = [row[: i % 3 + 1] for i, row in enumerate(rows)]
    columns = np.column_stack(rows)
    return (np.concatenate(parts) ** 2).sum() + (columns[0] * columns[2]).sum() * len(parts) + rows[2][1]


def lists_of_equal_items(x, n):
    size = n + len(x) - 3 if x[0] < 10 else n
    table = [0.0] * size
    scaled = [x[1], 2.0 * x[2]] * size
    for i in range(size):
        table[i] = scaled[i] * x[i % 3] + table[i - 1] * 0.5
        scaled[2 * i + 1] = table[i]
    return sum(table) * scaled[size] + np.array(scaled).sum()


def rows_that_are_filled(x, n):
    rows = []
    for i in range(n % 7 + 2):
        row = np.zeros((2, 3))
        for k in range(3):
            row[i % 2, k] = x[k] * (i - k)
        rows.append(row)
    table = np.array(rows)
    total = 0.0
    for row in rows:
        total += (row * table[1]).sum() + row[0, 2] ** 3
    return total + (np.vstack(rows)[3:] ** 2).sum()


def pairs_and_a_dict(x, n):
    pairs = []
    for i in range(n):
        pairs.append((x[i % 3], x[i % 3] * i, i))
    table = {}
    for a, b, i in pairs:
        table[i % 5] = a * b
    return sum(table.values()) + min(table.values())


class Particle:
    def __init__(self, mass, velocity):
        self.mass = mass
        self.velocity = velocity


def objects_in_a_list(x, n):
    particles = []
    for i in range(n):
        particles.append(Particle(x[i % 3] * i, x * i))
    s = 0.0
    for p in particles:
        p.mass = p.mass * 2.0 + 0.1
        s += p.mass * p.velocity.sum()
    return s * 0.01 + particles[3].mass


class Node:
    def __init__(self, value, following):
        self.value = value
        self.following = following


def linked_nodes(x, n):
    head = None
    for k in range(n):
        if k % 3 != 1:
            head = Node(x[k % 3] * x[0] + k, head)
    total = 0.0
    while head is not None:
        total = total + head.value * head.value
        head = head.following
    return total


def arrays_that_are_written_in_a_list(x, n):
    rows = []
    row = np.zeros(3)
    for i in range(n):
        row[i % 3] = x[i % 3] * i
        rows.append(row)
        row = row * 0.9
    rows[2][0] = x[1]
    rows[1] *= 2
    return sum([row.sum() for row in rows])


def a_queue(x, n):
    queue = []
    for i in range(n):
        queue.append(x[i % 3] * i)
        if len(queue) > 4:
            queue.pop(0)
    queue.reverse()
    rest = queue[1:] + [x[0]]
    return rest[0] * queue[-1] + np.array(rest).sum()


def a_deque_that_rotates(x, n):
    queue = deque()
    for i in range(n % 7 + 2):
        queue.append(x[i % 3] * (i + 0.5))
    queue.rotate(1)
    queue[0] = queue[0] * queue[-1]
    queue.appendleft(queue.pop() * 0.3)
    return sum(queue)


def appended(x, found, n):
    if n == 0:
        return sum(found)
    found.append(x[0] * n * found[-1] + x[1])
    return appended(x, found, n - 1)


def a_list_that_a_recursion_fills(x, n):
    return appended(x, [x[2]], n) if n < 10 else appended(x, [1.0], n % 7)


def scaled(items, k):
    if k > 0:
        items[k] = items[k] ** 2 * items[0]
        scaled(items, k - 1)


def a_recursion_that_changes_a_list_alone(x, n):
    items = []
    for i in range(n % 7 + 3):
        items.append(x[i % 3] * (i + 1.0) / 4)
    scaled(items, n % 7 + 2)
    return sum(items)


def the_last_ones(x, n):
    last = []
    for i in range(n):
        if x[i % 3] * i > 3:
            last.append(x[i % 3])
        else:
            last = [x[0] * i] + last[:3]
    return sum(last) * last[0]


def sorted_lists(x, n):
    squares = [v * v for v in x]
    descending = sorted(squares, key=lambda v: -v)
    pairs = [(v, v * k) for k, v in enumerate(x)]
    pairs.sort(key=lambda p: p[1], reverse=True)
    places = sorted(range(len(x)), key=lambda k: x[k])
    squares.sort()
    return descending[0] * 2 + pairs[0][0] * pairs[1][1] + x[places[0]] * squares[0] * squares[1]


def sorted_items_of_a_dict(x, n):
    values = {"a": x[0], "b": x[1] * x[0], "c": x[2]}
    total = 0.0
    for k, (_, v) in enumerate(sorted(values.items(), key=lambda item: (-item[1], item[0]))):
        total += k * v * v
    return total * values[max(values, key=values.get)]


def a_queue_by_priority(x, n):
    queue = [(x[0] * 9.0, 7, x[1])]
    heapq.heapify(queue)
    for k, v in enumerate(x, n):
        heapq.heappush(queue, (v * v, k, v))
    total = 0.0
    while queue:
        distance, k, v = heapq.heappop(queue)
        total += distance * k + v**3
        if distance < 2:
            heapq.heappush(queue, (distance + 2, k, v * distance))
    return total


def items_put_where_they_belong(x, n):
    found = []
    for k in range(len(x)):
        bisect.insort(found, x[k] * x[k - 1])
    found.remove(x[0] * x[-1])
    least = heapq.heappushpop(found, x[0] * 3)
    return least * 2 + heapq.heapreplace(found, x[1]) * found[0]


def items_and_keys_that_change(x, n):
    last, sums = [x[0], 1.0], {"a": x[1] * 2}
    if n > 1000:
        last.append(x[2])
        sums["b"] = x[0]
    for i in range(n):
        last[0] = last[0] * 0.5 + last[1] * x[i % 3]
        if last[0] > 2:
            sums["a"] += last[0] * x[2]
    last[1] = sums["a"]
    return last[0] * last[1]


PROGRAMS = [  # the first of lists that become buffers
    numbers_appended_and_read, lists_of_numbers_in_a_loop, a_list_that_begins_with_constants,
    a_list_that_reads_itself, a_stack_that_is_emptied, arrays_stacked, arrays_read_and_taken_out,
    rows_that_are_filled, lists_of_equal_items, items_and_keys_that_change, pairs_and_a_dict,
    objects_in_a_list, linked_nodes, arrays_that_are_written_in_a_list, a_queue, the_last_ones,
    a_list_that_a_recursion_fills, a_recursion_that_changes_a_list_alone, sorted_lists,
    sorted_items_of_a_dict, a_queue_by_priority, items_put_where_they_belong, a_deque_that_rotates,
]  # fmt: skip


@pytest.mark.parametrize("engine", ["numpy", "native"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradient(program, engine):
    n = 6 if program is a_list_that_reads_itself else 40
    found = rt.grad(rt.function(program, engine=engine))(X.copy(), n)
    np.testing.assert_allclose(found, gradient(program, (X, n)), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("program", some(PROGRAMS))
def test_tangent(program):
    n = 6 if program is a_list_that_reads_itself else 40
    direction = np.array([0.3, -0.5, 0.8])
    _, found = rt.jvp(rt.function(program, engine="numpy"), (X.copy(), n), (direction, None))
    expected = directional(lambda x: program(x, n), [X], [direction])[0]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("program", some(PROGRAMS))
def test_second_derivatives(program, engine):
    @rt.function(engine=engine)
    def in_three_ways(x, v, n):
        slope = lambda x: rt.jvp(lambda x: program(x, n), (x,), (v,))[1]
        forward = rt.hvp(lambda x: program(x, n), (x,), (v,))
        return forward, rt.grad(lambda x: rt.grad(program)(x, n) @ v)(x), rt.grad(slope)(x)

    v = np.array([0.3, -0.5, 0.8])
    gradient_of = rt.grad(rt.function(program, engine=engine))
    expected = directional(lambda x: gradient_of(x, 12), [X], [v])[0]
    for found in in_three_ways(X.copy(), v, 12):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_a_list_of_numbers_made_around_the_function(engine):
    @rt.function(engine=engine)
    def reads_and_appends(x, n):
        found = [1.0]
        for i in range(n):
            found.append(x * i)

        def read(y):
            return y * sum(found)

        def append(y):
            for i in range(n):
                found.append(y * i)
            return sum(found) + found[-1] * y

        return rt.grad(read)(x), rt.grad(append)(x), len(found)

    assert reads_and_appends(2.0, 4) == (13.0, 18.0, 9)


def test_a_key_that_depends_on_the_argument_is_refused():
    def f(x, n):
        found = {}
        for i in range(n):
            found[x[0] * i] = x[1] * i
        return sum(found) + sum(found.values())

    with pytest.raises(rt.GradientError, match="a key depends on the argument"):
        rt.grad(rt.function(f))(X.copy(), 3)


def _extended(x):
    found = []
    found.extend(x)
    return found


def _appended_to_a_deque(x):
    found = deque(x)
    found.append(x[0] * x[1])
    return list(found)


def _stored_by_a_slice(x):
    found = [0.0, 0.0, 0.0, 0.0]
    found[1:] = x
    return found


#: an array whose items a container takes, by each operation that does that (the letter `s` of the table)
TAKEN = {
    "of": list,
    "of a deque": _appended_to_a_deque,
    "extend": _extended,
    "setslice": _stored_by_a_slice,
    "concat": lambda x: [1.0, *list(x)] + list(x * x),
    "joined": lambda x: [*x, 2.0, *x],
    "sorted": lambda x: sorted(x, reverse=True),
    "sorted of what is computed": lambda x: sorted(x * x[0]),
}


@pytest.mark.parametrize("length", [3, None])
@pytest.mark.parametrize("name", TAKEN)
def test_items_of_an_array_that_a_container_takes(name, length):
    def program(x):
        found = TAKEN[name](x)
        return found[0] * 3.0 + found[1] * found[2] + found[-1] ** 2

    x = np.array([1.2, 0.3, 0.7])
    decorated = rt.function(
        lambda x: (rt.grad(program)(x), rt.jvp(program, (x,), (np.ones(3),))[1]),
        input_signature=[rt.TensorSpec([length], "float64")],
    )
    slope, tangent = decorated(x)
    wanted = gradient(program, [x])
    np.testing.assert_allclose(slope, wanted, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(tangent, wanted.sum(), rtol=1e-6)
