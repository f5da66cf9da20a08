"""What a run-time error shows: the user's line, with carets under the expression, as plain Python has it."""

import textwrap
import traceback
from types import FunctionType

import numpy as np
import pytest

import runtime as rt
from runtime.engines.tracebacks import located
from runtime.graph import Location

PROGRAM = textwrap.dedent("""\
    def pick(x, i):
        y = x * 2
        return (y +
                y[i])
""")


@pytest.fixture
def program(tmp_path) -> FunctionType:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    namespace: dict[str, FunctionType] = {}
    exec(compile(PROGRAM, str(file), "exec"), namespace)
    return namespace["pick"]


def shown(function) -> str:
    with pytest.raises(IndexError) as caught:
        function(np.arange(3.0), 7)
    lines = traceback.format_exception(caught.value)
    return "".join([line for line in lines if "in pick" in line] + lines[-1:])


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_the_line_and_the_carets_are_those_of_plain_python(program, engine):
    assert shown(rt.function(program, engine=engine)) == shown(program)


def test_the_instruction_of_an_entry_is_a_real_one():
    """IPython looks the instruction up, and would search for ever for one that is not there."""
    for place in (Location("area.py", 300, "area", span=(4, 300, 9)), Location("area.py", 300, "area")):
        entry = located(ValueError("no"), place).__traceback__
        positions = list(entry.tb_frame.f_code.co_positions())
        line, end_line, column, end = positions[entry.tb_lasti // 2]
        assert line == entry.tb_lineno == 300
        expected = (300, 4, 9) if place.span else (300, None, None)
        assert (end_line, column, end) == expected
