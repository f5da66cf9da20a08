"""Graphs with containers read back, and the graph that was read runs as the one that was written."""

import numpy as np
import pytest

import runtime as rt
from runtime.engines import numpy_engine
from runtime.formats.parse import parse
from runtime.graph.verify import verify


def pairs(x):
    found = []
    for i in range(len(x)):
        if x[i] > 0:
            found.append((x[i], i))
    while len(found) > 2:
        found.pop(0)
    return found, found[-1][0]


def counts(x):
    table = {}
    for v in x:
        key = int(v) % 3
        if key in table:
            table[key] += 1
        else:
            table[key] = 1
    return table, len(table)


def mixed(x):
    names = []
    for v in x:
        names.append(v if v > 0 else None)
    return names


def sums(x):
    kept = []
    for v in x:
        if v > 1:
            kept.append(v)
    return sum(kept), sorted(kept, reverse=True), max(kept)


@pytest.mark.parametrize("function", [pairs, counts, mixed, sums])
def test_reads_back(function):
    x = np.array([1.0, -2.0, 3.0, 4.0])
    graph = rt.function(function).get_concrete_function(x).graph
    text = str(graph)
    again = parse(text)
    verify(again)
    assert str(again) == text
    ours, theirs = (numpy_engine.compile(g)([x.copy()]) for g in (again, graph))
    assert repr(ours) == repr(theirs)
