"""Random graphs with aliases, writes, prints, raises and loops: both engines show the caller the same."""

from __future__ import annotations

import threading

import pytest

from runtime.engines import native, numpy_engine
from tests.long import some
from tests.runtime.engines.native.graphs import Maker
from tests.runtime.graph import random_graphs


@pytest.mark.parametrize("seed", some(range(60)))
def test_engines_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graphs.make_graph(seed)
    for aliased in (False, True):
        monkeypatch.setattr(random_graphs, "compile", numpy_engine.compile)
        expected = random_graphs.run(graph, aliased)
        monkeypatch.setattr(random_graphs, "compile", native.compile)
        assert random_graphs.run(graph, aliased) == expected


def test_threads_compile_and_call() -> None:
    results: list[list[object]] = []

    def work(number: int) -> None:
        m = Maker("int")
        executable = native.compile(m.returns(m("py.add", m.params[0], number)))
        results.append([executable([1]), number])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(n for _, n in results) == list(range(8))  # type: ignore[type-var]
    assert all(found == [1 + n] for found, n in results)  # type: ignore[operator]
