"""A loop over `tqdm` shows a bar in each run, and gives what the plain loop gives."""

import numpy as np
import pytest

import runtime as rt

tqdm = pytest.importorskip("tqdm", reason="tqdm is not installed")
tqdm.tqdm.monitor_interval = 0  # no thread

X = np.array([1.0, 2.0, 3.0])


def left_early(x, n):
    for _ in tqdm.trange(n):
        x = x * 2
        if x[0] > 10:
            break
    return x


def over_a_generator(x, n):
    for v in tqdm.tqdm((t * t for t in x)):
        x = x + v
    return x


@pytest.mark.parametrize("engine", ["native", "numpy"])
@pytest.mark.parametrize("f", [left_early, over_a_generator])
def test_each_run_shows_its_bar(f, engine, capsys):
    compiled = rt.function(f, engine=engine)
    for n in (7, 2, 7):
        expected = f(X.copy(), n)
        plain = capsys.readouterr().err
        np.testing.assert_array_equal(compiled(X.copy(), n), expected)
        shown = capsys.readouterr().err
        assert shown.split("[")[0] == plain.split("[")[0] and shown.count("\r") == plain.count("\r")
    assert compiled.trace_count == 1
