"""A dict's pairs that are only taken apart are two lists, of its keys and of its items."""

import runtime as rt
from tests.programs import Programs

PROGRAMS = Programs()
#: those whose pairs somebody wants
WHOLE = Programs()

# Of so many keys only a run knows.
ROWS = {f"row {k}": (k % 7 - 1, k / 2) for k in range(50)}
NUMBERED = {k * 7 % 71: k for k in range(71)}
SOME = {f"row {k}": None if k % 3 == 0 else k for k in range(50)}


def pairs_made(f, *args):
    compiled = rt.function(f, engine="native")
    compiled(*args)
    names = {op.name for op in compiled.concrete_functions[0].compiled.executable.graph.operations()}
    assert "dict.items" in names or "dict.values" in names
    return "dict.items" in names


def test_which_are_split():
    assert not pairs_made(inverted, NUMBERED, 3)
    assert not pairs_made(rows, ROWS)
    assert pairs_made(pairs_in_order, NUMBERED)


@PROGRAMS.of((NUMBERED, 3), ({**NUMBERED, -5: 3}, 4))
def inverted(table, n):
    found = {}
    for key, value in table.items():
        if value != n:
            found.setdefault(value % n, []).append(key)
    return found, [key for key, value in table.items() if value == n], {v: k for k, v in table.items()}


@PROGRAMS.of((ROWS,), ({**ROWS, "x": (1, -1.0)},))
def rows(table):
    """Items that are tuples themselves, and a variable that outlives the loop."""
    total, name = 0.0, ""
    for name, (count, price) in table.items():
        if count < 0:
            continue
        total += count * price
    return total, name


@PROGRAMS.of((SOME,), ({**SOME, "x": 7},))
def some(table):
    return [(key, 0 if value is None else value + 1) for key, value in table.items()]


@PROGRAMS.of((dict(NUMBERED),), ({k: k + 10 for k in range(50)},))
def changed(table):
    """The items are those from when the loop began; a dict that grows meanwhile is complained of."""
    for key, value in table.items():
        table[key] = value + 1
        if value == 7:
            table[value * 100] = 0
    return table


@PROGRAMS.of((dict.fromkeys(ROWS, 1),), ({**dict.fromkeys(ROWS, 1), "b": 2.5},), (dict.fromkeys(ROWS, 0.5),))
def of_other_kinds(table):
    total = 0
    for key, value in table.items():
        total += len(key) * value
    return total


@WHOLE.of((NUMBERED,))
def pairs_in_order(table):
    return sorted(table.items()), list(table.items())


test_split = PROGRAMS.test()
test_whole = WHOLE.test()
