"""Rows of numbers and texts in lists: what is put in comes out as it was."""

import pytest

import runtime
from tests.differential import ENGINES
from tests.programs import Programs

PROGRAMS = Programs()


@PROGRAMS.of((5, [(1, 2.0), (3, 4.5)]), (2, [(1, True), (2, 3.0)]))
def rows_from_outside(n, rows):
    total = 0
    for _ in range(n):
        if rows and rows[-1][0] < n:
            a, b = rows.pop()
            total += a * b
    return total, rows


test_program = PROGRAMS.test()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_int_in_a_row_that_is_beyond_64_bits(engine):
    function = runtime.function(rows_from_outside, engine=engine)
    assert function(2, [(1, 2.0)]) == (2.0, [])
    with pytest.raises(OverflowError, match="64 bits"):
        function(2, [(-(2**70), 1.0)])
