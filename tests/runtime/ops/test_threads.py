"""Parts of one operation in several threads."""

import threading
from importlib import import_module

import numpy as np
import pytest

threads = import_module("runtime.ops.threads")


@pytest.fixture(autouse=True)
def three_threads(monkeypatch):
    monkeypatch.setattr(threads, "limit", 3)
    monkeypatch.setattr(threads, "_helpers", threads._Helpers())


def test_each_part_is_taken_once_by_one_of_the_threads():
    taken, barrier = [], threading.Barrier(3)

    def work(parts):
        barrier.wait(10)  # all three are at work
        for part in parts:
            taken.append(part)

    threads.share(work, range(100))
    assert sorted(taken) == list(range(100))


def test_an_exception_comes_out_when_no_thread_works_any_more():
    def work(parts):
        for part in parts:
            if part == 2:
                raise ValueError("part 2")

    with pytest.raises(ValueError, match="part 2"):
        threads.share(work, range(5))


def test_threads_have_the_settings_of_the_one_that_asks():
    barrier, found = threading.Barrier(3), []

    def work(parts):
        barrier.wait(10)
        found.append(np.geterr()["over"])

    with np.errstate(over="raise"):
        threads.share(work, range(3))
    assert found == ["raise"] * 3


def test_they_are_none_of_the_programs_threads():
    """Else a trace would refuse stores that the program's own threads could see half done."""
    before = threading.active_count()
    threads.share(lambda parts: [*parts], range(100))
    assert threading.active_count() == before
