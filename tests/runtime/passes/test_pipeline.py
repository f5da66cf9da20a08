"""An optimised graph does what the graph did: results, prints, exceptions, writes, shared memory."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from runtime.graph.verify import verify
from runtime.passes import PIPELINE, optimize
from tests.runtime.graph.random_graphs import make_graph, run


@settings(max_examples=120)
@given(st.integers(0, 2**32), st.booleans())
def test_optimised_graphs_do_the_same(seed, aliased):
    graph = make_graph(seed)
    verify(graph)
    expected = run(graph, aliased)
    assume("OverflowError" not in expected.error)  # ours, not Python's: it may go
    before = str(graph)
    assert run(optimize(graph), aliased) == expected
    assert str(graph) == before


@pytest.mark.parametrize("run_pass", PIPELINE, ids=lambda p: p.__name__)
@settings(max_examples=50)
@given(st.integers(0, 2**32), st.booleans())
def test_each_pass_alone_does_the_same(run_pass, seed, aliased):
    graph = make_graph(seed)
    expected = run(graph, aliased)
    assume("OverflowError" not in expected.error)
    changed = run_pass(graph)
    verify(changed)
    assert run(changed, aliased) == expected
