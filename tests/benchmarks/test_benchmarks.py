"""The benchmarks run; what they measure is for `make bench`."""

import pytest

from tests.benchmarks.run import BENCHMARKS, main
from tests.long import some


@pytest.mark.parametrize("name", some(BENCHMARKS))
def test_benchmark_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "stages":
        pytest.importorskip("casadi", reason="needs CasADi, which is of the extra `stages`")
    assert main(["--tiny", name]) == 0
    assert "target" in capsys.readouterr().out


def test_unknown_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["colatz"]) == 2
    assert "no benchmark named colatz" in capsys.readouterr().err
