"""Converted code means the same: random programs over every statement, and random modules of valid syntax."""

import warnings

import hypothesis
import hypothesmith
import pytest

from autograph.errors import AutographError
from autograph.modules import convert_source
from tests.python_programs.__main__ import found, text_of

SEEDS = [f"suite/{number}" for number in range(40)]


@pytest.mark.parametrize("seed", SEEDS)
def test_same_behaviour(seed):
    text = text_of(seed)
    assert found(text) is None, text


@hypothesis.settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
@hypothesis.given(hypothesmith.from_node())
def test_any_module_converts_to_one_that_compiles(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "module", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return  # hypothesmith's own limits
        try:
            converted = convert_source(text)
        except AutographError:
            return  # refused by name
        compile(converted, "converted", "exec", dont_inherit=True)
        assert convert_source(converted) == converted
