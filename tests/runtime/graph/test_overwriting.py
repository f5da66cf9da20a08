"""Is what was read of an array still there later? Loops that fill tables, and what a run writes."""

from itertools import product

import pytest

from runtime.formats.parse import parse
from runtime.graph.array_contents import Overwriting
from runtime.graph.effects import Memory

READ = "view: f64[None] = x[:end]\n{pad}s: f64 = sum(view)"
STORE = "x[place] = 1.0"


def overwritten(text):
    graph = parse(text)
    (op,) = [op for op in graph.operations() if op.name == "sum"]
    return Overwriting(graph, Memory(graph, distinct_params=True)).after(op.inputs[0], op)


def seen_to_be_overwritten(start, step, end, place, first, inner):
    """The same loop in Python: after each read, is any place that was read written?"""
    events = []
    for i in range(start, 9, step) if step > 0 else range(8, start - 1, step):
        for j in range(i, 9) if inner else (i,):
            read, write = ("read", range(20)[: i + end]), ("write", range(20)[j + place])
            events += [write, read] if first else [read, write]
    return any(
        kind == "read" and any(k == "write" and w in places for k, w in events[n:])
        for n, (kind, places) in enumerate(events)
    )


@pytest.mark.parametrize(("inner", "first"), [(False, False), (False, True), (True, False), (True, True)])
def test_a_table_that_is_filled(inner, first):
    proved = 0
    for start, step, end, place in product((0, 1, 2), (1, 2, -1), (-1, 0, 1, 2), (-1, 0, 1, 2)):
        limits = f"{start}, 9, {step}" if step > 0 else f"8, {start - 1}, {step}"
        pad = " " * (12 if inner else 8)
        parts = [STORE, READ] if first else [READ, STORE]
        lines = [
            "graph f(x: f64[20]) -> ():",
            f"    for i: int in range({limits}):",
            "        for j: int in range(i, 9, 1):" if inner else "",
            f"{pad}end: int = py.add(i, {end})",
            f"{pad}place: int = py.add({'j' if inner else 'i'}, {place})",
            *[pad + part.format(pad=pad) for part in parts],
            "    return",
        ]
        found = overwritten("\n".join(line for line in lines if line) + "\n")
        really = seen_to_be_overwritten(start, step, end, place, first, inner)
        assert found or not really, (start, step, end, place)
        proved += not found
        if step > 0 and start >= 1 and not inner:
            assert found == really, (start, step, end, place)
    assert proved > 10


def test_what_is_written_behind_the_loop_or_by_another_name():
    loop = """
graph f(x: f64[9]) -> ():
    y: f64[9] = positive(x)
    for i: int in range(0, 9, 1):
        view: f64[None] = y[:i]
        s: f64 = sum(view)
        y[i] = s
"""
    assert not overwritten(loop + "    return\n")
    assert overwritten(loop + "    y[0] = 1.0\n    return\n")
    assert overwritten(loop + "        same: f64[9] = y[:]\n        same[i] = s\n    return\n")
    around = loop.replace("\n    for", "\n    for k: int in range(0, 3, 1):\n    for")
    head, _, body = around.partition("range(0, 3, 1):\n")
    again = head + "range(0, 3, 1):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    assert overwritten(again + "    return\n")


def test_the_operation_that_writes_last():
    graph = parse(
        """
graph f(x: f64[9]) -> ():
    for i: int in range(0, 9, 1):
        y: f64[9] = positive(x)
        inplace(y, 2.0, ufunc='multiply')
    for i: int in range(0, 9, 1):
        inplace(x, 2.0, ufunc='multiply')
    return
"""
    )
    overwriting = Overwriting(graph, Memory(graph, distinct_params=True))
    fresh, again = [op for op in graph.operations() if op.name == "inplace"]
    assert overwriting.after(fresh.inputs[0], fresh)
    assert not overwriting.after(fresh.inputs[0], fresh, behind=True)
    assert overwriting.after(again.inputs[0], again, behind=True), "the next iteration writes it"
