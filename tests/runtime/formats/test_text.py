"""What is printed can be read back, exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.formats.literals import Objects, literal
from runtime.formats.parse import ParseError, parse
from runtime.formats.read_literals import read_literal
from runtime.formats.text import to_text
from runtime.formats.tokens import Cursor, tokenize
from runtime.graph.verify import verify
from tests.runtime.graph.random_graphs import exact, make_graph, run


@given(st.integers(0, 2**32))
def test_random_graphs_read_back(seed):
    graph = make_graph(seed)
    text = to_text(graph)
    again = parse(text)
    verify(again)
    assert to_text(again) == text
    assert run(again, aliased=True) == run(graph, aliased=True)


@given(st.integers(0, 2**32))
def test_locations_survive(seed):
    graph = make_graph(seed, size=5)
    again = parse(to_text(graph))
    shown = [op.location for op in graph.operations() if op.name != "constant"]
    assert shown == [op.location for op in again.operations() if op.name != "constant"]
