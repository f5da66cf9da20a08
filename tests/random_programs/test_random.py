"""Random programs mean the same plain, converted and decorated; a decorated one may be refused, properly."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.differential import ENGINES
from tests.random_programs.choices import Choices, seeded
from tests.random_programs.generator import generate
from tests.random_programs.program import Program
from tests.random_programs.properties import is_sound, judge

#: Of a hundred programs, how many may be refused today; lower it when the runtime learns more.
MOST_REFUSED = 100


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Any program; hypothesis finds a small one that fails."""
    return generate(Choices(lambda low, high: draw(st.integers(low, high))))


few = settings(max_examples=150, suppress_health_check=list(HealthCheck))


@few
@given(programs())
def test_converted_programs_mean_the_same(program: Program) -> None:
    verdict = judge(program, ("convert",))
    assert verdict.status == "equal", verdict.reason


@pytest.mark.parametrize("engine", ENGINES)
@few
@given(programs())
def test_decorated_programs_mean_the_same_or_are_refused(engine: str, program: Program) -> None:
    verdict = judge(program, (engine,))
    assert verdict.status in ("equal", "refused", "beyond"), verdict.reason


def test_few_programs_are_refused() -> None:
    verdicts = [judge(generate(seeded(seed)), ("numpy",)) for seed in range(100)]
    statuses = Counter(verdict.status for verdict in verdicts)
    assert statuses["refused"] <= MOST_REFUSED, Counter(v.head for v in verdicts).most_common(10)


def test_generated_programs_run_and_end() -> None:
    unsound = [program for seed in range(100) if not is_sound(program := generate(seeded(seed)))]
    assert unsound == []


def test_the_same_seed_makes_the_same_program() -> None:
    assert generate(seeded(7)) == generate(seeded(7)) != generate(seeded(8))
