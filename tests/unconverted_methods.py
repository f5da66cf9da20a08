"""`python -m pytest -p tests.unconverted_methods ...`: special methods that run as they are in a trace.

CPython's own code calls `__eq__` and its like of what it is given. What such a method reads and stores while
a function is traced is seen by nobody, and would be kept for good. With this plugin a test fails in which a
special method of a class of the test's runs in a trace without being converted. Needs Python 3.12 or newer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any

import pytest

from autograph.code_objects import is_converted_code
from runtime.tracer.builder import current

_TOOL = 4
_found: set[str] = set()
#: packages, and what they and our stages ask on purpose
_NOT_OF_TESTS = ("/runtime/", "/autograph/", "/lib/python", "/site-packages/", "<frozen", "<string>")
_MAY_RUN = frozenset(
    {"__init_subclass__", "__set_name__", "__mro_entries__", "__prepare__", "__class_getitem__"}
)


def _on_start(code: CodeType, offset: int) -> Any:
    monitoring = sys.monitoring  # type: ignore[attr-defined]
    name = code.co_name
    is_special = name.startswith("__") and name.endswith("__") and name not in _MAY_RUN
    if not is_special or any(part in code.co_filename for part in _NOT_OF_TESTS) or is_converted_code(code):
        return monitoring.DISABLE
    trace: Any = current()
    if getattr(trace, "outside", None) is not None and not trace.in_vain:
        frame: Any = sys._getframe(2)
        _found.add(f"{code.co_qualname} is called by {frame.f_code.co_filename}:{frame.f_lineno}")
    return None


def pytest_configure() -> None:
    monitoring = sys.monitoring  # type: ignore[attr-defined]
    monitoring.use_tool_id(_TOOL, "unconverted methods")
    monitoring.register_callback(_TOOL, monitoring.events.PY_START, _on_start)
    monitoring.set_events(_TOOL, monitoring.events.PY_START)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[Any]:
    _found.clear()
    result = yield
    if _found:
        pytest.fail("runs as it is in a trace:\n" + "\n".join(sorted(_found)))
    return result
