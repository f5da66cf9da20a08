"""Sets, deques and dicts of kinds of their own, of a caller, a module or a class: changed where they are."""

import copy
from collections import Counter, defaultdict, deque

import numpy as np

from tests.programs import Call, Programs

PROGRAMS = Programs()
of, scenario = PROGRAMS.of, PROGRAMS.scenario

NUMBERS = (3, 0, 5)


def with_each(*rest):
    return [Call(np.array([n]), *copy.deepcopy(rest)) for n in NUMBERS]


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


@of((np.array([1]), defaultdict(int)), (np.array([1]), defaultdict(list)), (np.array([1]), defaultdict(None)))
def another_factory(x, table):
    return table[int(x[0])]


test_program = PROGRAMS.test()
