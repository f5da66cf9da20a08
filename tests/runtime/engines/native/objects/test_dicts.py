"""Dicts and sets in machine code: keys of all kinds, what is missing, order, and references."""

import gc
import sys
from collections import Counter, OrderedDict, defaultdict

import pytest

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()

WORDS = ["b", "a", "é", "日本", "a", "", "x y", "b", "c1", "c2", "c3", "a"]

# Which key it is, only a run knows: n and k are numbers of the run.


@PROGRAMS.of((WORDS, 12), (WORDS, 0))
def counts(words, n):
    found, seen, last = {}, set(), {}
    for k in range(n):
        word = words[k]
        found[word] = found.get(word, 0) + 1
        last.setdefault(word, k)
        if word not in seen:
            seen.add(word)
        if len(found) > 4 and word in found:
            del found[word]
    return found, sorted(seen), len(seen), last


class Shouting(dict):
    def items(self):
        return [("!", 0)]


MANY = {f"{word}{k}": k for k, word in enumerate(WORDS * 5)}


@PROGRAMS.of(*[(kind(MANY),) for kind in (dict, OrderedDict, Counter, Shouting)])
def listed(table):
    names = [name for name in table if table[name] % 2]
    inverted = {}
    for name, number in table.items():
        inverted.setdefault(number % 3, []).append(name)
    return names, inverted, list(table), sum(table.values())


@PROGRAMS.of((12,), (0,))
def listed_in_order(n):
    """An OrderedDict has an order of its own."""
    table = OrderedDict()
    for k in range(n):
        table[k * 5 % 7] = k
        if k % 3 == 0:
            table.move_to_end(k * 5 % 7, last=False)
    return list(table), list(table.items()), list(table.values())


@PROGRAMS.of((12, 3), (12, 5), (0, 1))
def equal_keys(n, m):
    """1, 1.0 and True are one key, and the first of them stays."""
    table = {}
    for k in range(n):
        if k % m == 0:
            table[k % 4] = k
        elif k % m == 1:
            table[float(k % 4)] = k * 0.5
        else:
            table[k % 2 == 0] = None
    return table, table.get(0), table.get(1.0, "none"), table.get("x")


@PROGRAMS.of((8,), (0,))
def tuples_as_keys(n):
    grid = {}
    for k in range(n):
        grid[k % 3, k % 2 == 0] = k
        grid[(k % 3, "x"), None] = float(k)
    total = 0.0
    for key in grid:
        total += grid[key]
    return grid, total, (1, True) in grid


@PROGRAMS.of((WORDS, 5, 0), (WORDS, 5, 5), (WORDS, 5, 8))
def missing(words, n, k):
    table = {}
    for i in range(n):
        table[words[i]] = (i, words[i])
    number, word = table[words[k]]
    return number, word, table


@PROGRAMS.of((WORDS, 5, 0), (WORDS, 5, 8))
def deleted(words, n, k):
    table = {}
    for i in range(n):
        table[words[i]] = i
    del table[words[k]]
    return table


@PROGRAMS.of((WORDS, 12), (WORDS, 1))
def special(words, n):
    groups, numbers, order = defaultdict(list), Counter(), OrderedDict()
    for k in range(n):
        word = words[k]
        groups[word].append(k)
        numbers[word] += 1
        order[word] = k
        if k > 3 and word in order:
            del order[word]
            order[word] = -k
    return groups, numbers, order, numbers["none"], len(order), "b" in groups


SIGNS = {"+": 1, "-": -1, "x": 10, "y": 20, "z": 30, "u": 40, "v": 50, "w": 60}


@PROGRAMS.of((["+", "-", "x", "y", "z", "u", "v", "?"], 3), (["+", "-", "x", "y", "z", "u", "v", "?"], 8))
def known_table(signs, n):
    total = 0
    for k in range(n):
        if signs[k] in SIGNS or k == 7:
            total += SIGNS[signs[k]] + SIGNS.get(signs[k + 1 - k], 0)
    return total


@PROGRAMS.of(("([]{})" * 5,), ("([)]" * 8,), ("(((" + "x" * 20,), ("",))
def items_that_are_known_texts(text):
    opened, pairs = [], {")": "(", "]": "[", "}": "{"}
    for letter in text:
        if letter in "([{":
            opened.append(letter)
        elif letter in pairs:
            if not opened or opened.pop() != pairs[letter]:
                return False
    return not opened


test_program = PROGRAMS.test()


def work(words, n, k):
    table, seen = {}, set()
    for i in range(n):
        table[words[i], i] = words[i]
        seen.add(words[i])
        table.setdefault((words[i], -1), words[i + 1])
    return len(table[words[k], 0]) + len(seen)


def test_reference_counts():
    compiled = rt.function(work, engine="native")
    words = [f"wörd{k}" for k in range(8)]
    counted = []
    for k in (0, 5, 0, 5, 0, 5):
        if k:
            with pytest.raises(KeyError):
                compiled(words, 4, k)
        else:
            assert compiled(words, 4, k) == 9
        gc.collect()
        counted.append([sys.getrefcount(word) for word in words])
    assert counted[2:4] == counted[4:]
