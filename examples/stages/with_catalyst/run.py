"""Runs Catalyst's own tests of AutoGraph, unmodified, over the stages of this folder, without malt.

    python run.py PATH/TO/test_autograph.py [--malt] [--times] [pytest arguments]

`quantum.py` takes the place of Catalyst's AutoGraph and `capture.py` that of PennyLane's, which Catalyst uses
where `capture=True`. Importing malt is an error. `--malt` runs the tests as they are; `--times` converts the
functions of the tests once more, here and by malt in turn. The last line is like "177 of 177 right".
"""

import argparse
import contextlib
import importlib
import importlib.abc
import importlib.util
import os
import pathlib
import statistics
import sys
import time
from types import FunctionType

HERE = pathlib.Path(__file__).resolve().parent


class Substitute(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Both modules of a package, `transformer` and `ag_primitives`, are one: ours."""

    def __init__(self, package, file):
        self.main, self.alias, self.file = f"{package}.transformer", f"{package}.ag_primitives", HERE / file

    def find_spec(self, name, path=None, target=None):
        if name == self.main:
            return importlib.util.spec_from_file_location(name, self.file)
        return importlib.util.spec_from_loader(name, self) if name == self.alias else None

    def create_module(self, spec):
        return importlib.import_module(self.main)

    def exec_module(self, module):
        pass


def substitute():
    """Have `import catalyst` get the stages; called before the first import of either package."""
    sys.path.insert(0, str(HERE))
    sys.meta_path.insert(0, Substitute("catalyst.autograph", "quantum.py"))
    sys.meta_path.insert(0, Substitute("pennylane.capture.autograph", "capture.py"))
    sys.modules["malt"] = None
    importlib.import_module("pennylane.capture.autograph.ag_primitives")


class Count:
    """The tests that ran, and those that were right: an expected failure is."""

    right = all = 0

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self.all += 1
            self.right += report.passed or (report.skipped and hasattr(report, "wasxfail"))


def compare_times(functions):
    """Median time to convert a function that no cache has seen."""
    from autograph.conversion import conversion_of

    del sys.modules["malt"]
    from malt.core.converter import ConversionOptions, Feature, ProgramContext
    from malt.impl.api import PyToPy

    features = [Feature.BUILTIN_FUNCTIONS, Feature.LISTS]
    options = ConversionOptions(True, True, optional_features=features)

    def fresh(f):
        made = FunctionType(f.__code__.replace(), f.__globals__, f.__name__, f.__defaults__, f.__closure__)
        made.__kwdefaults__, made.__module__ = f.__kwdefaults__, f.__module__
        return made

    sides = (
        lambda f: conversion_of(f).bind(f),
        lambda f: PyToPy().transform(f, ProgramContext(options)),
    )
    pairs = []
    for function in functions:
        pair = []
        for side in sides:
            given, began = fresh(function), time.process_time()
            with contextlib.suppress(Exception):  # one of the two cannot convert it: it is not compared
                side(given)
                pair.append(time.process_time() - began)
        pairs += [pair] if len(pair) == 2 else []
    ours, theirs = ([1e3 * pair[side] for pair in pairs[1:]] for side in (0, 1))
    medians = " ms beside malt's ".join(f"{statistics.median(side):.1f}" for side in (ours, theirs))
    sums = " ms beside ".join(f"{sum(side):.0f}" for side in (ours, theirs))
    print(f"{len(pairs)} functions converted: the median {medians} ms, all of them {sums} ms")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("tests", type=pathlib.Path)
    arguments.add_argument("--malt", action="store_true")
    arguments.add_argument("--times", action="store_true")
    chosen, rest = arguments.parse_known_args()
    if not chosen.malt:
        substitute()
    tests = chosen.tests.resolve()
    os.chdir(tests.parent)
    import pytest

    count = Count()
    status = pytest.main([tests.name, "-q", "-p", "no:cacheprovider", "--tb=short", *rest], plugins=[count])
    if chosen.times:
        compare_times(list(importlib.import_module("quantum_program").SEEN.values()))
    print(f"{count.right} of {count.all} right")
    return status


if __name__ == "__main__":
    sys.exit(main())
