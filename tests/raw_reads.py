"""`python -m pytest -p tests.raw_reads ...`: who reads attributes of objects from outside past the trace?

What converted code reads, the trace sees by marks, and our own code asks `trace.seen(owner)`. All else reads
what an object holds just now, which would be silently kept. With this plugin the classes that a trace
watches have a `__getattribute__` that writes such reads down, and a test in which there are any fails.
(So does tests/runtime/objects/test_as_it_is_meanwhile.py, which finds that very hook.)
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime.objects import watched_classes
from runtime.tracer import class_namespaces
from runtime.tracer.builder import current

_found: list[str] = []
#: whose objects stand for functions
_OF_FUNCTIONS = ("runtime.differentiation.derivatives", "runtime.differentiation.marked")
_make_hooks = watched_classes.make_hooks


def _with_reads_written_down(cls: type) -> dict[str, Any]:
    get: Any = class_namespaces.program_attribute(cls, "__getattribute__")

    def __getattribute__(self: Any, name: str) -> Any:
        trace: Any = current()
        if not name.startswith("__") and trace is not None and _is_known(trace, self):
            frame = sys._getframe(1)
            place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
            _found.append(f"{place} ({frame.f_code.co_qualname}) reads `{name}` of a {cls.__name__}")
        return get(self, name)

    return {**_make_hooks(cls), "__getattribute__": __getattribute__}


def _is_known(trace: Any, owner: Any) -> bool:
    """Is it from outside, or one that only a run knows?"""
    outside = getattr(trace, "outside", None)
    never_changes = isinstance(owner, enum.Enum) or type(owner).__module__ in _OF_FUNCTIONS
    if outside is None or never_changes:
        return False
    return bool(outside.is_outside(owner) or trace.references.is_reference(owner))


def pytest_configure() -> None:
    watched_classes.make_hooks = _with_reads_written_down  # type: ignore[assignment]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[Any]:
    _found.clear()
    result = yield
    if _found:
        pytest.fail("read past the trace:\n" + "\n".join(sorted(set(_found))))
    return result
