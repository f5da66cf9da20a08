"""How many operations a trace appends, thrown away ones included: its time is in proportion."""

import runtime as rt
from runtime.tracer.builder import Builder
from tests.ordinary.objects import GRAPH, dijkstra_named


def appended(monkeypatch, function, count):
    """How many operations the first call appends; its result and a later one's are compared with Python's."""
    append, places = Builder.append, []
    monkeypatch.setattr(Builder, "append", lambda self, made: places.append(made.name) or append(self, made))
    staged = rt.function(function, engine="numpy")
    assert staged(count) == function(count)
    effort = len(places)
    assert staged(count + 2) == function(count + 2)
    assert staged(count) == function(count)
    return effort


def test_a_frozenset_that_grows_in_a_loop_does_not_double_in_each_round(monkeypatch):
    def grown(x):
        seen = frozenset({0})
        for _ in range(x):
            seen = seen | {1}
        return len(seen)

    assert appended(monkeypatch, grown, 5) < 5_000  # 60,000, and 30 seconds, while rounds doubled it


def test_a_variable_of_few_frozensets_still_settles(monkeypatch):
    even, odd, third = frozenset({0, 2}), frozenset({1, 3}), frozenset({5})

    def states(x):
        state = even
        for i in range(x):
            if state is even:
                state = odd
            elif i > 3:
                state = third
            else:
                state = even
        return max(state)

    assert appended(monkeypatch, states, 7) < 5_000


def test_a_graph_in_a_dict_of_lists_is_not_traced_for_each_node():
    """Six names: a run knows which one it is, and the trace does not go through all of them."""
    f = rt.function(getattr(dijkstra_named, "program", dijkstra_named))
    assert f(GRAPH, "a") == dijkstra_named(GRAPH, "a")
    assert len(list(f.concrete_functions[-1].graph.operations())) < 100
