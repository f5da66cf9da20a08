"""Run the tests that a package ships, with modules of the package converted as they are imported.

    python -m tests.autograph.converted_package toolz --pyargs toolz -q
    python -m tests.autograph.converted_package networkx.utils,networkx.classes --pyargs networkx.utils -q

Packages are converted with all that is below them; what else converted code of the same distribution calls is
converted when it is called. The package's own test modules stay as they are.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import autograph

converted: list[str] = []


class ConvertOnImport(importlib.abc.MetaPathFinder):
    """Converts the modules of some packages right after they are executed."""

    def __init__(self, packages: Sequence[str]) -> None:
        self.packages = tuple(packages)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if ".tests" in name or ".test_" in name:
            return None
        if not any(name == package or name.startswith(package + ".") for package in self.packages):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(name, spec.loader.path)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        autograph.convert_module(module)
        converted.append(module.__name__)


def main(names: str, *arguments: str) -> int:
    """Run pytest over the packages' tests; a stage that claims nothing makes the operators run."""
    import pytest

    from autograph.config import include

    packages = names.split(",")
    autograph.register_stage(autograph.Stage())
    for package in packages:
        include(package.partition(".")[0])  # its code is a user's code here
    sys.meta_path.insert(0, ConvertOnImport(packages))
    status = int(pytest.main(["-p", "no:cacheprovider", *arguments]))
    print(f"{len(converted)} modules of {names} were converted")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
