"""Run the tests that a package ships, with every module of the package converted as it is imported.

    python -m tests.autograph.converted_package toolz --pyargs toolz -q

The package's own test modules, and those that it excludes itself from, stay as they are.
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
    """Converts the modules of one package right after they are executed."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if name.partition(".")[0] != self.package or ".tests" in name or ".test_" in name:
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


def main(package: str, *arguments: str) -> int:
    """Run pytest over the package's tests; a stage that claims nothing makes the operators run."""
    import pytest

    autograph.register_stage(autograph.Stage())
    autograph_config_include(package)
    sys.meta_path.insert(0, ConvertOnImport(package))
    status = int(pytest.main(["-p", "no:cacheprovider", *arguments]))
    print(f"{len(converted)} modules of {package} were converted")
    return status


def autograph_config_include(package: str) -> None:
    """Code of the package is a user's code here."""
    from autograph.config import include

    include(package)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
