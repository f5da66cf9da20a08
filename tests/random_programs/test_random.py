"""Random programs mean the same plain, converted and decorated; a decorated one may be refused, properly.

`make fuzz` tries others; what makes a failing one smaller is our reducer, which knows statements.
"""

from collections import Counter

import pytest

from tests.long import some
from tests.random_programs.choices import seeded
from tests.random_programs.generator import generate
from tests.random_programs.idioms import IDIOMS, generate_idioms
from tests.random_programs.long_run import smallest
from tests.random_programs.properties import is_sound, judge

#: So many of the programs of an engine may be refused today; lower it when the runtime learns more.
MOST_REFUSED = 2

#: Each asks other programs, so many; both engines run the graph of one tracer: fewer for the interpreter.
FIRST = {"numpy": 0, "native": 100, "convert": 200}
COUNT = {"numpy": 15, "native": 45, "convert": 45}


def fail(program, engine, verdict):
    """Fail with the program as small as half a minute makes it."""
    raise AssertionError(smallest(program, engine, verdict, seconds=30).reason)


@pytest.mark.parametrize("engine", FIRST)
def test_programs_mean_the_same_and_few_are_refused(engine):
    refused = []
    for seed in range(FIRST[engine], FIRST[engine] + COUNT[engine]):
        program = generate(seeded(seed))
        verdict = judge(program, (engine,))
        if verdict.status == "refused" and engine != "convert":
            refused.append(verdict.head)
        elif verdict.status != "equal" and (verdict.status != "beyond" or engine == "convert"):
            fail(program, engine, verdict)
    assert len(refused) <= MOST_REFUSED, Counter(refused).most_common(10)


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
def test_idioms_mean_the_same_and_few_are_refused(engine):
    refused = []
    for number, part in enumerate(sorted(IDIOMS)):
        program = generate_idioms(FIRST[engine] + number, [part])
        verdict = judge(program, (engine,))
        if verdict.status == "refused":
            refused.append(verdict.head)
        elif verdict.status != "equal":
            fail(program, engine, verdict)
    assert len(refused) <= MOST_REFUSED, refused


def test_generated_programs_run_and_end():
    unsound = [program for seed in range(100) if not is_sound(program := generate(seeded(seed)))]
    assert unsound == []


def test_the_same_seed_makes_the_same_program():
    assert generate(seeded(7)) == generate(seeded(7)) != generate(seeded(8))
