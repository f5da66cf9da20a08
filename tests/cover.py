"""What each test runs of the packages, and which tests add nothing to the others.

    python -m pytest -n 0 -p tests.cover --cover cover/heap.npz tests/runtime/heap
    python -m tests.cover cover/*.npz --keep tests/features --keep tests/semantics

The plugin (Python 3.12 or newer) writes for each test alone which lines and branches of `autograph` and
`runtime` it runs, which operations with which kinds of inputs it makes, and the words of its refusals. The
command names those tests whose every one of these stands in others that stay, file by file. A test has one
name here for all its engines. What a test runs in other processes is not seen; nor is what it *checks*:
read it before it goes.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest

from autograph.errors import AutographError
from runtime.graph.operations import Operation

_monitoring: Any = getattr(sys, "monitoring", None)
_events: Any = getattr(_monitoring, "events", None)
_TOOL = 3
_ROOT = Path(__file__).resolve().parents[1]
_PACKAGES = (f"{_ROOT}/autograph/", f"{_ROOT}/runtime/")
#: A branch that goes one way so often is not looked at any more.
_ENOUGH = 50


class Recorder:
    """What is run since `clear`: events of Python, operations and refusals that are made."""

    def __init__(self) -> None:
        self.codes: dict[int, CodeType] = {}  # kept, so that the numbers stay theirs
        self.words: set[str] = set()
        self.lines: set[tuple[int, int]] = set()
        self.branches: dict[tuple[int, int, int], int] = {}
        self.first_ways: dict[tuple[int, int], int] = {}

    def clear(self) -> None:
        for part in (self.words, self.lines, self.branches, self.first_ways):
            part.clear()

    def listen(self, to_all: bool = True) -> None:
        for event, callback in (
            (_events.PY_START, self.on_start),
            (_events.LINE, self.on_line),
            (_events.BRANCH, self.on_branch),
        ):
            _monitoring.register_callback(_TOOL, event, callback if to_all else None)
        _monitoring.set_events(_TOOL, _events.PY_START if to_all else 0)

    def on_start(self, code: CodeType, offset: int) -> Any:
        file = code.co_filename
        if id(code) not in self.codes and file.startswith(_PACKAGES) and file.endswith(".py"):
            self.codes[id(code)] = code
            _monitoring.set_local_events(_TOOL, code, _events.LINE | _events.BRANCH)
        return _monitoring.DISABLE

    def on_line(self, code: CodeType, line: int) -> Any:
        self.lines.add((id(code), line))
        return _monitoring.DISABLE

    def on_branch(self, code: CodeType, source: int, target: int) -> Any:
        key = (id(code), source, target)
        times = self.branches[key] = self.branches.get(key, 0) + 1
        if times > _ENOUGH or self.first_ways.setdefault(key[:2], target) != target:
            return _monitoring.DISABLE
        return None

    def on_operation(self, name: str, inputs: Sequence[Any]) -> None:
        kinds = [f"{type(value.type).__name__} {getattr(value.type, 'dtype', '')}" for value in inputs[:3]]
        self.words.update((f"operation {name}", f"kinds {name}({', '.join(kinds)})"))

    def on_refusal(self, message: str) -> None:
        self.words.add("refusal " + re.sub(r"`[^`]*`|'[^']*'|\d+|\[.*?\]", "_", message))

    def features(self) -> Iterator[str]:
        yield from self.words
        for code, line in self.lines:
            yield f"line {self._file(code)}:{line}"
        for code, source, target in self.branches:
            yield f"branch {self._file(code)}:{self.codes[code].co_firstlineno}:{source}>{target}"

    def _file(self, code: int) -> str:
        return self.codes[code].co_filename[len(str(_ROOT)) + 1 :]


class Plugin:
    """Records each test alone, and writes at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.recorder = Recorder()
        self.names: dict[str, int] = {}
        self.found: dict[str, set[int]] = defaultdict(set)
        self.seconds: dict[str, float] = defaultdict(float)
        _monitoring.use_tool_id(_TOOL, "cover")
        self.recorder.listen()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self.recorder.clear()
        _monitoring.restart_events()
        begun = time.perf_counter()
        result = yield
        name = _without_engine(item.nodeid)
        self.seconds[name] += time.perf_counter() - begun
        features = self.recorder.features()
        self.found[name].update(self.names.setdefault(feature, len(self.names)) for feature in features)
        return result

    def pytest_sessionfinish(self) -> None:
        self.recorder.listen(False)
        bits = np.zeros((len(self.found), len(self.names)), bool)
        for row, places in zip(bits, self.found.values(), strict=True):
            row[list(places)] = True
        self.path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(
            self.path,
            tests=list(self.found),
            seconds=[self.seconds[test] for test in self.found],
            features=list(self.names),
            bits=np.packbits(bits, axis=1),
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cover", type=Path, help="the file for what each test runs")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("--cover")
    if path is None:
        return
    plugin = Plugin(path)
    config.pluginmanager.register(plugin)
    _tell_when_made(Operation, lambda made: plugin.recorder.on_operation(made.name, made.inputs))
    _tell_when_made(AutographError, lambda made: plugin.recorder.on_refusal(made.message))


def _tell_when_made(cls: Any, tell: Any) -> None:
    make = cls.__init__

    def told(self: Any, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        tell(self)

    cls.__init__ = told


def _without_engine(test: str) -> str:
    """The test's name, the same one for each engine.

    >>> _without_engine("a.py::test_program[squares-native]"), _without_engine("a.py::test_all[numpy]")
    ('a.py::test_program[squares]', 'a.py::test_all')
    """
    return re.sub(r"(?<=[-\[])(numpy|native|convert)-|-?\b(numpy|native|convert)(?=\])", "", test).replace(
        "[]", ""
    )


class Cover:
    """The tests of several files, the features of each, and which of them are needed."""

    def __init__(self, paths: Sequence[Path], ignored: Sequence[str] = ()) -> None:
        numbers: dict[str, int] = {}
        self.tests: list[str] = []
        self.seconds: list[float] = []
        self.rows: list[Any] = []
        for path in paths:
            with np.load(path) as file:
                names = [str(name) for name in file["features"]]
                places = np.array([numbers.setdefault(name, len(numbers)) for name in names])
                counted = np.array([not name.startswith(tuple(ignored)) for name in names])
                bits = np.unpackbits(file["bits"], axis=1, count=len(names)).astype(bool) & counted
                self.rows += [places[row] for row in bits]
                self.tests += map(str, file["tests"])
                self.seconds += file["seconds"].tolist()
        self.names = list(numbers)
        self.times = np.zeros(len(numbers), int)
        for row in self.rows:
            self.times[row] += 1

    def superfluous(self, keep: Sequence[str], left: int = 1) -> list[int]:
        """Tests that may go, all of them: what each has, so many others have that stay. Small ones first."""
        kept = re.compile("|".join(keep) or "(?!)")
        times, gone = self.times.copy(), []
        for test in sorted(range(len(self.rows)), key=lambda test: len(self.rows[test])):
            row = self.rows[test]
            if not kept.match(self.tests[test]) and (times[row] > left).all():
                times[row] -= 1
                gone.append(test)
        return gone

    def alone(self, test: int) -> list[str]:
        """What no other test has."""
        row = self.rows[test]
        return [self.names[place] for place in row[self.times[row] == 1]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--keep", action="append", default=[], help="tests that stay: a regular expression")
    parser.add_argument(
        "--left", type=int, default=1, help="so many tests that stay have what one has that goes"
    )
    parser.add_argument(
        "--without", action="append", default=[], help="features not counted: `kinds`, `branch`"
    )
    parser.add_argument("--alone", help="show what only these tests have: a regular expression")
    options = parser.parse_args()
    cover = Cover(options.files, options.without)
    if options.alone:
        for test, name in enumerate(cover.tests):
            if re.search(options.alone, name):
                print(name, *cover.alone(test), sep="\n    ")
        return
    gone = cover.superfluous(options.keep, options.left)
    for test in sorted(gone):
        print(f"{cover.seconds[test]:7.2f} s  {cover.tests[test]}")
    seconds = sum(cover.seconds[test] for test in gone)
    print(f"{len(gone)} of {len(cover.tests)} tests, {seconds:.0f} of {sum(cover.seconds):.0f} s")


if __name__ == "__main__":
    main()
