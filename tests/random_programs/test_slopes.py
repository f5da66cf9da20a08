"""Gradients of random programs; a long run is `python -m tests.random_programs.slopes`."""

import collections

import pytest

from tests.random_programs.slopes import judge


@pytest.mark.parametrize(("engine", "first", "count"), [("numpy", 0, 30), ("native", 1000, 15)])
def test_gradients_are_those_of_plain_python(engine, first, count):
    counted = collections.Counter(
        judge(seed, engine).partition(":")[0] for seed in range(first, first + count)
    )
    assert counted["equal"] >= count / 3, counted
    assert counted["refused"] <= count / 6, counted
