"""Families of random programs; a long run is `python -m tests.random_programs.nesting`, and so on."""

import pytest

from tests.differential import ENGINES
from tests.random_programs.aliases import ALIASES
from tests.random_programs.growing import GROWING
from tests.random_programs.holders import HOLDERS
from tests.random_programs.nesting import NESTING
from tests.random_programs.objects import OBJECTS
from tests.random_programs.views import VIEWS

#: a family, how many programs of it, and which part of them may be refused, at most
CASES = [
    (NESTING, False, 15, 0.1),
    (NESTING, True, 10, 0.1),
    (VIEWS, False, 20, 0.1),
    (GROWING, False, 6, 0.2),
    (OBJECTS, False, 6, 0.6),
    (HOLDERS, False, 12, 0.3),
    (ALIASES, False, 4, 0.3),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("family", "deeper", "count", "refused"), CASES)
def test_family(family, deeper, count, refused, engine):
    # Both engines run the graph of one tracer, which takes nearly all the time: fewer for the interpreter.
    seeds = range(0, count, 3 if engine == "numpy" else 1)
    right = [family.judge(seed, engine, deeper) for seed in seeds]
    assert right.count(False) <= refused * len(right)


def test_what_a_trace_takes_for_known_is_there(monkeypatch):
    monkeypatch.setenv("AUTOGRAPH_VERIFY", "loads")
    assert all([ALIASES.judge(seed, "numpy") for seed in range(10, 13)])


def test_a_guard_takes_what_no_run_reads():
    """Lists that come to lie in each other to any depth, in an attribute that a guard looks at."""
    assert HOLDERS.judge(4265, "native")
