"""Sets, deques and dicts of kinds of their own, of a caller, a module or a class: changed where they are."""

import copy
import threading
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

import runtime as rt
from tests.differential import CallOf
from tests.programs import Call, Programs

PROGRAMS = Programs()
of, scenario = PROGRAMS.of, PROGRAMS.scenario

NUMBERS = (3, 0, 5)


def with_each(*rest):
    return [Call(np.array([n]), *copy.deepcopy(rest)) for n in NUMBERS]


@of(*with_each({1, 2}))
def a_set(x, items):
    n = int(x[0])
    same = items
    if n > 2:
        items.add(n)
        items.discard(1)
    for i in range(3):
        items.add(10 + i)
    items |= {n}
    items &= {n, 2, 10, 11}
    return same is items, len(same), sorted(items - {2}), n in items, 10 // n


@of(*with_each(deque([1, 2], maxlen=5)))
def a_deque(x, queue):
    n = int(x[0])
    for i in range(n):
        queue.append(i)
        queue.appendleft(-i)
    if n > 2:
        queue.popleft()
        queue.rotate(1)
    queue[0] = n
    del queue[-1]
    return len(queue), list(reversed(queue)), 10 // n


@of(*with_each(Counter("abca"), Counter("abc")))
def counters(x, counter, other):
    n = int(x[0])
    for i in range(n):
        counter["a"] += 1
        counter[i] += i
    if n > 2:
        counter.update("ab")
        del counter["b"]
    counter.subtract({"z": n})
    other.update(counter)
    return counter.most_common(1), counter["none"], sum(counter.values())


@of(*with_each(defaultdict(list), defaultdict(int, a=1)))
def defaultdicts(x, lists, numbers):
    n = int(x[0])
    for i in range(n):
        lists[i % 2].append(i)
        numbers[i % 2] += i
    if n > 2:
        numbers["z"] += 1
    return len(lists), sorted(lists), lists[7], numbers["new"], 10 // n


@of(*with_each(OrderedDict(a=1, b=2)))
def an_ordered_dict(x, table):
    n = int(x[0])
    if n > 2:
        table["c"] = n
        table.move_to_end("a")
    for i in range(n):
        table[i] = i
    if n > 4:
        table.popitem(last=False)
    return list(table)


@of(*with_each([deque([1]), deque([2])], {"s": {1}, "c": Counter("a"), "o": OrderedDict(a=1)}))
def nested(x, queues, table):
    n = int(x[0])
    for i in range(n):
        queues[i % 2].append(i)
        table["s"].add(i)
        table["c"][i] += 1
        table["o"][i] = i
    if n > 2:
        queues.append(deque([n]))
    return [list(queue) for queue in queues]


@of(*with_each(deque([np.array([1.0, 2.0]), np.array([3.0, 4.0])])))
def of_arrays(x, queue):
    for _ in range(int(x[0])):
        queue.append(queue.popleft() * 2)
    queue[0][0] = 9
    return sum(queue)


class Store:
    total = Counter()
    table = {i: [i] for i in range(150)}
    arrays = [np.array([i]) for i in range(120)]
    pair = (1, [2], {3})

    def __init__(self):
        self.stock = defaultdict(int)
        self.log = deque(maxlen=2)
        self.seen = set()

    def add(self, key, n):
        if n < 0:
            raise ValueError(f"bad {key}")
        self.stock[key] += n
        self.log.append((key, n))
        self.seen.add(key)
        Store.total[key] += n


@of(*with_each(Store()))
def of_an_object(x, store):
    for i in range(5):
        store.add(i % 3, int(x[0]) - i)
    return len(store.stock)


@of(*[Call(np.array([n])) for n in NUMBERS])
def of_a_class(x):
    n = int(x[0])
    Store.total[n] += 1
    Store.table[3].append(n)
    Store.arrays[4][0] += n
    Store.pair[1].append(n)
    Store.pair[2].add(n)
    return Store.total[n], len(Store.table[3]), Store.arrays[4], Store.pair


SEEN = {1}
GROUPS = defaultdict(lambda: {"n": 0})


@of(*[Call(np.array([n])) for n in NUMBERS])
def of_a_module(x):
    for i in range(int(x[0])):
        SEEN.add(i)
        GROUPS[i % 2]["n"] += i
    return len(SEEN), {key: group["n"] for key, group in GROUPS.items()}


@of(
    CallOf(lambda: (np.array([9]), {1}, {1})),
    CallOf(lambda: (np.array([9]), *[{1}] * 2)),
    CallOf(lambda: (np.array([9]), {1}, {1})),
)
def one_or_two_sets(x, a, b):
    if x[0] > 0:
        a.add(int(x[0]))
    return len(b), a is b


@of((np.array([1]), defaultdict(int)), (np.array([1]), defaultdict(list)), (np.array([1]), defaultdict(None)))
def another_factory(x, table):
    return table[int(x[0])]


@scenario
def read_of_a_class(function):
    class Table:
        long = list(range(150))
        options = type("Options", (), {"n": 1})()

        def method(self):
            pass

    @function
    def f(x):
        return Table.long[3] + x, Table.options.n

    results = [f(1)]
    Table.long[3] = 100
    results.append(f(1))
    Table.options.n = 5
    return [*results, f(1)]


def test_what_a_class_holds_is_changed_while_other_threads_run():
    class Table:
        items = [1]
        seen = {1}
        count = 0

    @rt.function
    def change(x):
        Table.items.append(x)
        Table.seen.add(5)
        Table.count += x
        return len(Table.items), Table.count

    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert [change(1), change(2)] == [(2, 1), (3, 3)]
    finally:
        done.set()
        thread.join()
    assert (Table.items, Table.seen, Table.count) == ([1, 1, 2], {1, 5}, 3)


test_program = PROGRAMS.test()
