"""Functions with dozens of lists and dicts whose lengths hang on data: learned a few at a time."""

import numpy as np
import pytest

import runtime
from autograph import StagingError
from runtime.functions import tracing
from tests.benchmarks.programs import fresh
from tests.differential import check
from tests.long import some

MANY = 16  # what is learned and traced again grows with their square
KINDS = [("[]", ".append(v)"), ("{}", "[int(v)] = v"), ("set()", ".add(int(v))")]


def sorted_into(kinds, what, put):
    """A function that puts each number into one of so many containers."""
    lines = [f"    held{k} = {what}" for k in range(kinds)]
    lines.append("    for v in x:")
    for k in range(kinds):
        lines += [f"        {'el' if k else ''}if v < {k}:", f"            held{k}{put}"]
    names = ", ".join(f"held{k}" for k in range(kinds))
    return fresh("\n".join(["def program(x):", *lines, f"    return {names}"]) + "\n")


@pytest.mark.parametrize("engine", some(["native", "numpy"]))
@pytest.mark.parametrize("what, put", KINDS)
def test_many_containers(what, put, engine):
    program = sorted_into(MANY, what, put)
    assert check(program, (np.arange(40.0) - 8,), (np.array([3.5, 2.0, 3.5]),), engines=[engine])


def test_what_is_never_decided_is_refused_with_a_line(monkeypatch):
    monkeypatch.setattr(tracing, "MAX_LESSONS", 2)
    with pytest.raises(StagingError, match="no decision about the loops") as caught:
        runtime.function(sorted_into(8, "[]", ".append(v)"))(np.arange(9.0))
    assert caught.value.line and caught.value.hint
