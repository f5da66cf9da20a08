"""Random programs mean the same plain, converted and decorated; a decorated one may be refused, properly.

Hypothesis chooses the programs; what makes a failing one smaller is our reducer, which knows statements.
"""

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.differential import ENGINES
from tests.random_programs.choices import seeded
from tests.random_programs.generator import generate
from tests.random_programs.long_run import smallest
from tests.random_programs.program import Program
from tests.random_programs.properties import Verdict, is_sound, judge

#: Of a hundred programs, how many may be refused today; lower it when the runtime learns more.
MOST_REFUSED = 3


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Any program, by its seed: drawing each of its choices from hypothesis takes most of the time.

    A program that fails is made small by ``python -m tests.random_programs --seed``.
    """
    return generate(seeded(draw(st.integers(0, 2**32))))


few = settings(
    max_examples=100, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck)
)


def fail(program: Program, engine: str, verdict: Verdict) -> None:
    """Fail with the program as small as half a minute makes it."""
    raise AssertionError(smallest(program, engine, verdict, seconds=30).reason)


@few
@given(programs())
def test_converted_programs_mean_the_same(program: Program) -> None:
    verdict = judge(program, ("convert",))
    if verdict.status != "equal":
        fail(program, "convert", verdict)


@pytest.mark.parametrize("engine", ENGINES)
@few
@given(programs())
def test_decorated_programs_mean_the_same_or_are_refused(engine: str, program: Program) -> None:
    verdict = judge(program, (engine,))
    if verdict.status not in ("equal", "refused", "beyond"):
        fail(program, engine, verdict)


def test_few_programs_are_refused() -> None:
    verdicts = [judge(generate(seeded(seed)), ("numpy",)) for seed in range(100)]
    statuses = Counter(verdict.status for verdict in verdicts)
    assert statuses["refused"] <= MOST_REFUSED, Counter(v.head for v in verdicts).most_common(10)


def test_generated_programs_run_and_end() -> None:
    unsound = [program for seed in range(100) if not is_sound(program := generate(seeded(seed)))]
    assert unsound == []


def test_the_same_seed_makes_the_same_program() -> None:
    assert generate(seeded(7)) == generate(seeded(7)) != generate(seeded(8))
