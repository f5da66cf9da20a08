"""No list is made for the sake of a copy, where nothing can change in between."""

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()
WORDS = ["tea", "ate", "eat", "", "é", "日本", "aab", "aba"] * 10
NUMBERS = [k * 7 % 31 for k in range(70)]
TABLE = {f"key {k * 7 % 50}": k for k in range(50)}


def lists_made(f, *args):
    compiled = rt.function(f, engine="native")
    compiled(*args)
    operations = compiled.concrete_functions[0].compiled.executable.graph.operations()
    return sum(op.name == "list.of" for op in operations)


def test_how_many_lists_are_made():
    assert lists_made(anagrams, WORDS) == 0
    assert lists_made(in_order, NUMBERS) == 0
    assert lists_made(seen_by_others, NUMBERS) == 1


@PROGRAMS.of((WORDS,), (WORDS[:70],))
def anagrams(words):
    found = {}
    for word in words:
        found.setdefault("".join(sorted(word)), []).append(word)
    return found


@PROGRAMS.of((NUMBERS,), ([*NUMBERS, -5, -5],), ([0.5] * 40,))
def in_order(xs):
    return sorted(set(xs)), sorted(set(xs), reverse=True)


@PROGRAMS.of((NUMBERS,))
def seen_by_others(xs):
    numbers = list(set(xs))
    ordered = sorted(numbers)
    numbers.append(-1)
    return ordered, sorted(numbers)


@PROGRAMS.of((TABLE, NUMBERS))
def copies(table, xs):
    """A copy of a copy, and one that is taken before something changes."""
    before = list(xs)
    xs = list(list(list(xs)))
    xs.append(100)
    keys = list(table)
    table["another"] = 1
    return before, xs, sorted(keys), sorted(table), list(list(table.items())), sorted(list(table.values()))


@PROGRAMS.of((WORDS, "abc"))
def not_in_order(words, text):
    return sorted(list(text) + words)


test_program = PROGRAMS.test()
