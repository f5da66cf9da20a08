"""AUTOGRAPH_DEBUG and `with debug(level):` print what the passes do, on stderr."""

import pytest

from runtime import passes
from runtime.debug import debug, level
from runtime.formats.parse import parse
from runtime.graph.verify import VerificationError
from runtime.passes import optimize

TEXT = """
# demo.py
graph f(x: int) -> int:
    two: int = py.add(1, 1)    # 2
    y: int = py.mul(x, two)    # 3
    return y
"""


def test_levels(capsys):
    with debug(1):
        optimize(parse(TEXT))
    first = capsys.readouterr().err
    assert "fold_constants:" in first and "graph f" not in first
    with debug(2):
        optimize(parse(TEXT))
    second = capsys.readouterr().err
    assert second.count("graph f(x: int) -> int:") == 1, "only after the pass that changed it"
    assert "y: int = py.mul(x, 2)" in second
    with debug(4):
        optimize(parse(TEXT))
    assert "constant: py.add at demo.py:2" in capsys.readouterr().err
    optimize(parse(TEXT))
    assert capsys.readouterr().err == ""


def test_the_environment_sets_the_level(monkeypatch):
    monkeypatch.setenv("AUTOGRAPH_DEBUG", "3")
    assert level() == 3
    with debug(0):
        assert level() == 0


def test_a_wrong_pass_is_caught(monkeypatch):
    def lose_everything(graph):
        graph.body.operations.clear()
        return graph

    def see(graph):
        seen.append(graph)
        return graph

    seen = []
    monkeypatch.setattr(passes, "PIPELINE", [lose_everything, see])
    with pytest.raises(VerificationError):
        optimize(parse(TEXT))
    assert seen
    monkeypatch.setenv("AUTOGRAPH_VERIFY", "0")
    optimize(parse(TEXT))
    seen.clear()
    monkeypatch.setenv("AUTOGRAPH_VERIFY", "each")
    with pytest.raises(VerificationError):
        optimize(parse(TEXT))
    assert not seen, "the pass before is found to be the wrong one"
